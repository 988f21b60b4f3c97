import { estimateTokens } from '../agent/estimate.ts';
import { type ShownLine, shown } from '../repository/shown.ts';
import { cutLine, groupBy } from '../text.ts';

/** A longer head is cut to this, a longer definition shown by its head alone. Lines. */
const maxHead = 8;
const maxWhole = 40;
/** That a body is worth less than its head. */
const bodyRebate = 45;
/** Tokens at most for the names of what does not fit: they come on top of the entries. */
const namesTokens = 200;

/** The entries that fit, the most worth first, whatever they are; in the order in which they were found. */
export function fitChain(
  candidates: readonly ChainCandidate[],
  maxTokens: number,
): { readonly entries: readonly ChainEntry[]; readonly left: readonly string[] } {
  const pieces = candidates.flatMap((candidate, at) => {
    const { body, worth, ...entry } = candidate;
    const lines = entry.lines.slice(0, maxHead);
    const head = { ...entry, lines, endLine: entry.startLine + lines.length - 1 };
    const isWhole = body.length > 0 && entry.lines.length + body.length <= maxWhole;
    const whole = { ...entry, lines: [...entry.lines, ...body], endLine: entry.wholeEnd ?? entry.endLine };
    return [{ at, worth, entry: head }, ...(isWhole ? [{ at, worth: worth - bodyRebate, entry: whole }] : [])];
  });
  const chosen = new Map<number, ChainEntry>();
  let spent = 0;
  for (const { at, entry } of pieces.toSorted((one, other) => other.worth - one.worth)) {
    const known = chosen.get(at);
    const cost = tokensOf([entry]) - (known === undefined ? 0 : tokensOf([known]));
    if (spent + cost > maxTokens) continue;
    chosen.set(at, entry);
    spent += cost;
  }
  // An estimate is no sum of its parts: the cap holds for the whole.
  const worth = (at: number) => candidates[at]?.worth ?? 0;
  const byWorth = [...chosen.keys()].sort((one, other) => worth(other) - worth(one));
  while (chosen.size > 0 && tokensOf(inOrder(chosen)) > maxTokens) chosen.delete(byWorth.pop() ?? 0);
  return {
    entries: inOrder(chosen),
    left: candidates.flatMap((each, at) =>
      chosen.has(at) ? [] : [`${each.symbol} ${each.path}:${each.startLine}`.trim()],
    ),
  };
}

function inOrder(chosen: ReadonlyMap<number, ChainEntry>): readonly ChainEntry[] {
  return [...chosen].sort(([one], [other]) => one - other).map(([, entry]) => entry);
}

function tokensOf(entries: readonly ChainEntry[]): number {
  return estimateTokens(renderChain(entries));
}

/**
 * The chain as text for a model: what it is about, then numbered lines below their file and their relation to the change. It
 * quotes the repository, so whoever puts it into a prompt fences it. Empty for no entries. What is missing is said
 * at the end.
 */
export function renderChain(
  entries: readonly ChainEntry[],
  { left, notes }: MissingFromChain = { left: [], notes: [] },
): string {
  const groups = groupBy(entries, ({ relation, path }) => `${relation} ${path}`);
  const missing = [...(left.length === 0 ? [] : [leftOut(left)]), ...notes].join(' ');
  if (entries.length === 0 && left.length === 0) return '';
  return [...[...groups.values()].map(renderGroup), ...(missing === '' ? [] : [`[${missing}]`])].join('\n\n');
}

const maxNamed = 12;

function leftOut(left: readonly string[]): string {
  const named: string[] = [];
  for (const place of left.slice(0, maxNamed).map(oneLine)) {
    if (estimateTokens([...named, place].join(', ')) <= namesTokens) named.push(place);
  }
  const more = left.length - named.length;
  const places = [...(named.length === 0 ? [] : [named.join(', ')]), ...(more === 0 ? [] : [`${more} more`])];
  return `Not shown, ask for what you need: ${places.join(' and ')}.`;
}

const verbs: { readonly [relation in Relation]: string } = {
  definition: 'defines',
  caller: 'uses',
  test: 'tests',
  document: 'says of',
};

/** Of one line; minified files have lines of megabytes. */
const maxLineCharacters = 300;

function renderGroup(entries: readonly ChainEntry[]): string {
  const [first] = entries;
  if (first === undefined) return '';
  const symbols = [...new Set(entries.map(({ symbol }) => symbol))].filter((symbol) => symbol !== '');
  const heading = `${first.path}: ${verbs[first.relation]} ${symbols.join(', ')}`.trimEnd();
  const lines = new Map<number, string>();
  for (const { startLine, endLine, wholeEnd, lines: shownLines, inside } of entries) {
    const further = wholeEnd === null || wholeEnd <= endLine ? [] : [`to line ${wholeEnd}`];
    const about = [...(inside === null ? [] : [`in ${inside}`]), ...further].join(', ');
    for (const [at, { text }] of shownLines.entries()) {
      const note = about === '' || at > 0 ? '' : oneLine(`  ← ${about}`);
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

export type Relation = 'definition' | 'caller' | 'test' | 'document';

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
  /** Where the definition ends, whose head these lines are; null for other lines. */
  readonly wholeEnd: number | null;
  readonly lines: readonly ShownLine[];
};

/** An entry, the lines below it that may be added, a definition's body, and how much it is worth to a reader of the change. */
export type ChainCandidate = ChainEntry & { readonly body: readonly ShownLine[]; readonly worth: number };

export type MissingFromChain = {
  /** What was found and did not fit, such as `total src/cart.ts:12`. */
  readonly left: readonly string[];
  /** What the chain may be missing, and why, one sentence each. */
  readonly notes: readonly string[];
};
