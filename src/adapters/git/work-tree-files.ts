import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { plural } from '../../core/text.ts';
import { type Git, GitError, nulTerminated, recordsOf, textsOf } from './git.ts';

/** A file or folder that is no part of the snapshot, and why. A folder ends in `/`. */
export type LeftOut = { readonly path: string; readonly why: string };

/** A folder that is not tracked, or one such file, is left out beyond these; and all after so many files. */
const maxFolderFiles = 1_000;
const maxFolderBytes = 50_000_000;
const maxUntracked = 5_000;

/** Brings the index that git has up to the files as they lie: changed, deleted, and those that are not tracked and not ignored. */
export async function addWorkTree(
  git: Git,
  { workTree, temporary }: { workTree: string; temporary: string },
): Promise<readonly LeftOut[]> {
  const list = async (...args: readonly string[]) => textsOf((await git.run(['ls-files', '-z', ...args])).stdout);
  const untracked = ['--others', '--exclude-standard'];
  // Files in conflict are among them, once for each side.
  const changed = await list('--modified');
  const found = await git.run(['ls-files', '-z', ...untracked]);
  const others = textsOf(found.stdout).filter((path) => !path.startsWith(`${temporary}/`));
  const folders = await list(...untracked, '--directory', '--no-empty-directory');
  const limited = await limitUntracked(others, { folders, workTree });
  const listed = [...new Set([...changed, ...limited.taken])];
  const unnamed = listed
    .filter((path) => path.includes('\ufffd'))
    .map((path) => ({ path, why: 'its name is not UTF-8' }));
  const beyond = await beyondLinks(changed, workTree);
  if (beyond.size > 0) {
    await git.run(['update-index', '-z', '--force-remove', '--stdin'], { input: nulTerminated([...beyond]) });
  }
  const paths = listed.filter((path) => !beyond.has(path) && !path.includes('\ufffd'));
  const filters = await filtersOf(git, paths);
  const plain = paths.filter((path) => !filters.has(path));
  const refused = await addPaths(git, plain);
  const unfiltered = await addFiltered(git, filters, workTree);
  return [...unopened(found.stderr), ...limited.leftOut, ...unnamed, ...refused, ...unfiltered];
}

/** Folders that git could not look into, by its warnings: what lies there is not tracked, and may be what counts. */
export function unopened(warnings: string): readonly LeftOut[] {
  const opening = "could not open directory '";
  return warnings.split('\n').flatMap((line) => {
    const [start, end] = [line.indexOf(opening), line.lastIndexOf("': ")];
    const path = line.slice(start + opening.length, end);
    return start === -1 || end < start ? [] : [{ path, why: 'git cannot read it' }];
  });
}

/** Files whose folder is a symbolic link now: they are gone, whatever lies where it leads. */
async function beyondLinks(paths: readonly string[], workTree: string): Promise<ReadonlySet<string>> {
  const folders = [...new Set(paths.flatMap(parentsOf))];
  const links = new Set<string>();
  for (const folder of folders) {
    const stats = await lstat(join(workTree, folder.slice(0, -1))).catch(() => null);
    if (stats?.isSymbolicLink() === true) links.add(folder);
  }
  return new Set(paths.filter((path) => parentsOf(path).some((folder) => links.has(folder))));
}

type Limited = { readonly taken: readonly string[]; readonly leftOut: readonly LeftOut[] };

/** Keeps folders out that nobody meant: dependencies and output that no ignore file names. */
async function limitUntracked(
  files: readonly string[],
  { folders, workTree }: { folders: readonly string[]; workTree: string },
): Promise<Limited> {
  const isFolder = new Set(folders.filter((path) => path.endsWith('/')));
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const group = parentsOf(file).find((folder) => isFolder.has(folder)) ?? file;
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [file]);
    else members.push(file);
  }
  const taken: string[] = [];
  const leftOut: LeftOut[] = [];
  for (const [path, members] of groups) {
    const tooMany = members.length > maxFolderFiles;
    const full = taken.length + members.length > maxUntracked;
    const bytes = tooMany || full ? 0 : await bytesOf(members, workTree);
    if (tooMany) leftOut.push({ path, why: `not tracked, ${plural(members.length, 'file')}` });
    else if (full) leftOut.push({ path, why: `not tracked, beyond ${plural(maxUntracked, 'file')}` });
    else if (bytes > maxFolderBytes) leftOut.push({ path, why: `not tracked, ${Math.round(bytes / 1e6)} MB` });
    else taken.push(...members);
  }
  return { taken, leftOut };
}

/** `a/b/c` lies in `a/` and `a/b/`. */
function parentsOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => `${names.slice(0, index + 1).join('/')}/`);
}

async function bytesOf(files: readonly string[], workTree: string): Promise<number> {
  const stats = await Promise.all(files.map((path) => lstat(join(workTree, path)).catch(() => null)));
  return stats.reduce((sum, file) => sum + (file?.size ?? 0), 0);
}

/** The paths that attributes send through a program when they are staged, and its name. */
async function filtersOf(git: Git, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const { stdout } = await git.run(['check-attr', '-z', '--stdin', 'filter'], { input: nulTerminated(paths) });
  const filters = new Map<string, string>();
  for (const [path = '', , filter = ''] of recordsOf(stdout, 3)) {
    if (!['unspecified', 'unset', 'set', ''].includes(filter)) filters.set(path, filter);
  }
  return filters;
}

/** A repository within this one is listed as a folder, which git passes over. One path that git cannot take, such as a file that may not be read, makes it refuse all: the others are tried without it. */
async function addPaths(git: Git, paths: readonly string[]): Promise<readonly LeftOut[]> {
  if (paths.length === 0) return [];
  try {
    const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
    await git.run(args, { input: nulTerminated(paths) });
    return [];
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === null) throw error;
    if (paths.length === 1) return paths.map((path) => ({ path, why: 'git cannot read it' }));
    const middle = Math.ceil(paths.length / 2);
    return [...(await addPaths(git, paths.slice(0, middle))), ...(await addPaths(git, paths.slice(middle)))];
  }
}

/**
 * What a filter would make of a file is known for Git LFS alone. Of the others the content in the work tree may be what the filter
 * keeps from everybody, as git-crypt does: it stays out.
 */
async function addFiltered(
  git: Git,
  filters: ReadonlyMap<string, string>,
  workTree: string,
): Promise<readonly LeftOut[]> {
  const leftOut: LeftOut[] = [];
  const asTheyAre: string[] = [];
  for (const [path, filter] of filters) {
    const stats = await lstat(join(workTree, path)).catch(() => null);
    // Filters see neither a symbolic link nor what was deleted.
    if (stats === null || !stats.isFile()) asTheyAre.push(path);
    else if (filter !== 'lfs') leftOut.push({ path, why: `the git filter ${filter} is not run` });
    else {
      const input = await pointerTo(join(workTree, path), stats.size).catch(() => null);
      if (input === null) leftOut.push({ path, why: 'git cannot read it' });
      else {
        const hash = (await git.run(['hash-object', '-w', '--stdin'], { input })).stdout.toString('utf8').trim();
        const mode = (stats.mode & 0o100) === 0 ? '100644' : '100755';
        await git.run(['update-index', '-z', '--index-info'], { input: `${mode} ${hash}\t${path}\0` });
      }
    }
  }
  return [...leftOut, ...(await addPaths(git, asTheyAre))];
}

const lfsVersion = 'version https://git-lfs.github.com/spec/v1\n';

/** What Git LFS stages instead of a file. An empty file stays as it is, and so does a pointer that was never followed. */
async function pointerTo(file: string, bytes: number): Promise<string> {
  const text = bytes < 1_024 ? await readFile(file, 'utf8') : '';
  if (bytes === 0 || text.startsWith(lfsVersion)) return text;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return `${lfsVersion}oid sha256:${hash.digest('hex')}\nsize ${bytes}\n`;
}

/** How many of the paths that are left out for one reason are named. */
const named = 5;

/** A sentence for each reason. */
export function sentenceOf(leftOut: readonly LeftOut[]): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const { path, why } of leftOut) reasons.set(why, [...(reasons.get(why) ?? []), path]);
  return [...reasons].map(([why, paths]) => {
    const more = paths.length > named ? ` and ${paths.length - named} more` : '';
    const hint = why.startsWith('not tracked') ? ' Ignore it, or stage what counts.' : '';
    return `Uncommitted changes of ${paths.slice(0, named).join(', ')}${more} are not part of the review: ${why}.${hint}`;
  });
}
