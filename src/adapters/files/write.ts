import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** What stands where somebody wants a file written. */
type Target =
  /** Links are followed. `stats` is null where there is nothing yet. */
  | { readonly kind: 'file'; readonly path: string; readonly stats: Stats | null }
  /** The end of a sentence for a person. */
  | { readonly kind: 'none'; readonly problem: string };

/** Looks without opening anything, which could wait for ever. Never throws. */
export function targetOf(path: string): Target {
  try {
    return findTarget(path);
  } catch (error) {
    return none(error instanceof Error ? error.message : String(error));
  }
}

function none(problem: string): Target {
  return { kind: 'none', problem };
}

/** Tables of the kernel, where making a folder may never end, and what the process was handed: a file there is one that somebody else writes. */
const special = /^\/(?:proc|sys)\/|^\/dev\/(?:fd\/|std(?:in|out|err)$)/;

function findTarget(path: string): Target {
  if (path.endsWith('/') || path.endsWith(sep)) return none('it names a folder');
  requireOwnPath(path, process.cwd());
  const named = resolve(path);
  const real = realPath(named);
  if (special.test(named) || special.test(real)) return none('no file can be kept there');
  const stats = statsOf(real);
  if (stats?.isDirectory()) return none('it is a folder');
  if (stats !== null && !stats.isFile()) return none('it is a pipe or a device, not a file');
  const folder = dirname(real);
  const nearest = stats === null ? nearestAbove(folder) : real;
  if (stats === null && !statSync(nearest).isDirectory()) return none(`${nearest} is not a folder`);
  return mayWrite(nearest) ? { kind: 'file', path: real, stats } : none(`there is no permission to write ${nearest}`);
}

/** Below a file there is nothing either. */
function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  }
}

function nearestAbove(folder: string): string {
  return statsOf(folder) === null && dirname(folder) !== folder ? nearestAbove(dirname(folder)) : folder;
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes a text where somebody wants it, its folder too. A file is whole or as it was before: a neighbour takes its place. It is written itself where
 * that is not possible, or would part it from its other names or its owner.
 *
 * @throws Error
 */
export async function writeWhole(path: string, text: string): Promise<void> {
  const target = fileAt(path);
  const { stats } = target;
  const isOwn = stats === null || (stats.nlink === 1 && stats.uid === (process.getuid?.() ?? stats.uid));
  if (isOwn && (await replaced(target.path, { text, mode: stats?.mode }))) return;
  await writeFile(target.path, text, { flag: inPlace });
}

/** With the folder that it lies in. @throws Error */
function fileAt(path: string): Extract<Target, { kind: 'file' }> {
  const target = targetOf(path);
  if (target.kind === 'none') throw failure(target.problem);
  makeFolder(dirname(target.path));
  return target;
}

function failure(problem: string): Error {
  return new Error(`${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`);
}

/** Without waiting, should a pipe stand there meanwhile. */
const inPlace = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NONBLOCK ?? 0);

/** False where no neighbour can be made, or cannot take its place. @throws Error when the text could not be written */
async function replaced(path: string, { text, mode }: { text: string; mode: number | undefined }): Promise<boolean> {
  const neighbour = join(dirname(path), `.postil-${randomBytes(6).toString('hex')}`);
  const file = await open(neighbour, 'wx').catch(() => null);
  if (file === null) return false;
  try {
    try {
      if (mode !== undefined) await file.chmod(mode & 0o777);
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return await rename(neighbour, path).then(
      () => true,
      () => false,
    );
  } finally {
    await rm(neighbour, { force: true }).catch(() => undefined);
  }
}

type Lines = {
  /** @throws Error */
  readonly write: (text: string) => void;
  readonly close: () => void;
};

/** Opens what is written piece by piece, and read meanwhile: a file in its place, and its folder too. @throws Error */
export function openLines(path: string, mode: number | undefined): Lines {
  const opened = openSync(fileAt(path).path, inPlace, mode);
  return { write: (text) => void writeSync(opened, text), close: () => closeSync(opened) };
}

/** With those above it. Node's own way never ends where the system denies what it lists, as in `/proc`. @throws Error */
export function makeFolder(path: string): void {
  if (existsSync(path) || dirname(path) === path) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Somebody else was faster.
    if (!existsSync(path)) throw error;
  }
}

/**
 * Refuses a file that is named inside `root`, or inside any work tree, and lies elsewhere, or in git's own folder. A folder with the reviewed code
 * may hold a symbolic link, which would let the pull request choose which file is overwritten.
 *
 * @throws Error that names both places.
 */
export function requireOwnPath(path: string, root: string): void {
  const named = resolve(root, path);
  const real = realPath(named);
  for (const folder of foldersAbove(named)) {
    if (folder !== resolve(root) && !existsSync(join(folder, '.git'))) continue;
    const realFolder = realPath(folder);
    if (isInside(real, realFolder) && !isInside(real, join(realFolder, '.git'))) continue;
    throw new Error(`${named} is in fact ${real}: a link of the reviewed code must not choose what is overwritten`);
  }
}

function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}

const maxLinks = 40;

/** Where a write would go: the end of the path need not exist yet, and a link may point to what does not exist. */
function realPath(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    if (links > maxLinks) throw new Error(`${path} leads in a circle`, { cause });
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = realPath(parent, links + 1);
    const target = linkTarget(join(folder, basename(path)));
    return target === null ? join(folder, basename(path)) : realPath(resolve(folder, target), links + 1);
  }
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // Absent, or no link.
  }
}

export function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
