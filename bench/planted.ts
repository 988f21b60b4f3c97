/** A finding as a reviewer submits it. `{src/a.ts|first..last}` stands for the lines that hold these fragments; `{|…}` for lines of its own file. */
export type Planted = {
  readonly path: string;
  readonly quote: string;
  readonly title: string;
  readonly evidence: string;
  /** Of a wrong finding: what disproves it. */
  readonly refuted?: string;
};

/** Blocks stand far apart, so that what is cited is not shown by chance. */
function spread(comment: string, blocks: string): string {
  const filler = (at: number) => Array.from({ length: 25 }, (_, line) => `${comment} Section ${at}, note ${line + 1}.`);
  const all = blocks.trim().split('\n\n');
  return `${all.flatMap((block, at) => [...filler(at), ...block.split('\n')]).join('\n')}\n`;
}

const money = spread(
  '//',
  `
export function cents(amount: string): number {
  return Math.round(Number(amount) * 100);
}

export function format(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return (value / 100).toFixed(2);
}

export function rateOf(country: string): number | undefined {
  return rates.get(country);
}`,
);

const cart = spread(
  '//',
  `
export function total(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + cents(item.price) * item.count, 0);
}

export function withTax(items: readonly Item[], country: string): string {
  const rate = rateOf(country);
  return format(total(items) * (1 + rate));
}

export function discount(items: readonly Item[], code: Code): number {
  if (code.expires < Date.now()) return 0;
  return total(items) * (code.percent / 10);
}

export function last(items: readonly Item[]): Item {
  if (items.length === 0) throw new Error('empty');
  return items[items.length - 1];
}

export async function checkout(cart: Cart, pay: Pay): Promise<void> {
  cart.items.length = 0;
  await pay(total(cart.items));
}

export function remove(cart: Cart, id: string): void {
  cart.items.splice(cart.items.findIndex((item) => item.id === id), 1);
}`,
);

const store = spread(
  '#',
  `
def save(job):
    with lock:
        rows[job.id] = job

def load(job_id):
    return rows.get(job_id)

def purge(before):
    for key in list(rows):
        if rows[key].at < before:
            del rows[key]`,
);

const retry = spread(
  '#',
  `
def run(job_id):
    job = load(job_id)
    return job.call()

def attempts(job, limit=3):
    for count in range(1, limit):
        if job.try_once():
            return count

def collect(job, seen=[]):
    seen.append(job.id)
    return seen

def clean(days):
    purge(now() - days * 3600)

def close(handles):
    try:
        for handle in handles:
            handle.close()
    except Exception:
        pass

def keys(job):
    assert job.id
    return f"{job.id}:{job.kind}"`,
);

const session = spread(
  '//',
  `
func (s *Sessions) Get(id string) *Session {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byID[id]
}

func (s *Sessions) Put(one *Session) {
	s.byID[one.ID] = one
}

func (s *Session) Owns(name string) bool {
	return s.Admin || s.User == owner(name)
}`,
);

const handler = spread(
  '//',
  `
func (h *Handler) Show(w http.ResponseWriter, r *http.Request) {
	one := h.sessions.Get(r.Header.Get("session"))
	fmt.Fprint(w, one.User)
}

func (h *Handler) Read(w http.ResponseWriter, r *http.Request) {
	data, err := os.ReadFile("data/" + r.URL.Query().Get("name"))
	if err == nil {
		w.Write(data)
	}
}

func (h *Handler) Login(w http.ResponseWriter, r *http.Request) {
	go h.sessions.Put(newSession(r))
}

func (h *Handler) Delete(w http.ResponseWriter, r *http.Request) {
	if !h.of(r).Owns(r.FormValue("name")) {
		http.Error(w, "no", 403)
	}
	h.files.Remove(r.FormValue("name"))
}

func (h *Handler) Fetch(url string) (*http.Response, error) {
	response, err := h.client.Get(url)
	if err != nil {
		return nil, err
	}
	return response, nil
}`,
);

const template = spread(
  '#',
  `
def self.render(name, values)
  text(name).gsub(/%(\\w+)%/) { values[$1] }
end

def self.escape(value)
  CGI.escapeHTML(value.to_s)
end`,
);

const mailer = spread(
  '#',
  `
def welcome(user)
  deliver(user.mail, Template.render("welcome", { "name" => user.name }))
end

def remind(users)
  users.each { |user| return if user.muted?; deliver(user.mail, "Hello") }
end

def footer(user)
  Template.escape(user.note)
end

def page(list, number)
  list[number * 20, 20]
end`,
);

/** Where the branch starts: what is changed is empty there. */
export const kept = {
  'src/money.ts': money,
  'jobs/store.py': store,
  'server/session.go': session,
  'lib/template.rb': template,
};
export const changed = {
  'src/cart.ts': cart,
  'jobs/retry.py': retry,
  'server/handler.go': handler,
  'lib/mailer.rb': mailer,
};

const ts = 'src/cart.ts';
const py = 'jobs/retry.py';
const go = 'server/handler.go';
const rb = 'lib/mailer.rb';

/** Twenty that are true, then ten that are not. */
export const planted: readonly Planted[] = [
  // biome-ignore format: one finding, one line of each
  ...[
    [ts, '  return format(total(items) * (1 + rate));', 'An unknown country costs NaN', '{src/money.ts|rates.get} gives undefined, {src/money.ts|isFinite} then prints a dash'],
    [ts, '  return total(items) * (code.percent / 10);', 'Ten percent takes the whole price', '{|code.percent / 10}; {|code.expires} lets every valid code through'],
    [ts, '  cart.items.length = 0;', 'Nothing is ever charged', '{|cart.items.length = 0..await pay} empties first, {|items.reduce} then sums nothing'],
    [ts, '  cart.items.splice(cart.items.findIndex((item) => item.id === id), 1);', 'An unknown id removes the last item', '{|findIndex} gives -1'],
    [ts, '  return items.reduce((sum, item) => sum + cents(item.price) * item.count, 0);', 'A price with a comma makes NaN', '{src/money.ts|Number(amount)}'],
    [py, '    return job.call()', 'A purged job crashes the run', '{jobs/store.py|rows.get} gives None after {jobs/store.py|list(rows)..del rows}'],
    [py, '    for count in range(1, limit):', 'The last attempt is never made', '{|limit=3..return count}'],
    [py, 'def collect(job, seen=[]):', 'Calls share one list', '{|seen=[]..return seen}'],
    [py, '    purge(now() - days * 3600)', 'A day is an hour', '{jobs/store.py|def purge..del rows} compares seconds'],
    [py, '    except Exception:', 'One failing handle leaves the others open', '{|for handle..pass}'],
    [py, '    return f"{job.id}:{job.kind}"', 'Keys of two kinds collide', '{jobs/store.py|rows[job.id] = job} uses the id alone'],
    [go, '	fmt.Fprint(w, one.User)', 'A missing session crashes', '{server/session.go|return s.byID} gives nil'],
    [go, '	data, err := os.ReadFile("data/" + r.URL.Query().Get("name"))', 'Any file can be read', '{|os.ReadFile}, and {server/session.go|owner(name)} is not asked'],
    [go, '	if err == nil {', 'A failed read answers 200', '{|err == nil..w.Write}'],
    [go, '	go h.sessions.Put(newSession(r))', 'Concurrent logins race on the map', '{server/session.go|s.byID[one.ID]} writes without the lock that {server/session.go|RLock()..RUnlock()} takes'],
    [go, '		http.Error(w, "no", 403)', 'Everybody can delete', '{|Owns(..h.files.Remove} goes on after the error'],
    [go, '	response, err := h.client.Get(url)', 'Nobody closes the body', '{|h.client.Get..return response}'],
    [rb, '  deliver(user.mail, Template.render("welcome", { "name" => user.name }))', 'A name injects HTML', '{lib/template.rb|gsub} does not call {lib/template.rb|escapeHTML}'],
    [rb, '  users.each { |user| return if user.muted?; deliver(user.mail, "Hello") }', 'One muted user silences the rest', '{|return if}'],
    [rb, '  list[number * 20, 20]', 'The first page is skipped', '{|number * 20}; pages count from 1 in {lib/template.rb|def self.render}'],
  ].map(finding),
  // biome-ignore format: one finding, one line of each
  ...[
    [ts, '  return items[items.length - 1];', 'An empty cart gives undefined', '{|items[items.length - 1]} reads beyond {|items.length === 0}', "throw new Error('empty')"],
    [ts, '  return format(total(items) * (1 + rate));', 'Infinity is printed', '{src/money.ts|isFinite..toFixed}', 'isFinite'],
    [ts, '  await pay(total(cart.items));', 'Fractions of a cent are charged', '{src/money.ts|export function cents..Math.round}', 'Math.round'],
    [py, '    job = load(job_id)', 'An unknown id raises KeyError', '{jobs/store.py|def load..rows.get}', 'rows.get'],
    [py, '    purge(now() - days * 3600)', 'The dict changes while it is iterated', '{jobs/store.py|list(rows)..del rows}', 'list(rows)'],
    [py, '    assert job.id', 'Saving races', '{jobs/store.py|def save..rows[job.id] = job}', 'with lock'],
    [go, '	one := h.sessions.Get(r.Header.Get("session"))', 'The map is read without a lock', '{server/session.go|return s.byID}', 'RLock()'],
    [go, '	return response, nil', 'A nil response is returned as a success', '{|h.client.Get..return nil, err}', 'return nil, err'],
    [go, '	if !h.of(r).Owns(r.FormValue("name")) {', 'Administrators are locked out', '{server/session.go|Owns(..owner(name)}', 's.Admin ||'],
    [rb, '  Template.escape(user.note)', 'A missing note crashes', '{lib/template.rb|escapeHTML}', 'value.to_s'],
  ].map(finding),
];

function finding([path = '', quote = '', title = '', evidence = '', refuted]: readonly string[]): Planted {
  return { path, quote, title, evidence, ...(refuted === undefined ? {} : { refuted }) };
}
