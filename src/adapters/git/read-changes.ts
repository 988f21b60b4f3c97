import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../core/errors.ts';
import type { ChangedFile } from '../../core/pull-request/changed-file.ts';
import { diffEntries } from '../../core/pull-request/diff-entries.ts';
import { examineFiles } from '../../core/pull-request/examine-files.ts';
import { parseDiff } from '../../core/pull-request/parse-diff.ts';
import type { Changes } from '../../core/pull-request/source.ts';
import type { Repository } from '../../core/repository/repository.ts';
import { patchCutter } from './patch-sections.ts';
import type { PinnedCommits } from './read-repository.ts';
import { type Git, GitError } from './run-git.ts';

/** Bytes of patch text that are read. A million changed lines take about half of it. */
const maxPatchBytes = 100_000_000;

/** The diff merge-base..head, every option said: nothing is left to configuration or to the git's version. */
export async function readChanges({ git, commits, repository }: ChangesOptions): Promise<Changes> {
  const [raw, numstat, patch] = await Promise.all([
    diffTree({ git, commits, format: ['--raw', '-z', '--no-abbrev'] }),
    diffTree({ git, commits, format: ['--numstat', '-z'] }),
    readPatch(git, commits),
  ]);
  const paths = diffEntries({ raw, numstat: '' }).flatMap(({ path, oldPath }) =>
    path === oldPath ? [path] : [path, oldPath],
  );
  // Without attributes more is reviewed, which is the safe side.
  const marked = (await hasAttributes(repository))
    ? await markedPaths({ git, commit: commits.base, paths }).catch(() => unmarked)
    : unmarked;
  const parsed = parseDiff({ raw, numstat, patch: patch.sections, ...marked });
  const files = await examineFiles(parsed, { repository });
  return { files, missing: patch.cut ? [cutSentence(files)] : [] };
}

/** The diff from one commit to another, both here. Attributes do not matter for it. */
export async function readDiffBetween(options: {
  readonly git: Git;
  readonly from: string;
  readonly to: string;
}): Promise<readonly ChangedFile[]> {
  const { git, from, to } = options;
  const commits = { mergeBase: from, head: to };
  const [raw, numstat, patch] = await Promise.all([
    diffTree({ git, commits, format: ['--raw', '-z', '--no-abbrev'] }),
    diffTree({ git, commits, format: ['--numstat', '-z'] }),
    readPatch(git, commits),
  ]);
  return parseDiff({ raw, numstat, patch: patch.sections, generated: new Set() });
}

type Ends = Pick<PinnedCommits, 'mergeBase' | 'head'>;

export type ChangesOptions = {
  readonly git: Git;
  readonly commits: PinnedCommits;
  /** Lists the base commit, which the rules need as well. */
  readonly repository: Repository;
};

// Most repositories have none: two children less for them.
async function hasAttributes(repository: Repository): Promise<boolean> {
  const entries = await repository.listFiles('base');
  return entries.some(({ path }) => path === '.gitattributes' || path.endsWith('/.gitattributes'));
}

const patchFormat = [
  ...['-p', '--unified=3', '--inter-hunk-context=0', '--full-index', '--src-prefix=a/', '--dst-prefix=b/'],
  ...['--no-color', '--submodule=short', '--diff-algorithm=default'],
];

// Comparing every deleted with every added file is quadratic: beyond 400 of each only exact renames are found.
const comparison = [
  ...['-r', '--find-renames', '-l400', '--no-relative', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none'],
];

async function diffTree(options: {
  readonly git: Git;
  readonly commits: Ends;
  readonly format: readonly string[];
}): Promise<string> {
  const { git, commits, format } = options;
  const { stdout } = await git.run(diffArguments(commits, format)).catch(explained);
  return stdout.toString('utf8');
}

async function readPatch(
  git: Git,
  commits: Ends,
): Promise<{ readonly sections: readonly string[]; readonly cut: boolean }> {
  const cutter = patchCutter(maxPatchBytes);
  const { stopped } = await git.run(diffArguments(commits, patchFormat), { onOutput: cutter.push }).catch(explained);
  return { sections: cutter.sections(), cut: stopped !== null };
}

function diffArguments(commits: Ends, format: readonly string[]): readonly string[] {
  return ['diff-tree', ...comparison, ...format, commits.mergeBase, commits.head, '--'];
}

function explained(cause: unknown): never {
  // Without an exit code git was cancelled: that is no matter of the clone.
  if (!(cause instanceof GitError) || cause.exitCode === null) throw cause;
  const hint = 'If the clone is partial, fetch the files it lacks first: git fetch --refetch --no-filter.';
  throw new UserError('git could not compute the diff.', { hint, cause });
}

function cutSentence(files: Changes['files']): string {
  const incomplete = files.filter((file) => file.incomplete !== null).length;
  return `The diff is larger than ${maxPatchBytes / 1_000_000} MB: of ${incomplete} files not every hunk was read.`;
}

export type MarkedPaths = { readonly generated: ReadonlySet<string>; readonly vendored: ReadonlySet<string> };

const unmarked: MarkedPaths = { generated: new Set(), vendored: new Set() };

/**
 * The paths that the attributes of `commit` mark as `linguist-generated` and `linguist-vendored`. It is the base commit: a pull request must not
 * hide its files by its own `.gitattributes`.
 *
 * Through an index of its own, because `check-attr --source` came with git 2.40.
 */
export async function markedPaths(options: {
  readonly git: Git;
  readonly commit: string;
  readonly paths: readonly string[];
}): Promise<MarkedPaths> {
  const { git, commit, paths } = options;
  if (paths.length === 0) return unmarked;
  const index = join(git.directory, `index-${randomUUID()}`);
  const command = { indexFile: index };
  try {
    await git.run(['read-tree', commit], command);
    const args = ['check-attr', '--cached', '--stdin', '-z', 'linguist-generated', 'linguist-vendored'];
    const { stdout } = await git.run(args, { ...command, input: paths.map((path) => `${path}\0`).join('') });
    return markedIn(stdout.toString('utf8'));
  } finally {
    await rm(index, { force: true });
  }
}

// Records of <path> NUL <attribute> NUL <value> NUL.
function markedIn(output: string): MarkedPaths {
  const fields = output.split('\0');
  const generated = new Set<string>();
  const vendored = new Set<string>();
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const value = fields[index + 2];
    const marked = fields[index + 1] === 'linguist-generated' ? generated : vendored;
    if (value === 'set' || value === 'true') marked.add(fields[index] ?? '');
  }
  return { generated, vendored };
}
