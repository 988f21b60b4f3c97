import { copyFile, mkdir, readdir, readFile, realpath, stat, utimes } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import type { BareRepository } from './bare-repository.ts';
import { type Checkout, heldOf } from './checkout.ts';
import {
  asVariables,
  configurationEnvironment,
  type Environment,
  readingEnvironment,
  type Setting,
} from './environment.ts';
import { createGit, type Git, textsOf } from './git.ts';
import { addWorkTree, sentenceOf } from './work-tree-files.ts';

/** Settings that decide whether a file differs from what is staged. None of them starts a program. */
const comparing =
  '^core\\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|sparsecheckout|sparsecheckoutcone)$';

/**
 * How the person's git reads a work tree: line endings, file modes, and the file of what is ignored everywhere. From the machine's
 * configuration and the repository's, by `git config`, which starts nothing.
 */
async function personalSettings({ checkout, environment, signal }: SnapshotOptions): Promise<readonly Setting[]> {
  const directory = checkout.gitDirectory;
  const git = createGit({ directory, environment: configurationEnvironment(environment, directory), signal });
  const ask = async (args: readonly string[]) =>
    textsOf(await git.read(['config', '--null', ...args], { accept: [1] }));
  const [compared, excludes] = await Promise.all([
    ask(['--get-regexp', comparing]),
    ask(['--type=path', '--get', 'core.excludesFile']),
  ]);
  const settings = compared.map((record) => {
    const end = record.indexOf('\n');
    // A key without a value is a true one.
    return end === -1 ? ([record, 'true'] as const) : ([record.slice(0, end), record.slice(end + 1)] as const);
  });
  const ignore = excludes.at(-1) ?? usualIgnoreFile(environment);
  return [...settings, ...(ignore === null ? [] : [['core.excludesFile', ignore] as const])];
}

function usualIgnoreFile(environment: Environment): string | null {
  const { XDG_CONFIG_HOME: configuration = '', HOME: home = '' } = environment;
  if (configuration !== '') return join(configuration, 'git', 'ignore');
  return home === '' ? null : join(home, '.config', 'git', 'ignore');
}

type SnapshotOptions = {
  /** Takes the new objects; it borrows those of the checkout. */
  readonly bare: BareRepository;
  readonly checkout: Checkout;
  readonly workTree: string;
  /** What is staged alone, instead of the files as they lie in the work tree. */
  readonly stagedOnly: boolean;
  /** The commit that the work tree stands on. */
  readonly parent: string;
  readonly temporaryFolder: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
};

export type Snapshot = {
  /** A commit on `parent`, in the bare repository alone. */
  readonly commit: string;
  /** Files that differ from `parent`. */
  readonly files: number;
};

/**
 * Writes down what is not committed, as a commit that only Postil's own repository has. Works on a copy of the index under a configuration of
 * its own, so nothing that the person's repository names is started: no filter, hook or file system monitor. Null when nothing differs.
 */
export async function takeSnapshot(
  options: SnapshotOptions,
): Promise<{ readonly snapshot: Snapshot | null; readonly leftOut: readonly string[] }> {
  const { bare, checkout, stagedOnly, parent } = options;
  const [git] = await Promise.all([gitOverCopy(options), copyIndex(options)]);
  const way = relative(await realpath(options.workTree), await realpath(options.temporaryFolder));
  // As git writes paths, on Windows too.
  const temporary = way.replaceAll(sep, '/');
  const left = stagedOnly ? [] : await addWorkTree(git, { workTree: options.workTree, temporary });
  const conflicts = await settleConflicts(git);
  const tree = await git.line(['write-tree', '--missing-ok']);
  const merged = stagedOnly ? [] : await mergedHeads(bare.git, checkout);
  const leftOut = sentenceOf([...left, ...conflicts.map((path) => ({ path, why: 'in conflict' }))]);
  if (merged.length === 0 && tree === (await git.line(['rev-parse', `${parent}^{tree}`]))) {
    return { snapshot: null, leftOut };
  }
  const parents = [parent, ...merged].flatMap((commit) => ['-p', commit]);
  const commit = await git.line([...asNobody, 'commit-tree', tree, ...parents, '-m', 'Uncommitted changes']);
  const output = await git.read(['diff-tree', '-r', '-M', '-z', '--name-only', parent, commit, '--']);
  return { snapshot: { commit, files: textsOf(output).length }, leftOut };
}

/** As `git blame` calls whoever has not committed. */
const asNobody = ['-c', 'user.name=Not Committed Yet', '-c', 'user.email=not.committed.yet'];

/** A commit without a file: what a first commit is compared with. */
export async function emptyCommit(git: Git): Promise<string> {
  const tree = await git.read(['hash-object', '-t', 'tree', '-w', '--stdin'], { input: '' });
  return git.line([...asNobody, 'commit-tree', tree.toString('utf8').trim(), '-m', 'Nothing']);
}

async function gitOverCopy(options: SnapshotOptions): Promise<Git> {
  const { bare, workTree, environment, signal } = options;
  const settings = await personalSettings(options);
  const directory = bare.git.directory;
  // Git goes to the work tree by itself. Started there, Windows would take a git.exe that lies in it.
  return createGit({
    directory: parse(workTree).root,
    signal,
    environment: {
      ...readingEnvironment(environment, directory),
      GIT_WORK_TREE: workTree,
      GIT_INDEX_FILE: join(directory, 'index'),
      ...asVariables(settings),
    },
  });
}

/** The index, the shared one that it may build upon, and what the repository ignores without a `.gitignore`. */
async function copyIndex({ bare, checkout, environment }: SnapshotOptions): Promise<void> {
  const to = bare.git.directory;
  const source = indexFile(checkout, environment);
  const stats = await stat(source, { bigint: true }).catch(() => null);
  if (stats !== null) {
    await copyFile(source, join(to, 'index'));
    // A file as young as the index is compared by its content. The copy must not look younger; a number holds microseconds.
    const seconds = (Number(stats.mtimeNs / 1_000n) - 1) / 1e6;
    await utimes(join(to, 'index'), seconds, seconds);
  }
  for (const name of await readdir(checkout.gitDirectory)) {
    if (name.startsWith('sharedindex.')) await copyFile(join(checkout.gitDirectory, name), join(to, name));
  }
  await mkdir(join(to, 'info'), { recursive: true });
  for (const name of ['exclude', 'attributes']) {
    await copyFile(join(checkout.commonDirectory, 'info', name), join(to, 'info', name)).catch(() => undefined);
  }
}

/** In a hook of `git commit` git names another index; one outside of the repository is not believed. */
function indexFile({ gitDirectory }: Checkout, environment: Environment): string {
  const named = environment['GIT_INDEX_FILE'];
  const path = named === undefined || named === '' ? null : resolve(named);
  return path !== null && dirname(path) === gitDirectory ? path : join(gitDirectory, 'index');
}

/** Paths that are still in conflict stay as they are on our side of the merge. Gives them. */
async function settleConflicts(git: Git): Promise<readonly string[]> {
  const entries = textsOf(await git.read(['ls-files', '-z', '--unmerged'])).map((record) => {
    const tab = record.indexOf('\t');
    const [mode = '', hash = '', stage = ''] = record.slice(0, tab).split(' ');
    return { mode, hash, stage, path: record.slice(tab + 1) };
  });
  const paths = [...new Set(entries.map(({ path }) => path))];
  if (paths.length === 0) return [];
  const zero = '0'.repeat(entries[0]?.hash.length ?? 40);
  const ours = entries.filter(({ stage }) => stage === '2').map(({ mode, hash, path }) => `${mode} ${hash}\t${path}\0`);
  const input = [...paths.map((path) => `0 ${zero}\t${path}\0`), ...ours].join('');
  await git.read(['update-index', '-z', '--index-info'], { input });
  return paths;
}

/** What a merge that is not committed yet brings in: without it the other side's changes would be taken for the person's. */
async function mergedHeads(git: Git, { gitDirectory }: Checkout): Promise<readonly string[]> {
  const text = await readFile(join(gitDirectory, 'MERGE_HEAD'), 'utf8').catch(() => '');
  return heldOf(
    git,
    text.split('\n').filter((hash) => /^[0-9a-f]{40,64}$/.test(hash)),
  );
}
