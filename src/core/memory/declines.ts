import type { Comment, PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import { compareText, firstLines } from '../text.ts';
import type { Decline } from './memory.ts';

/** The words that decline a finding when they are all that the first line of a reply says. docs/reviews.md lists them. */
export const decliningWords = {
  English: ['false positive', 'this is a false positive', "won't fix", 'by design', 'not a bug', 'ignore'],
  German: ['Fehlalarm'],
  French: ['faux positif'],
  Spanish: ['falso positivo'],
  Portuguese: ['falso positivo'],
  Japanese: ['誤検知'],
  Chinese: ['误报'],
} as const;

/** What somebody did about a finding on purpose: declined it, or took a decline back. */
export type Act = Omit<Decline, 'canWrite'> & {
  readonly takesBack?: true;
  /** GitHub does not say who edited it: it can take a decline back, and is none. */
  readonly isDoubtful?: true;
};

type CanWrite = (login: string) => Promise<boolean | null>;

/**
 * Who declined a finding, with and without weight: each person's last act in its thread, or by its id, oldest first. The latest act of somebody
 * who may write wins: what that one takes back is left out, also where nobody can tell whether they may. Postil itself and other bots decline nothing.
 */
export async function declinesOf(
  { thread = null, byId = [] }: { thread?: ReviewThread | null; byId?: readonly Act[] },
  canWrite: CanWrite,
): Promise<readonly Decline[]> {
  const acts = [...(thread === null ? [] : actsIn(thread)), ...byId];
  const last = new Map<string, Act>();
  const heard = acts.filter(({ isDoubtful, takesBack }) => isDoubtful !== true || takesBack === true);
  for (const act of heard.toSorted((one, other) => compareText(one.date, other.date))) {
    last.delete(act.by);
    last.set(act.by, act);
  }
  const weighed = await Promise.all([...last.values()].map(async (act) => ({ act, canWrite: await canWrite(act.by) })));
  const since = weighed.findLastIndex((one) => one.act.takesBack === true && one.canWrite !== false) + 1;
  return weighed
    .slice(since)
    .flatMap(({ act: { takesBack, isDoubtful: _, ...decline }, canWrite }) =>
      takesBack ? [] : [{ ...decline, canWrite }],
    );
}

function actsIn({ comments, isResolved, resolvedBy }: ReviewThread): readonly Act[] {
  const [first, ...replies] = comments;
  if (first === undefined) return [];
  // GitHub does not say when a thread was resolved: whatever has a date is later.
  const resolved = isResolved && resolvedBy !== null ? [{ by: resolvedBy, how: 'resolved' as const, date: '' }] : [];
  const votes = first.thumbsDown.map((by, index) => {
    return { by, how: 'thumbs-down' as const, date: first.thumbsDownDates?.[index] ?? '' };
  });
  const acts: readonly Act[] = [...resolved, ...votes, ...replies.flatMap((reply) => actOf(reply) ?? [])];
  return acts.filter(({ by }) => by !== first.author && !isBot(by));
}

function isBot(login: string): boolean {
  return login.endsWith('[bot]');
}

/** What a reply does by its first own line; null when it is no act. */
function actOf(reply: Comment): Act | null {
  const said = saidIn(reply);
  if (said === null) return null;
  const { value: first = '' } = ownLines(reply.body).next();
  const line = first.trim();
  if (declines(line)) return { ...said, how: 'reply', words: cut([...ownLines(reply.body)].join(' ')) };
  const command = commandIn(line);
  return command === null || command.id !== null ? null : { ...said, ...actBy(command) };
}

export type Commands = {
  /** What people wrote by the id of this finding. */
  readonly about: (id: string) => readonly Act[];
  /** What they wrote by ids that no finding has, or more than one. */
  readonly unknown: ReadonlyMap<string, readonly Act[]>;
};

/** Lines `/postil dismiss ID REASON` and `/postil undismiss ID` about findings with these ids, wherever people wrote them on the pull request. */
export function commandsFor(ids: readonly string[], said: Pick<PullRequest, 'conversation' | 'threads'>): Commands {
  const acts = new Map<string, Act[]>();
  for (const comment of [...said.conversation, ...said.threads.flatMap(({ comments }) => comments)]) {
    for (const [id, act] of actsById(comment)) {
      const known = acts.get(id) ?? [];
      acts.set(id, known);
      known.push(act);
    }
  }
  const isKnown = (id: string) => ids.includes(id) && ids.indexOf(id) === ids.lastIndexOf(id);
  return {
    about: (id) => (isKnown(id) ? (acts.get(id) ?? []) : []),
    unknown: new Map([...acts].filter(([id]) => !isKnown(id))),
  };
}

/** Of one comment, the last act by each id: in small letters. */
function actsById(comment: Comment): ReadonlyMap<string, Act> {
  const acts = new Map<string, Act>();
  const said = saidIn(comment);
  if (said === null || isBot(comment.author) || !/^\/postil/im.test(comment.body)) return acts;
  for (const line of ownLines(comment.body)) {
    const command = commandIn(line.trimEnd());
    if (command !== null && command.id !== null) acts.set(command.id, { ...said, ...actBy(command) });
  }
  return acts;
}

const idsNamed = 5;

/** What somebody who may write should know who named a finding that is not there: a note for the log. */
export async function noteOfUnknown({ unknown }: Commands, canWrite: CanWrite): Promise<readonly string[]> {
  const isHeard = async (acts: readonly Act[]) =>
    (await Promise.all(acts.map(({ by }) => canWrite(by)))).includes(true);
  const heard = await Promise.all([...unknown].map(async ([id, acts]) => ((await isHeard(acts)) ? [id] : [])));
  const ids = heard.flat();
  if (ids.length === 0) return [];
  const more = ids.length > idsNamed ? ` and ${ids.length - idsNamed} more` : '';
  return [
    `A comment names ${ids.slice(0, idsNamed).join(', ')}${more} after \`/postil\`: this reviewer knows no finding by such an id.`,
  ];
}

/** By whom and when; null where it is our own, or where somebody else edited it: these are not their author's words. */
function saidIn({
  author,
  date,
  isSelf,
  edited,
  url,
}: Comment): Pick<Act, 'by' | 'date' | 'url' | 'isDoubtful'> | null {
  const said = { by: author, date: edited?.date ?? date, url };
  if (edited?.by === null) return isSelf ? null : { ...said, isDoubtful: true };
  return isSelf || (edited !== undefined && edited.by !== author) ? null : said;
}

type Command = { readonly verb: string; readonly id: string | null; readonly reason: string };

function actBy({ verb, reason }: Command): Pick<Act, 'how' | 'words' | 'takesBack'> {
  const words = cut(reason);
  const how = { how: 'dismissed', ...(words === '' ? {} : { words }) } as const;
  return verb === 'undismiss' ? { ...how, takesBack: true } : how;
}

function commandIn(line: string): Command | null {
  const [, verb, rest = ''] = /^\/postil[ \t]+(dismiss|undismiss)(?:[ \t](.*))?$/is.exec(line) ?? [];
  if (verb === undefined || questionMark.test(line)) return null;
  const [, id = null, reason = ''] = /^`?(p-[0-9a-f]{8})\b[`\s:.,—–-]*(.*)$/is.exec(rest.trim()) ?? [null, null, rest];
  return { verb: verb.toLowerCase(), id: id?.toLowerCase() ?? null, reason: reason.trim() };
}

const questionMark = /[?？﹖؟⸮‽⁇⁈⁉❓❔]/;

const forms = Object.values(decliningWords)
  .flat()
  .map((form) => form.toLowerCase());

/** A dash, colon or full stop that ends the form: no hyphenated word, no file name. */
const reasonAhead = /^(?: ?[—：。．]| ?[:.](?= |$)| [-–]{1,3}(?= |$))/;

/** True for a line that is one of the forms, or one and a reason. */
function declines(line: string): boolean {
  // An asterisk before a space begins an item of a list, no emphasis.
  if (questionMark.test(line) || /^[*_]+\s/.test(line)) return false;
  const said = line.toLowerCase().replace(/[‘’ʼ]/g, "'").replace(/[*_]/g, '').replace(/\s+/g, ' ').trim();
  return forms.some((form) => said.startsWith(form) && (said === form || reasonAhead.test(said.slice(form.length))));
}

const wordsShown = 100;

function cut(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim();
  return words.length <= wordsShown ? words : `${firstLines(words, wordsShown).trimEnd()}…`;
}

const unsure = '';

/**
 * The lines that a person wrote themselves: no quotes, no fenced code, no hidden comments, no blank lines. An empty one stands where nobody can
 * tell, and behind a tag of HTML there are none.
 */
function* ownLines(text: string): Generator<string, void> {
  let [fence, inComment, belowQuote] = ['', false, false];
  for (const line of text.split(/\r\n?|\n/)) {
    const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    if (fence !== '') {
      if (mark.startsWith(fence) && info.trim() === '') fence = '';
      continue;
    }
    if (!inComment && mark !== '' && (mark.startsWith('~') || !info.includes('`'))) {
      fence = mark;
      continue;
    }
    const visible: { readonly text: string; readonly inComment: boolean } = withoutComments(line, inComment);
    ({ inComment } = visible);
    const own = visible.text;
    if (own.trim() === '') {
      belowQuote = false;
    } else if (/^ {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*>/.test(own)) {
      belowQuote = true;
    } else if (belowQuote || /^(?: {4}| {0,3}\t)/.test(own)) {
      // Below a quote without a blank line it may still be the quote; what is indented may be code.
      yield unsure;
    } else if (/^ {0,3}<[a-z/!?]/i.test(own)) {
      yield unsure;
      return;
    } else {
      yield own;
    }
  }
}

/** A line without its hidden comments, which may reach over several lines. */
function withoutComments(line: string, inComment: boolean): { readonly text: string; readonly inComment: boolean } {
  let [text, rest, hidden] = ['', line, inComment];
  for (;;) {
    const at = rest.indexOf(hidden ? '-->' : '<!--');
    if (!hidden) text += at === -1 ? rest : rest.slice(0, at);
    if (at === -1) return { text, inComment: hidden };
    // `<!-->` is a whole comment.
    rest = rest.slice(at + (hidden ? 3 : 2));
    hidden = !hidden;
  }
}
