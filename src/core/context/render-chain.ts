import { cutLine } from '../repository/cut-line.ts';
import { shown } from '../repository/shown.ts';
import type { ChainEntry, MissingFromChain, Relation } from './chain-entry.ts';

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
