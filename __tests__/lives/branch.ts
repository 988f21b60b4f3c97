import { type CodeFile, type Func, type Line, plain, ruleTrap, type Tree } from './code.ts';
import { type Commit, commitOf, mergeBaseOf, numbered, type Unnamed } from './commits.ts';

type Change = (tree: Tree) => Tree;

/** The repository of one pull request: main, and the branch that is to be merged into it. */
export class Branch {
  readonly #main: Commit[];
  /** What each commit of main changed: a rebase does the same to the branch. */
  readonly #changes: Change[] = [];
  readonly #earlier: Commit[] = [];
  readonly #name: (commit: Unnamed) => string;
  #ids = 0;
  #head: Commit;
  #ref = 'main';
  /** Calls that the last review raised, by their ids: what an author sees. */
  raised: readonly number[] = [];

  constructor(start = startTree, name = numbered()) {
    this.#name = name;
    this.#main = [this.#commit(start(this.nextId), [])];
    this.#head = this.base;
  }

  readonly nextId = (): number => ++this.#ids;

  #commit(tree: Tree, parents: readonly Commit[]): Commit {
    return commitOf(tree, parents, this.#name);
  }

  get head(): Commit {
    return this.#head;
  }

  get ref(): string {
    return this.#ref;
  }

  /** Of the branch that it is to be merged into: the release is where main began. */
  get base(): Commit {
    const line = this.#line;
    return line[line.length - 1] ?? this.#head;
  }

  get #line(): readonly Commit[] {
    return this.#ref === 'main' ? this.#main : this.#main.slice(0, 1);
  }

  get mergeBase(): Commit {
    return mergeBaseOf(this.#line, this.#head);
  }

  /** Heads that were pushed before, the newest last. */
  get earlier(): readonly Commit[] {
    return this.#earlier;
  }

  #move(head: Commit): void {
    this.#earlier.push(this.#head);
    this.#head = head;
  }

  push(tree: Tree): void {
    this.#move(this.#commit(tree, [this.#head]));
  }

  forceTo(commit: Commit): void {
    this.#move(commit);
  }

  /** One commit in the place of all, with the same code or another. */
  squash(tree: Tree = this.#head.tree): void {
    this.#move(this.#commit(tree, [mergeBaseOf(this.#main, this.#head)]));
  }

  moveMain(change: Change): void {
    const last = this.#main.at(-1);
    if (last === undefined) return;
    this.#main.push(this.#commit(change(last.tree), [last]));
    this.#changes.push(change);
  }

  /** The code of the branch with all that main went through since. */
  #onMain(): Tree {
    const at = this.#main.indexOf(mergeBaseOf(this.#main, this.#head));
    return this.#changes.slice(at).reduce((tree, change) => change(tree), this.#head.tree);
  }

  rebase(): void {
    this.#move(this.#commit(this.#onMain(), this.#main.slice(-1)));
  }

  mergeMain(): void {
    this.#move(this.#commit(this.#onMain(), [this.#head, ...this.#main.slice(-1)]));
  }

  retarget(): void {
    this.#ref = this.#ref === 'main' ? 'release' : 'main';
  }
}

export const trapNames =
  'kestrel heron osprey plover curlew bittern dunlin egret fulmar gannet hoopoe jackdaw lapwing merlin nuthatch oriole petrel quail redshank siskin'.split(
    ' ',
  );

export const functionNames =
  'alder birch cedar dogwood elder fir ginkgo hazel ivy juniper larch maple oak pine rowan spruce teak willow yew zelkova'.split(
    ' ',
  );

/** Plain lines of a function, which no other function has. */
export function bodyOf(name: string): readonly Line[] {
  return [
    plain(`const ${name}_size = input.length;`),
    plain(`const ${name}_first = input[0];`),
    plain(`report('${name}', ${name}_size, ${name}_first);`),
    plain('return input;'),
  ];
}

/** A function of plain lines, with these in the middle. */
export function functionWith(name: string, lines: readonly Line[] = []): Func {
  const body = bodyOf(name);
  return { name, lines: [...body.slice(0, 2), ...lines, ...body.slice(2)] };
}

const rule = `---
id: no-legacy
title: ${ruleTrap}() is on its way out
severity: warning
category: bug
pattern: '\\b${ruleTrap}\\(input\\)'
---
Call something else.
`;

/** What main begins with: two files of guarded calls, one that is documentation, and a rule. */
export function startTree(nextId: () => number): Tree {
  const guarded = (name: string, trap: string) =>
    functionWith(name, [
      { kind: 'guard', name: trap },
      { kind: 'trap', name: trap, id: nextId() },
    ]);
  const code = (...functions: readonly Func[]): CodeFile => ({ functions });
  return new Map<string, CodeFile | string>([
    ['.postil/rules/no-legacy.md', rule],
    ['docs/guide.md', '# Guide\n'],
    ['src/a.ts', code(guarded('alder', 'kestrel'), functionWith('birch'), functionWith('cedar'))],
    ['src/b.ts', code(guarded('dogwood', 'heron'), functionWith('elder'))],
    ['src/c.ts', code(functionWith('fir'), functionWith('ginkgo'))],
  ]);
}
