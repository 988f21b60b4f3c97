import type { Definition } from '../languages/syntax.ts';
import { type ChainCandidate, type ChainEntry, fitChain, type MissingFromChain } from './chain-text.ts';
import {
  type ChangedSymbols,
  changedSymbols,
  describeDefinition,
  enclosingOf,
  type ShownChange,
} from './changed-symbols.ts';
import { type FoundDefinition, findDefinitions } from './find-definitions.ts';
import { type FoundUse, findUses } from './find-uses.ts';
import { compareNearness, isTestPath, subjectStem } from './paths.ts';
import { alternate, type IndexedFile, type SymbolIndex } from './symbol-index.ts';

type Candidates = {
  /** By kind, the most valuable of each kind first. */
  readonly candidates: readonly ChainCandidate[];
  /** Other definitions that members of these names may mean. */
  readonly namesakes: readonly ChainCandidate[];
  readonly notes: readonly string[];
};

type Around = {
  readonly symbols: readonly ChangedSymbols[];
  readonly isShown: (path: string, line: number) => boolean;
};

/** Everything that the chain could hold. */
async function chainCandidates(index: SymbolIndex, symbols: readonly ChangedSymbols[]): Promise<Candidates> {
  const shown = new Map(symbols.map((each) => [each.path, each.shown]));
  const around: Around = { symbols, isShown: (path, line) => shown.get(path)?.has(line) ?? false };
  const [definitions, { uses, notes }] = await Promise.all([definitionsOf(index, around), usesOf(index, around)]);
  const tests = await testsOf(index, { symbols, covered: new Set(uses.map(({ path }) => path)) });
  const candidates = [...definitions.likely, ...uses, ...tests, ...importsOf(around)];
  const first = isFirst([...candidates, ...definitions.namesakes]);
  return { candidates: candidates.filter(first), namesakes: definitions.namesakes.filter(first), notes };
}

/** Names at most of one file, the most used first. */
const maxNames = 60;

/** Whose member is meant only types would tell. */
const maxNamesakes = 2;

type Definitions = { readonly likely: readonly ChainCandidate[]; readonly namesakes: readonly ChainCandidate[] };

async function definitionsOf(index: SymbolIndex, { symbols, isShown }: Around): Promise<Definitions> {
  const wanted = symbols.flatMap(({ head, used }) =>
    head === null ? [] : [{ from: head, names: used.slice(0, maxNames) }],
  );
  const found = await findDefinitions(index, wanted);
  const likely: (readonly ChainCandidate[])[] = [];
  const namesakes: (readonly ChainCandidate[])[] = [];
  for (const [at, { names }] of wanted.entries()) {
    const chosen = names.map(({ name, member }) => {
      const there = found[at]?.get(name) ?? [];
      // What the diff shows needs no second place in the prompt, and no namesake from elsewhere.
      if (there.some(({ file, definition }) => isShown(file.path, definition.startLine))) return [];
      return member ? there.slice(0, 1 + maxNamesakes) : there.slice(0, 1);
    });
    likely.push(chosen.flatMap(([first]) => (first === undefined || first.guess ? [] : [definitionOf(first)])));
    namesakes.push(chosen.flatMap((all) => all.filter(({ guess }, place) => guess || place > 0).map(definitionOf)));
  }
  return { likely: alternate(likely), namesakes: alternate(namesakes) };
}

function definitionOf({ file, definition }: FoundDefinition): ChainCandidate {
  const { name: symbol, container: inside, startLine, signatureEndLine, endLine } = definition;
  const place = { relation: 'definition', symbol, startLine, endLine: signatureEndLine, whole: endLine } as const;
  return { ...candidate(file, place), inside };
}

/** Uses at most of one name in one file. */
const maxUses = 3;

async function usesOf(index: SymbolIndex, { symbols, isShown }: Around) {
  const defined = symbols.map(({ path, language, defined: definitions }) => ({
    path,
    language,
    names: [...new Set(definitions.filter(isWorthLooking(path)).map(({ name }) => name))],
  }));
  const { uses, incomplete } = await findUses(index, defined);
  const lists = uses.map((list) => {
    const counts = new Map<string, number>();
    return [...list].sort(callsFirst).flatMap((use): readonly ChainCandidate[] => {
      const { file, reference } = use;
      const key = `${file.path} ${reference.name}`;
      const count = counts.get(key) ?? 0;
      if (isShown(file.path, reference.line) || isImported(use) || count >= maxUses) return [];
      counts.set(key, count + 1);
      return [useOf(use)];
    });
  });
  const notes = incomplete === null ? [] : [`Not every use was looked for: ${reasons[incomplete]}.`];
  return { uses: alternate(lists), notes };
}

/** Short names, fields and a test's own constants have namesakes everywhere, and seldom a use that matters. */
function isWorthLooking(path: string): (definition: Definition) => boolean {
  const isTest = isTestPath(path);
  return ({ kind, name }) =>
    name.length > 2 && kind !== 'field' && !(isTest && (kind === 'constant' || kind === 'variable'));
}

const reasons = {
  limit: 'the names are too common',
  files: 'the names are too common',
  time: 'the search ran out of time',
  'no search': 'nothing can be searched here',
  searches: 'the change is too large to search the repository for all of it',
} as const;

function callsFirst(one: FoundUse, other: FoundUse): number {
  return Number(other.reference.call) - Number(one.reference.call);
}

function isImported({ file, reference }: FoundUse): boolean {
  return file.syntax.imports.some(({ line }) => line === reference.line);
}

function useOf({ file, reference }: FoundUse): ChainCandidate {
  const enclosing = enclosingOf(file.syntax, reference.line);
  return {
    ...candidate(file, {
      relation: isTestPath(file.path) ? 'test' : 'caller',
      symbol: reference.name,
      startLine: reference.line,
      endLine: reference.line,
      whole: null,
    }),
    inside: enclosing === null ? null : describeDefinition(enclosing),
  };
}

function importsOf({ symbols, isShown }: Around): readonly ChainCandidate[] {
  return symbols.flatMap(({ path, head, used }) => {
    const names = new Set(used.map(({ name }) => name));
    const imports = (head?.syntax.imports ?? []).filter((each) => each.names.some(({ local }) => names.has(local)));
    return imports.flatMap(({ line, source }) =>
      head === null || isShown(path, line)
        ? []
        : [candidate(head, { relation: 'import', symbol: source, startLine: line, endLine: line, whole: null })],
    );
  });
}

type Place = Pick<ChainCandidate, 'relation' | 'symbol' | 'startLine' | 'endLine'> & { readonly whole: number | null };

function candidate(file: IndexedFile, { whole, ...place }: Place): ChainCandidate {
  return {
    ...place,
    path: file.path,
    inside: null,
    lines: file.lines.slice(place.startLine - 1, place.endLine),
    body: whole === null || whole <= place.endLine ? [] : file.lines.slice(place.endLine, whole),
  };
}

function isFirst(all: readonly ChainCandidate[]): (one: ChainCandidate) => boolean {
  const first = new Map<string, ChainCandidate>();
  // A line may define or use several names.
  const key = ({ relation, path, startLine, symbol }: ChainCandidate) => `${relation} ${symbol} ${startLine} ${path}`;
  for (const each of all) if (!first.has(key(each))) first.set(key(each), each);
  return (one) => first.get(key(one)) === one;
}

export type ContextChain = MissingFromChain & {
  /** In the order in which they are rendered. */
  readonly entries: readonly ChainEntry[];
};

export type ChainOptions = {
  /** Tokens that the rendered chain takes at most. */
  readonly maxTokens: number;
  /** Only the heads of definitions, never their bodies. */
  readonly signaturesOnly: boolean;
};

/**
 * The code around a change that its diff does not show: definitions of what changed lines use, where what they define is used,
 * the tests among these, and the imports behind the names. One step from the change, the same for the same commits.
 */
export async function contextChain(
  index: SymbolIndex,
  { changes, ...options }: ChainOptions & { readonly changes: readonly ShownChange[] },
): Promise<ContextChain> {
  const symbols = [];
  for (const change of changes) {
    const found = await changedSymbols(index, change);
    if (found !== null) symbols.push(found);
  }
  const { candidates, namesakes, notes } = await chainCandidates(index, symbols);
  // Where there is little room a guess is not worth it: who gets only heads can ask for more.
  const worth = options.signaturesOnly ? candidates : [...candidates, ...namesakes];
  return { ...fitChain(worth, options), notes };
}

const limits = { files: 2, lines: 4 } as const;

/** Tests that are called after a changed file and do not stand among its uses yet, by their first few cases. */
async function testsOf(
  index: SymbolIndex,
  { symbols, covered }: { symbols: readonly ChangedSymbols[]; covered: ReadonlySet<string> },
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
