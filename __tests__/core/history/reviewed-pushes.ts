import { changedNames } from '../../../src/core/context/changed-names.ts';
import { heldReceipts } from '../../../src/core/history/receipts/held-receipts.ts';
import { type ReadBatch, receiptsAfter } from '../../../src/core/history/receipts/make-receipts.ts';
import type { Readings } from '../../../src/core/history/receipts/receipts.ts';
import { narrowToScope, type Standing } from '../../../src/core/history/scope.ts';
import type { State } from '../../../src/core/history/state.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import type { FileContent } from '../../../src/core/repository/repository.ts';
import { past, stateOf } from '../../fakes/earlier-rounds.ts';
import { blobOf, diffOf, MemoryCommits, type Tree } from '../../fakes/memory-commits.ts';

/** What a run is about, and what its model did. */
export type Run = {
  readonly base: Tree;
  /** What the branch makes of the base. */
  readonly change: Tree;
  /** Path → what the conversation about it read; the files of one conversation by the same key. */
  readonly reads?: Readonly<Record<string, readonly string[]>>;
  readonly together?: boolean;
  readonly settings?: string;
  readonly more?: Partial<{
    incremental: boolean;
    isUnsigned: boolean;
    cut: readonly string[];
    unproven: readonly string[];
    /** Paths whose batch does not approve, and those of them about which nothing is open. */
    unapproved: readonly string[];
    doubted: readonly string[];
    approves: boolean;
  }>;
};

export type Told = {
  readonly why: Standing['why'];
  /** Path → what is looked at: all, hunks, or nothing. */
  readonly looked: Readonly<Record<string, string>>;
  readonly beneath: Readonly<Record<string, readonly string[]>>;
};

/** A pull request whose pushes are reviewed one after the other by a model that reads all that it is shown. */
export function pullRequest() {
  const commits = new MemoryCommits();
  let state: State | null = null;
  let count = 0;
  const review = async (run: Run): Promise<Told> => {
    count += 1;
    const { base, change, settings = 'basis', more = {} } = run;
    const head = without({ ...base, ...change });
    const [mergeBase, headHash] = [
      commits.commit(`base ${JSON.stringify(base)}`, base),
      commits.commit(`${count}`, head),
    ];
    const files = diffOf(base, head);
    const standing = await heldReceipts(
      {
        ...{ incremental: more.incremental ?? true, state, isUnsigned: more.isUnsigned ?? false, basis: settings },
        ...{ head: headHash, mergeBase, files },
      },
      {
        seal: past.seal,
        changesBetween: commits.changesBetween,
        readHead: async (path): Promise<FileContent> => contentAt(head, path),
        namesOf: (file) => changedNames(null, file),
      },
    );
    const narrowed = narrowToScope(files, { standing, approves: more.approves ?? false });
    const readings = await receiptsAfter(
      {
        ...{
          earlier: state?.readings ?? null,
          standing,
          basis: settings,
          files,
          batches: batchesOf(run, narrowed.kept),
        },
        reviewed: new Set(narrowed.kept.map(({ path }) => path).filter((path) => more.cut?.includes(path) !== true)),
        narrowed: new Set(narrowed.narrowed),
        unproven: new Set(more.unproven),
        doubted: new Set(more.doubted),
        isApproved: more.unapproved === undefined && more.cut === undefined,
      },
      {
        seal: past.seal,
        blobs: async (paths) => paths.map((path) => (head[path] === undefined ? null : blobOf(head[path]))),
      },
    );
    state = stateOf({ head: headHash, mergeBase, settings, ...(readings === null ? {} : { readings }) });
    return { why: standing.why, looked: lookedAt(files, narrowed), beneath: beneathOf(standing) };
  };
  return {
    review,
    commits,
    readings: (): Readings | null => state?.readings ?? null,
    forgetHead: () => commits.forget(`${count}`),
  };
}

export function without(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).filter(([, text]) => text !== gone));
}

/** Of a file that is deleted. */
export const gone = '(gone)';

function contentAt(tree: Tree, path: string): FileContent {
  const text = tree[path];
  if (text === undefined) return { kind: 'unreadable', reason: 'missing', bytes: null };
  return { kind: 'text', text, bytes: text.length };
}

function batchesOf(
  { reads = {}, together = false, more = {} }: Run,
  kept: readonly ChangedFile[],
): readonly ReadBatch[] {
  const batchOf = (paths: readonly string[]): ReadBatch => ({
    paths,
    isWhole: !paths.some((path) => more.cut?.includes(path)),
    approves: !paths.some((path) => more.unapproved?.includes(path)),
    read: paths.flatMap((path) => reads[path] ?? []),
  });
  const paths = kept.map(({ path }) => path);
  return together ? [batchOf(paths)] : paths.map((path) => batchOf([path]));
}

function lookedAt(files: readonly ChangedFile[], { earlier, narrowed }: ReturnType<typeof narrowToScope>) {
  const how = (path: string) => (earlier.includes(path) ? 'nothing' : narrowed.includes(path) ? 'hunks' : 'all');
  return Object.fromEntries(files.map(({ path }) => [path, how(path)]));
}

function beneathOf({ files }: Standing): Told['beneath'] {
  return Object.fromEntries(
    [...files].flatMap(([path, one]) => (one.kind === 'rests on' ? [[path, one.changed]] : [])),
  );
}

export const lines = (name: string, count = 40) => Array.from({ length: count }, (_, at) => `${name} ${at + 1};\n`);
export const text = (name: string, changes: Readonly<Record<number, string>> = {}) =>
  lines(name)
    .map((line, at) => (changes[at + 1] === undefined ? line : `${changes[at + 1]}\n`))
    .join('');

export const base = { 'a.x': text('a'), 'b.x': text('b'), 'lib.x': 'old lib\n', 'far.x': 'far\n' };
export const a = text('a', { 5: 'first', 30: 'second' });
export const change = { 'a.x': a, 'b.x': text('b', { 5: 'def total()' }) };
export const first: Run = { base, change, reads: { 'a.x': ['lib.x'] } };
