import { hunkLines } from '../pull-request/changed-file.ts';
import type { TextMatch } from '../repository/repository.ts';
import type { ChainCandidate } from './chain-text.ts';
import type { ChangedSymbols, ShownChange } from './changed-symbols.ts';
import { isTelling } from './find-definitions.ts';
import { isProsePath } from './paths.ts';
import type { SymbolIndex } from './symbol-index.ts';

/** Names that are looked for, paragraphs that are shown, and lines of one. */
const limits = { names: 20, paragraphs: 2, lines: 8, found: 600 } as const;

/** Flags, environment variables and settings, as code writes them. */
const options =
  /(?<![\w-])--[a-z][a-z\d]{1,30}(?:-[a-z\d]{1,30}){0,4}|\b[A-Z][A-Z\d]{2,30}_[A-Z\d_]{2,40}\b|(?<=['"])[a-z\d]{2,30}(?:-[a-z\d]{2,30}){1,4}(?=['"])/g;

/** A plain text is more often a list for a program, and the history of changes is right as it stands. */
const isDocument = (path: string) => isProsePath(path) && !/\.txt$|(?:^|\/)(?:changelog|changes|history)/i.test(path);

/** Paragraphs of unchanged documents that name a definition whose head changed, or an option on a removed line: what they say may be wrong now. */
export async function documentsOf(
  index: SymbolIndex,
  { changes, symbols, value }: { changes: readonly ShownChange[]; symbols: readonly ChangedSymbols[]; value: number },
): Promise<readonly ChainCandidate[]> {
  const names = [...new Set([...changes.flatMap(removedOptions), ...symbols.flatMap(changedHeads)])].slice(
    0,
    limits.names,
  );
  if (names.length === 0) return [];
  const { lines } = await index.search(names, { definitions: false, limit: limits.found, shared: true });
  const changed = new Set(changes.map(({ file }) => file.path));
  const found: ChainCandidate[] = [];
  for (const match of lines.filter(({ path }) => isDocument(path) && !changed.has(path))) {
    if (found.length === limits.paragraphs) break;
    if (found.some((one) => one.path === match.path && match.line <= one.endLine + limits.lines / 2)) continue;
    const paragraph = await paragraphAt(index, match, { names, value });
    if (paragraph !== null) found.push(paragraph);
  }
  return found;
}

function changedHeads({ defined }: ChangedSymbols): readonly string[] {
  return defined.flatMap(({ definition, contract }) =>
    contract && isTelling(definition.name) ? [definition.name] : [],
  );
}

/** Those that added lines name as well are still there. */
function removedOptions({ hunks }: ShownChange): readonly string[] {
  const named = (kind: 'added' | 'removed') =>
    hunks
      .flatMap((hunk) => [...hunkLines(hunk)].flatMap((line) => (line.kind === kind ? [line.text.slice(0, 500)] : [])))
      .flatMap((text) => text.match(options) ?? []);
  const kept = new Set(named('added'));
  return named('removed').filter((name) => !kept.has(name));
}

async function paragraphAt(
  index: SymbolIndex,
  { path, line, text }: TextMatch,
  { names, value }: { names: readonly string[]; value: number },
): Promise<ChainCandidate | null> {
  const lines = await index.lines(path);
  if (lines === null) return null;
  const isBlank = (at: number) => (lines[at - 1]?.text ?? '').trim() === '';
  let [start, end] = [line, line];
  while (start > 1 && line - start < limits.lines / 2 && !isBlank(start - 1)) start -= 1;
  while (end < lines.length && end - start + 1 < limits.lines && !isBlank(end + 1)) end += 1;
  const symbol = names.find((name) => text.includes(name)) ?? '';
  const place = {
    relation: 'document',
    path,
    symbol,
    startLine: start,
    endLine: end,
    inside: null,
    wholeEnd: null,
  } as const;
  return { ...place, lines: lines.slice(start - 1, end), body: [], worth: value };
}
