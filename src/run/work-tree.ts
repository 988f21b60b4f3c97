import { lstat, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { listFolder } from '../adapters/files/folder.ts';
import { findWorkTree } from '../adapters/git/checkout.ts';
import { UserError } from '../core/errors.ts';
import { wrapPort } from '../core/port.ts';
import type { ChangedFile } from '../core/pull-request/changed-file.ts';
import type { Repository } from '../core/repository/repository.ts';
import { isRuleFile, rulesFolder } from '../core/rules/load-rules.ts';
import { nearest } from '../core/settings/setting.ts';

/**
 * Globs for `include` that stand for the files, folders and globs that a person named, as seen from `directory`.
 * @throws UserError for what is neither in the work tree nor in the change
 */
export async function globsFor(
  paths: readonly string[],
  {
    directory,
    workTree,
    changed,
  }: { directory: string; workTree: string; changed: () => Promise<readonly ChangedFile[]> },
): Promise<readonly string[]> {
  const from = await realpath(directory);
  const globs = paths.map(async (path) => {
    // A glob without a slash is about names, at any depth.
    const isName = isGlob.test(path) && !path.includes('/');
    const inside = relative(workTree, resolve(from, isName ? '**' : '', path))
      .split(sep)
      .join('/');
    if (inside === '') return '**';
    const isOutside = inside === '..' || inside.startsWith('../');
    const stats = isOutside ? null : await lstat(join(workTree, inside)).catch(() => null);
    if (stats !== null) return `/${literal(inside)}${stats.isDirectory() ? '/**' : ''}`;
    if (isGlob.test(path) && !isOutside) return `/${inside}`;
    const known = (await changed()).flatMap((file) => [file.path, file.oldPath]);
    if (known.includes(inside)) return `/${literal(inside)}`;
    if (known.some((one) => one.startsWith(`${inside}/`))) return `/${literal(inside)}/**`;
    throw notThere(path, nearest(inside, known));
  });
  return await Promise.all(globs);
}

const isGlob = /[*?[{]/;

function literal(path: string): string {
  return path.replace(/[*?[\]{}]/g, '[$&]');
}

function notThere(path: string, meant: string | null): UserError {
  const hint = `Name files, folders or globs. A commit or branch belongs to a flag, such as --base ${path}.`;
  return new UserError(`'${path}' is neither in the work tree nor in the change.`, {
    hint: meant === null ? hint : `Did you mean '${meant}'?`,
  });
}

/** All that lies in the work tree of a directory, in a commit or not, ignored or not. */
export async function workTreeFiles(directory: string): Promise<readonly string[]> {
  const workTree = await findWorkTree(directory);
  return workTree === null ? [] : await listFolder(workTree);
}

/** What decides about a review, as it lies in the work tree and as it is at the base commit. */
type Deciding = {
  readonly repository: Repository;
  /** The work tree. */
  readonly own: Repository;
  /** Path of the config file. */
  readonly config: string;
};

/** Says what of the work tree differs from what counts, in one line; null where nothing does. */
export async function whatDiffers(deciding: Deciding, isUsed: boolean): Promise<string | null> {
  const { repository, own, config } = deciding;
  const isSame = async (path: string) => (await textIn(own, path)) === (await textIn(repository, path));
  const listed = await Promise.all([own, repository].map((one) => one.listFiles('base')));
  const rules = new Set(listed.flatMap((entries) => entries.map(({ path }) => path).filter(isRuleFile)));
  const sameRules = await Promise.all([...rules].map(isSame));
  const differing = [...((await isSame(config)) ? [] : [config]), ...(sameRules.includes(false) ? [rulesFolder] : [])];
  if (differing.length === 0) return null;
  const which = `${differing.join(' and ')} of the work tree`;
  const differ = differing.length === 1 && differing[0] === config ? 'differs from the one' : 'differ from those';
  return isUsed
    ? `Used (--trust-config): ${which}, which ${differ} at the base commit.`
    : `Not used: ${which}, which ${differ} at the base commit. --trust-config uses yours.`;
}

/** The repository with configuration and rules of the work tree in place of those at the base commit. */
export function trusting({ repository, own, config }: Deciding): Repository {
  const isOwn = (path: string) => path === config || path.startsWith(rulesFolder);
  return wrapPort(repository, {
    readFile: (proceed, path, at) => (at === 'base' && isOwn(path) ? own.readFile(path, at) : proceed()),
    listFiles: async (proceed, at) => {
      const entries = await proceed();
      if (at !== 'base') return entries;
      const all = [...entries.filter(({ path }) => !isOwn(path)), ...(await own.listFiles(at))];
      return all.sort((one, other) => (one.path < other.path ? -1 : 1));
    },
  });
}

/** Line ends aside: git may write others into the work tree. Null for what is no text. */
async function textIn(repository: Repository, path: string): Promise<string | null> {
  const content = await repository.readFile(path, 'base');
  return content.kind === 'text' ? content.text.replaceAll('\r\n', '\n') : null;
}
