import type { Definition, DefinitionKind } from '../languages/syntax.ts';
import type { ShownLine } from '../repository/shown.ts';
import { type ChainCandidate, type ChainEntry, fitChain, type MissingFromChain } from './chain-text.ts';
import {
  type ChangedSymbols,
  changedSymbols,
  describeDefinition,
  type ShownChange,
  withHeadings,
} from './changed-symbols.ts';
import { documentsOf } from './documents.ts';
import { type FoundDefinition, findDefinitions, innermost } from './find-definitions.ts';
import { type FoundUse, findUses } from './find-uses.ts';
import { withSurroundings } from './hunk-surroundings.ts';
import { isTestPath } from './paths.ts';
import { enclosingOf } from './scopes.ts';
import { alternate, type SymbolIndex, type UsedName } from './symbol-index.ts';
import { testOf, testsOf } from './test-cases.ts';

export type ContextChain = MissingFromChain & {
  /** In the order in which they are rendered. */
  readonly entries: readonly ChainEntry[];
};

/**
 * Tokens at most, for what the diff does not show, and of them for what its hunks stand in. Code elsewhere gets more the more there is to
 * review: a small change is read in few tokens, or not at all. `names` is kept for the names of what does not fit, and for notes.
 */
const contextTokens = { all: 6_000, around: 4_000, elsewhere: 800, perToken: 2, names: 300 } as const;

/** All that is shown beside a change: its hunks with what they stand in, each headed by it, and the code that they use and are used by. */
export async function contextOf<Change extends ShownChange>(
  index: SymbolIndex | null,
  changes: readonly Change[],
): Promise<{ readonly changes: readonly Change[]; readonly chain: ContextChain }> {
  const surrounded = await withSurroundings(index, changes, contextTokens.around);
  const headed = [];
  for (const change of surrounded.changes) headed.push({ ...change, hunks: await withHeadings(index, change) });
  const { left, tokens } = surrounded;
  if (index === null) return { changes: headed, chain: { entries: [], left, notes: [] } };
  const characters = changes.flatMap(({ hunks }) =>
    hunks.flatMap(({ lines }) => lines.map(({ length }) => length + 10)),
  );
  const diff = characters.reduce((sum, each) => sum + each, 0) / charactersPerToken;
  const elsewhere = contextTokens.elsewhere + Math.floor(diff * contextTokens.perToken);
  const maxTokens = Math.min(contextTokens.all - contextTokens.names - tokens, elsewhere);
  return { changes: headed, chain: await contextChain(index, { changes: surrounded.changes, maxTokens, left }) };
}

const charactersPerToken = 3.3;

type ChainOptions = {
  readonly changes: readonly ShownChange[];
  /** Tokens that the rendered chain takes at most. */
  readonly maxTokens: number;
  /** What of the changes themselves is not shown: named with what does not fit. */
  readonly left?: readonly string[];
};

/**
 * The code around a change that its diff does not show: definitions of what changed lines use, where what they define is used, and
 * the tests among these. One step from the change, the same for the same commits.
 */
export async function contextChain(
  index: SymbolIndex,
  { changes, maxTokens, left = [] }: ChainOptions,
): Promise<ContextChain> {
  const symbols = [];
  for (const change of changes) {
    const found = await changedSymbols(index, change);
    if (found !== null) symbols.push(found);
  }
  const shown = new Map(symbols.map((each) => [each.path, each.shown]));
  const around: Around = { symbols, isShown: (path, line) => shown.get(path)?.has(line) ?? false };
  const [definitions, { uses, tests, notes }] = await Promise.all([
    definitionsOf(index, around),
    usesOf(index, around),
  ]);
  const named = await testsOf(index, {
    symbols,
    covered: new Set(uses.map(({ path }) => path)),
    value: worth.test / 2,
  });
  const documents = await documentsOf(index, { changes, symbols, value: worth.document });
  const all = [...definitions, ...uses, ...tests, ...named, ...documents];
  const fitted = fitChain(all.filter(isFirst(all)), maxTokens);
  return { entries: fitted.entries, left: [...left, ...fitted.left], notes };
}

type Around = {
  readonly symbols: readonly ChangedSymbols[];
  readonly isShown: (path: string, line: number) => boolean;
};

/**
 * How much a place is worth to a reader, to be compared: what callers have to keep to first, then what changed lines call, then who
 * relies on them. What comes later in its kind is worth less, so that no kind takes all the room.
 */
const worth = {
  head: 110,
  call: 100,
  use: 75,
  guess: 25,
  contract: 95,
  caller: 75,
  document: 60,
  test: 40,
  inTest: -40,
  later: 1,
} as const;

/** Names at most of one file, and places of a member: whose is meant often only types would tell. */
const maxNames = 60;
const maxNamesakes = 3;

async function definitionsOf(index: SymbolIndex, { symbols, isShown }: Around): Promise<readonly ChainCandidate[]> {
  const wanted = symbols.flatMap(({ head, used }) =>
    head === null ? [] : [{ from: head, names: used.slice(0, maxNames) }],
  );
  const found = await findDefinitions(index, wanted);
  const lists = wanted.map(({ from, names }, at) => {
    const isTest = isTestPath(from.path) ? worth.inTest : 0;
    return names.flatMap((used, place) => {
      const there = found[at]?.get(used.name) ?? [];
      // What the diff shows needs no second place in the prompt, and no namesake from elsewhere.
      if (there.some(({ file, definition }) => isShown(file.path, definition.startLine))) return [];
      return there
        .filter(isTold)
        .slice(0, used.member ? maxNamesakes : 1)
        .map((each, at) => {
          const value = at === 0 && !each.guess ? worthOf(used) : worth.guess;
          return definitionOf(each, value + isTest - worth.later * place);
        });
    });
  });
  return alternate(lists);
}

/** A field tells little beside its type: not where only its name is the same, nor that of a value inside a function. */
function isTold({ file, definition, guess }: FoundDefinition): boolean {
  if (definition.kind !== 'field') return true;
  const holds = ({ name, kind, startLine, endLine }: Definition) =>
    valued.has(kind) &&
    name === innermost(definition) &&
    startLine <= definition.startLine &&
    definition.endLine <= endLine;
  return !guess && !file.syntax.definitions.some(holds);
}

const valued: ReadonlySet<DefinitionKind> = new Set(['function', 'method', 'constant', 'variable']);

function worthOf({ inHead, call }: UsedName): number {
  if (inHead) return worth.head;
  return call ? worth.call : worth.use;
}

function definitionOf({ file, definition }: FoundDefinition, value: number): ChainCandidate {
  const { name: symbol, container: inside, startLine, signatureEndLine, endLine } = definition;
  return {
    ...{ relation: 'definition', path: file.path, symbol, inside, startLine, endLine: signatureEndLine },
    wholeEnd: endLine,
    lines: file.lines.slice(startLine - 1, signatureEndLine),
    body: file.lines.slice(signatureEndLine, endLine),
    worth: value,
  };
}

/** Uses at most of one name in one file. */
const maxUses = 3;

async function usesOf(index: SymbolIndex, { symbols, isShown }: Around) {
  const defined = symbols.map(({ path, language, defined: changed }) => {
    const definitions = changed.map(({ definition }) => definition);
    return { path, language, definitions: definitions.filter(isWorthLooking(path)) };
  });
  const { uses, incomplete } = await findUses(index, defined);
  const lists = uses.map((list, at) => {
    const contracts = new Set(
      symbols[at]?.defined.flatMap(({ definition, contract }) => (contract ? [definition.name] : [])),
    );
    const counts = new Map<string, number>();
    return [...list].sort(callsFirst).flatMap((use) => {
      const { file, reference } = use;
      const key = `${file.path} ${reference.name}`;
      const count = counts.get(key) ?? 0;
      if (isShown(file.path, reference.line) || isImported(use) || isPassedOn(use) || count >= maxUses) return [];
      counts.set(key, count + 1);
      return [{ use, value: (contracts.has(reference.name) ? worth.contract : worth.caller) - 10 * count }];
    });
  });
  const ranked = alternate(lists).map(({ use, value }, place) => ({ use, value: value - worth.later * place }));
  const isTest = ({ use }: { use: FoundUse }) => isTestPath(use.file.path);
  return {
    uses: ranked.filter((each) => !isTest(each)).map(({ use, value }) => callerOf(use, value)),
    tests: ranked.filter(isTest).flatMap(({ use }, place) => testOf(use, worth.test - worth.later * place)),
    notes: incomplete === null ? [] : [`Not every use was looked for: ${reasons[incomplete]}.`],
  };
}

/** Short names, fields and a test's own constants have namesakes everywhere, and seldom a use that matters. */
function isWorthLooking(path: string): (definition: { readonly kind: string; readonly name: string }) => boolean {
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

/** `export default total;`, `module.exports = total` and a name alone in a list: who uses it stands elsewhere. */
function isPassedOn({ file, reference }: FoundUse): boolean {
  const text = (file.lines[reference.line - 1]?.text ?? '').slice(0, 200).trim();
  return /^(?:export (?:default )?[\w$]+;?|export \{[^()]*|(?:module\.)?exports\b[^()]*|[\w$]+,?)$/.test(text);
}

function callerOf({ file, reference }: FoundUse, value: number): ChainCandidate {
  const enclosing = enclosingOf(file.syntax, reference.line);
  const { start, end } = statementAround(file.lines, reference.line);
  return {
    ...{ relation: 'caller', path: file.path, symbol: reference.name, startLine: start, endLine: end, wholeEnd: null },
    inside: enclosing === null ? null : describeDefinition(enclosing),
    lines: file.lines.slice(start - 1, end),
    body: [],
    worth: value,
  };
}

/** Of a statement, before and behind the line that matters. */
const maxStatement = 4;

/** The lines of a statement, as far as brackets and the ends of lines tell: half a call says little. */
function statementAround(lines: readonly ShownLine[], line: number): { readonly start: number; readonly end: number } {
  const textAt = (at: number) => (lines[at - 1]?.text ?? '').slice(0, 200);
  let [start, end] = [line, line];
  while (start > 1 && line - start < maxStatement && goesOn(textAt(start - 1), textAt(start))) start -= 1;
  let open = depth(textAt(line));
  while (end < lines.length && end - line < maxStatement && (open > 0 || goesOn(textAt(end), textAt(end + 1)))) {
    end += 1;
    open += depth(textAt(end));
  }
  return { start, end };
}

function depth(text: string): number {
  return text.split('(').length - text.split(')').length;
}

function goesOn(one: string, next: string): boolean {
  return /(?:[(=+?|]|=>|&&)\s*$/.test(one) || /^\s*(?:[.?:]|&&|\|\|)/.test(next);
}

function isFirst(all: readonly ChainCandidate[]): (one: ChainCandidate) => boolean {
  const first = new Map<string, ChainCandidate>();
  // A line may define or use several names; a test is named once.
  const key = ({ relation, path, startLine, symbol }: ChainCandidate) =>
    `${relation} ${relation === 'test' ? '' : symbol} ${startLine} ${path}`;
  for (const each of all) if (!first.has(key(each))) first.set(key(each), each);
  return (one) => first.get(key(one)) === one;
}
