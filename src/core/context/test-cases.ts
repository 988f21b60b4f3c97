import type { ChainCandidate } from './chain-text.ts';
import type { ChangedSymbols } from './changed-symbols.ts';
import type { FoundUse } from './find-uses.ts';
import { compareNearness, isTestPath, subjectStem } from './paths.ts';
import { enclosingOf } from './scopes.ts';
import type { IndexedFile, SymbolIndex } from './symbol-index.ts';

/** A test by its name alone: the function that the use stands in, or else the line of its case. */
export function testOf({ file, reference }: FoundUse, value: number): readonly ChainCandidate[] {
  const from = Math.max(1, reference.line - maxCaseLines);
  const above = casesIn(file, { from, to: reference.line }).at(-1) ?? 0;
  const enclosing = enclosingOf(file.syntax, reference.line)?.startLine ?? 0;
  const line = Math.max(above, enclosing);
  return line === 0 ? [] : [testAt(file, { line, symbol: reference.name, value })];
}

/** A longer case is not looked through for its name. */
const maxCaseLines = 200;

function testAt(file: IndexedFile, at: { line: number; symbol: string; value: number }): ChainCandidate {
  const { line, symbol, value } = at;
  const place = { relation: 'test', path: file.path, startLine: line, endLine: line, wholeEnd: null } as const;
  return { ...place, symbol, inside: null, lines: file.lines.slice(line - 1, line), body: [], worth: value };
}

const limits = { files: 2, lines: 4 } as const;

/** Names that files have in every folder: a test of such a name is seldom theirs. */
const plainStems = new Set('index main mod lib init util utils helpers types constants config app common'.split(' '));

/** Tests that are called after a changed file and do not stand among its uses yet, by their first few cases. */
export async function testsOf(
  index: SymbolIndex,
  { symbols, covered, value }: { symbols: readonly ChangedSymbols[]; covered: ReadonlySet<string>; value: number },
): Promise<readonly ChainCandidate[]> {
  const changed = new Set(symbols.map(({ path }) => path));
  const paths = await index.paths();
  const found: ChainCandidate[] = [];
  for (const { path } of symbols.filter((each) => !isTestPath(each.path) && !plainStems.has(subjectStem(each.path)))) {
    const named = paths.tests(subjectStem(path)).filter((test) => !changed.has(test) && !covered.has(test));
    for (const test of [...named].sort(compareNearness(path)).slice(0, limits.files)) {
      const file = await index.file(test);
      if (file !== null) found.push(...casesOf(file, value));
    }
  }
  return found;
}

const testCase =
  /(?<![\w./@"'-])(?:(?:\w+\.)?(?:it|test|describe|specify)(?:\.(?:each|only|skip|concurrent|todo|describe)\b[\w.]*)?\s*[('"]|context\s*['"])|\bdef test|\bfunc Test|@Test|\[(?:Fact|Theory|Test)|#\[test\]|\bTEST(?:_F)?\(|function test/;

function casesOf(file: IndexedFile, value: number): readonly ChainCandidate[] {
  const lines = casesIn(file, { from: 1, to: file.lines.length }).slice(0, limits.lines);
  return lines.map((line) => testAt(file, { line, symbol: '', value }));
}

/** The lines that name a case: an attribute stands above its name. */
function casesIn(file: IndexedFile, { from, to }: { from: number; to: number }): readonly number[] {
  return file.lines.slice(from - 1, to).flatMap(({ text }, at) => {
    const start = text.slice(0, 200);
    return testCase.test(start) ? [from + at + (/^\s*(?:@|#?\[)/.test(start) ? 1 : 0)] : [];
  });
}
