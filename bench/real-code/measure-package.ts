import { temporaryFolder } from '../../__tests__/fakes/memory-repository.ts';
import { git } from '../../__tests__/fakes/world/git.ts';
import { openRepository } from '../../src/adapters/git/open-repository.ts';
import { estimateTokens } from '../../src/core/agent/estimate.ts';
import { renderChain } from '../../src/core/context/chain-text.ts';
import { contextOf } from '../../src/core/context/context-chain.ts';
import { symbolIndex } from '../../src/core/context/symbol-index.ts';
import type { Syntax } from '../../src/core/languages/syntax.ts';
import { type ChangedFile, type Hunk, hunkLines, renderHunk } from '../../src/core/pull-request/changed-file.ts';
import { importCommits } from '../import-commits.ts';
import type { SourceText } from './fetch-package.ts';
import type { Oracle, Target } from './oracle.ts';
import type { SimulatedChange } from './simulate.ts';

/** What the context of one pull request holds of what its reader looks up. */
export type Measured = {
  readonly wanted: readonly Target[];
  readonly missed: readonly Target[];
  /** One line for each file that calls what was changed; null where the oracle cannot tell. */
  readonly callers: { readonly wanted: readonly Target[]; readonly missed: readonly Target[] } | null;
  readonly milliseconds: number;
  readonly tokens: number;
};

type Measuring = {
  readonly files: readonly SourceText[];
  readonly changes: readonly SimulatedChange[];
  readonly oracle: Oracle;
  readonly syntax: Syntax;
};

/** Pull requests on a package, in a git repository of their own, as a review finds them. */
export async function measurePackage({ files, changes, oracle, syntax }: Measuring): Promise<readonly Measured[]> {
  const directory = temporaryFolder();
  const originals = new Map(files.map((file) => [file.path, file]));
  const restored = (change: SimulatedChange | undefined) =>
    (change?.before ?? []).flatMap(({ path }) => originals.get(path) ?? []);
  await importCommits(directory, [
    { branch: 'head', files },
    ...changes.map((change, at) => ({
      branch: `before-${at}`,
      files: [...restored(changes[at - 1]), ...change.before],
    })),
  ]);
  const head = await git(directory, ['rev-parse', 'head']);
  const measured: Measured[] = [];
  for (const [at, change] of changes.entries()) {
    const base = await git(directory, ['rev-parse', `before-${at}`]);
    const opened = await openRepository({
      checkout: directory,
      remote: null,
      commits: { base, head, mergeBase: base },
      pullRequestNumber: null,
      temporaryFolder: temporaryFolder(),
      environment: process.env,
      signal: new AbortController().signal,
    });
    try {
      const { files: changed } = await opened.changes();
      const wanted = wantedBy(change, { oracle, changed });
      const calling = callersOf(change, { oracle, changed });
      const { repository, search } = opened;
      const now = () => performance.now();
      const index = symbolIndex({ repository, search, syntax, isDenied: () => null, now });
      const start = now();
      const shown = changed.map((file) => ({ file, hunks: file.hunks }));
      const context = await contextOf(index, shown);
      const milliseconds = now() - start;
      measured.push({
        wanted,
        missed: wanted.filter((target) => !holds(context, target)),
        callers: calling === null ? null : { wanted: calling, missed: calling.filter((each) => !holds(context, each)) },
        milliseconds,
        tokens: contextTokens(shown, context),
      });
    } finally {
      await opened.close();
    }
  }
  return measured;
}

type Judging = { readonly oracle: Oracle; readonly changed: readonly ChangedFile[] };

/** Definitions that changed lines use and that the diff does not show, each once. */
function wantedBy({ bodies }: SimulatedChange, { oracle, changed }: Judging): readonly Target[] {
  return unseen(
    bodies.flatMap((body) => oracle.uses(body)),
    changed,
  );
}

const callersAFile = 1;
const filesAFunction = 5;

/** Calls of what was changed that the diff does not show: the first in each of a few files, since nobody reads a hundred. */
function callersOf({ bodies }: SimulatedChange, { oracle, changed }: Judging): readonly Target[] | null {
  const { callers } = oracle;
  if (callers === null) return null;
  return bodies.flatMap((body) => {
    const byFile = new Map<string, number>();
    const firsts = unseen(callers(body), changed).filter(({ path, name }) => {
      const count = (byFile.get(`${name} ${path}`) ?? 0) + 1;
      byFile.set(`${name} ${path}`, count);
      return count <= callersAFile;
    });
    return firsts.slice(0, filesAFunction);
  });
}

function unseen(targets: readonly Target[], changed: readonly ChangedFile[]): readonly Target[] {
  const shown = linesOf(changed.map((file) => ({ file, hunks: file.hunks })));
  const places = new Map(targets.map((each) => [`${each.path}:${each.line}`, each]));
  return [...places].filter(([place]) => !shown.has(place)).map(([, target]) => target);
}

type Change = { readonly file: ChangedFile; readonly hunks: readonly Hunk[] };
type Context = Awaited<ReturnType<typeof contextOf<Change>>>;

function linesOf(changes: readonly Change[]): ReadonlySet<string> {
  return new Set(
    changes.flatMap(({ file, hunks }) =>
      hunks.flatMap((hunk) => [...hunkLines(hunk)].map(({ newLine }) => `${file.path}:${newLine}`)),
    ),
  );
}

/** Whether a reader of the context sees a line. */
export function holds({ changes, chain }: Context, { path, line }: { path: string; line: number }): boolean {
  const isIn = (from: number, count: number) => from <= line && line < from + count;
  return (
    chain.entries.some((entry) => entry.path === path && isIn(entry.startLine, entry.lines.length)) ||
    changes.some(
      ({ file, hunks }) => file.path === path && hunks.some(({ newStart, newLines }) => isIn(newStart, newLines)),
    )
  );
}

/** What the context adds to the prompt: the chain, and the lines around the hunks. */
export function contextTokens(before: readonly Change[], { changes, chain }: Context): number {
  const diff = (all: readonly Change[]) =>
    estimateTokens(all.flatMap(({ hunks }) => hunks.map((hunk) => renderHunk(hunk))).join('\n'));
  const { entries, ...missing } = chain;
  return estimateTokens(renderChain(entries, missing)) + diff(changes) - diff(before);
}
