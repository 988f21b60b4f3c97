import type { ChainCandidate } from './chain-entry.ts';
import type { ChangedSymbols } from './changed-symbols.ts';
import type { IndexedFile } from './indexed-files.ts';
import { compareNearness } from './nearness.ts';
import type { SymbolIndex } from './symbol-index.ts';
import { isTestPath, subjectStem } from './test-path.ts';

const limits = { files: 2, lines: 4 } as const;

/** Tests that are called after a changed file and do not stand among its uses yet, by their first few cases. */
export async function testsOf(
  index: SymbolIndex,
  { symbols, covered }: { readonly symbols: readonly ChangedSymbols[]; readonly covered: ReadonlySet<string> },
): Promise<readonly ChainCandidate[]> {
  const changed = new Set(symbols.map(({ path }) => path));
  const paths = await index.paths();
  const found: ChainCandidate[] = [];
  for (const { path } of symbols.filter((each) => !isTestPath(each.path))) {
    const named = paths.tests(subjectStem(path)).filter((test) => !changed.has(test) && !covered.has(test));
    for (const test of [...named].sort(compareNearness(path)).slice(0, limits.files)) {
      const file = await index.file(test);
      if (file !== null) found.push(...casesOf(file));
    }
  }
  return found;
}

const testCase =
  /\b(?:it|test|describe|specify|context)\b[\w.]*\s*[('"]|\bdef test|\bfunc Test|@Test|\[(?:Fact|Theory|Test)|#\[test\]|\bTEST(?:_F)?\(|function test/;

function casesOf(file: IndexedFile): readonly ChainCandidate[] {
  const lines = file.lines.flatMap(({ text }, at) => (testCase.test(text) ? [at + 1] : []));
  return lines.slice(0, limits.lines).map((line) => ({
    relation: 'test',
    symbol: '',
    path: file.path,
    startLine: line,
    endLine: line,
    inside: null,
    lines: file.lines.slice(line - 1, line),
    body: [],
  }));
}
