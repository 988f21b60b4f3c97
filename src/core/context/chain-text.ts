import { estimateTokens } from '../agent/estimate.ts';
import { type ShownLine, shown } from '../repository/shown.ts';
import { cutLine } from '../text.ts';

/** A longer head is cut to this, a longer body left out. Lines. */
const maxHead = 8;
const maxBody = 30;

/** No kind takes all the room as long as others are waiting. Parts of the tokens. */
const shares: { readonly [relation in Relation]: number } = { definition: 0.6, caller: 0.25, test: 0.1, import: 0.05 };
const everything: typeof shares = { definition: 1, caller: 1, test: 1, import: 1 };

/** The entries that fit, in the order of their worth: first all in short, then the bodies of definitions. */
export function fitChain(
  candidates: readonly ChainCandidate[],
  { maxTokens, signaturesOnly }: { maxTokens: number; signaturesOnly: boolean },
): { readonly entries: readonly ChainEntry[]; readonly left: number } {
  const heads = candidates.map(head);
  const chosen = new Map<number, ChainEntry>();
  // Entries of one file share a heading, so after each round there is more room than was counted.
  for (const share of [shares, everything, everything]) addHeads(chosen, { heads, maxTokens, share });
  if (!signaturesOnly) addBodies(chosen, { candidates, room: maxTokens - tokensOf(chosen) });
  // An estimate is no sum of its parts: the cap holds for the whole.
  while (chosen.size > 0 && tokensOf(chosen) > maxTokens) chosen.delete(Math.max(...chosen.keys()));
  return { entries: inOrder(chosen), left: candidates.length - chosen.size };
}

function head({ body: _body, ...entry }: ChainCandidate): ChainEntry {
  const lines = entry.lines.slice(0, maxHead);
  return { ...entry, lines, endLine: entry.startLine + lines.length - 1 };
}

function addHeads(
  chosen: Map<number, ChainEntry>,
  { heads, maxTokens, share }: { heads: readonly ChainEntry[]; maxTokens: number; share: typeof shares },
): void {
  let left = maxTokens - tokensOf(chosen);
  const spent: { [relation in Relation]: number } = { definition: 0, caller: 0, test: 0, import: 0 };
  for (const [at, entry] of heads.entries()) {
    if (chosen.has(at)) continue;
    const cost = estimateTokens(renderChain([entry]));
    const { relation } = entry;
    if (cost > left || spent[relation] + cost > maxTokens * share[relation]) continue;
    chosen.set(at, entry);
    left -= cost;
    spent[relation] += cost;
  }
}

function addBodies(
  chosen: Map<number, ChainEntry>,
  { candidates, room }: { candidates: readonly ChainCandidate[]; room: number },
): void {
  let left = room;
  for (const [at, { lines, body }] of candidates.entries()) {
    const entry = chosen.get(at);
    if (entry === undefined || body.length === 0 || lines.length + body.length > maxBody) continue;
    const whole = { ...entry, lines: [...lines, ...body], endLine: entry.startLine + lines.length + body.length - 1 };
    const cost = estimateTokens(renderChain([whole])) - estimateTokens(renderChain([entry]));
    if (cost > left) continue;
    chosen.set(at, whole);
    left -= cost;
  }
}

function inOrder(chosen: ReadonlyMap<number, ChainEntry>): readonly ChainEntry[] {
  return [...chosen].sort(([one], [other]) => one - other).map(([, entry]) => entry);
}

function tokensOf(chosen: ReadonlyMap<number, ChainEntry>): number {
  return chosen.size === 0 ? 0 : estimateTokens(renderChain(inOrder(chosen)));
}

/**
 * The chain as text for a model: what it is about, then numbered lines below their file and their relation to the change. It
 * quotes the repository, so whoever puts it into a prompt fences it. Empty for no entries. What is missing is said
 * at the end.
 */
export function renderChain(
  entries: readonly ChainEntry[],
  { left, notes }: MissingFromChain = { left: 0, notes: [] },
): string {
  const groups = new Map<string, ChainEntry[]>();
  for (const entry of entries) {
    const key = `${entry.relation} ${entry.path}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  if (entries.length === 0) return '';
  const missing = [...(left === 0 ? [] : [`${left} more places did not fit.`]), ...notes].join(' ');
  return [...[...groups.values()].map(renderGroup), ...(missing === '' ? [] : [`[${missing}]`])].join('\n\n');
}

const verbs: { readonly [relation in Relation]: string } = {
  definition: 'defines',
  caller: 'uses',
  test: 'tests',
  import: 'imports',
};

/** Of one line; minified files have lines of megabytes. */
const maxLineCharacters = 300;

function renderGroup(entries: readonly ChainEntry[]): string {
  const [first] = entries;
  if (first === undefined) return '';
  const symbols = [...new Set(entries.map(({ symbol }) => symbol))].filter((symbol) => symbol !== '');
  const heading = `${first.path}: ${verbs[first.relation]} ${symbols.join(', ')}`.trimEnd();
  const lines = new Map<number, string>();
  for (const { startLine, lines: shownLines, inside } of entries) {
    for (const [at, { text }] of shownLines.entries()) {
      const note = inside === null || at > 0 ? '' : oneLine(`  ← in ${inside}`);
      const line = startLine + at;
      if (!lines.has(line)) lines.set(line, `${cutLine(text, maxLineCharacters)}${note}`);
    }
  }
  const rows = [...lines].sort(([one], [other]) => one - other);
  return [oneLine(heading), ...rows.map(([line, text]) => `${String(line).padStart(4)} | ${text}`)].join('\n');
}

/** A path or a name may hold anything but NUL: it is rendered like source. */
function oneLine(text: string): string {
  return cutLine(shown([text])[0]?.text ?? '', maxLineCharacters);
}

export type Relation = 'definition' | 'caller' | 'test' | 'import';

/** Lines of a file, and what they have to do with the change. */
export type ChainEntry = {
  readonly relation: Relation;
  /** The name that connects them; empty for a test that is only called after the file. */
  readonly symbol: string;
  readonly path: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** What stands around it, such as `method Cart.total` around a use; null at the top of its file. */
  readonly inside: string | null;
  readonly lines: readonly ShownLine[];
};

/** An entry, and the lines below it that may be added: a definition's body. */
export type ChainCandidate = ChainEntry & { readonly body: readonly ShownLine[] };

export type MissingFromChain = {
  /** How many more were found and did not fit. */
  readonly left: number;
  /** What the chain may be missing, and why, one sentence each. */
  readonly notes: readonly string[];
};
