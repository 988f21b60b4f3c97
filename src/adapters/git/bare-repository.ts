import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Checkout, findCheckout } from './checkout.ts';
import { type Environment, type Remote, readingEnvironment, type Setting } from './environment.ts';
import { createGit, type Git } from './git.ts';

/** Postil's own repository: no refs, no hooks, no attributes, no index. Objects are borrowed from a checkout or fetched. */
export type BareRepository = {
  readonly git: Git;
  /**
   * Borrows the objects of a checkout, and takes over how far its history reaches. The checkout is not written to. `more` is a further folder
   * with objects.
   */
  borrowFrom(checkout: Checkout, more?: string | null): Promise<void>;
  /** Commits whose parents were not fetched. */
  shallowCommits(): Promise<ReadonlySet<string>>;
  /** Stops what still runs and removes the folder. */
  remove(): Promise<void>;
};

/** Written by hand instead of by `git init`, which would copy hooks and settings from templates. */
export async function createBareRepository(options: {
  temporaryFolder: string;
  objectFormat: ObjectFormat;
  environment: Environment;
  signal: AbortSignal;
}): Promise<BareRepository> {
  await mkdir(options.temporaryFolder, { recursive: true });
  const directory = await mkdtemp(join(options.temporaryFolder, 'postil-git-'));
  await mkdir(join(directory, 'objects', 'info'), { recursive: true });
  await mkdir(join(directory, 'refs'));
  await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(directory, 'config'), configuration[options.objectFormat]);
  const closing = new AbortController();
  const git = createGit({
    directory,
    environment: readingEnvironment(options.environment, directory),
    signal: AbortSignal.any([options.signal, closing.signal]),
  });
  return {
    git,
    borrowFrom: (checkout, more = null) => borrow(directory, checkout, more),
    shallowCommits: () => shallowCommits(directory),
    remove: async () => {
      closing.abort(new Error('the repository was closed'));
      // At once: in turns it takes three times as long, at the end of every run.
      rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export type ObjectFormat = 'sha1' | 'sha256';

const configuration: Readonly<Record<ObjectFormat, string>> = {
  sha1: '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
  sha256: '[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n',
};

/** The object format that a full hash belongs to. */
export function objectFormatOf(hash: string): ObjectFormat {
  return hash.length === 64 ? 'sha256' : 'sha1';
}

async function borrow(directory: string, checkout: Checkout, more: string | null): Promise<void> {
  const folders = [join(checkout.commonDirectory, 'objects'), ...(more === null ? [] : [more])];
  const lines = folders.map((folder) => `${folder.replaceAll('\\', '/')}\n`);
  await writeFile(join(directory, 'objects', 'info', 'alternates'), lines.join(''));
  const shallow = await shallowCommits(checkout.commonDirectory);
  const known = await shallowCommits(directory);
  const all = [...new Set([...shallow, ...known])];
  if (shallow.size > 0) await writeFile(join(directory, 'shallow'), `${all.join('\n')}\n`);
}

async function shallowCommits(directory: string): Promise<ReadonlySet<string>> {
  const text = await readFile(join(directory, 'shallow'), 'utf8').catch(() => '');
  return new Set(text.split('\n').filter((line) => line !== ''));
}

/** True when objects of the checkout may be missing on purpose: git would take them for present and fail later. */
export async function isPartial(git: Git, checkout: Checkout): Promise<boolean> {
  const packs = await readdir(join(checkout.commonDirectory, 'objects', 'pack')).catch(() => []);
  if (packs.some((name) => name.endsWith('.promisor'))) return true;
  // Most checkouts never mention it, and need no child to say so.
  const text = await readFile(join(checkout.commonDirectory, 'config'), 'utf8').catch(() => '');
  if (!/promisor|partialclone/i.test(text)) return false;
  const settings = await readConfiguration(git, checkout);
  return settings.some(([key]) => key === 'extensions.partialclone' || /^remote\..*\.promisor$/s.test(key));
}

/** The settings of the checkout's own configuration file, without what it includes, in order. */
async function readConfiguration(git: Git, checkout: Checkout): Promise<readonly Setting[]> {
  const file = join(checkout.commonDirectory, 'config');
  const output = await git.read(['config', '--file', file, '--null', '--no-includes', '--list']).catch(() => null);
  const records = output?.toString('utf8').split('\0') ?? [];
  return records.flatMap((record) => {
    const end = record.indexOf('\n');
    if (record === '') return [];
    return [end === -1 ? [record, ''] : [record.slice(0, end), record.slice(end + 1)]] as const;
  });
}

/** Where a partial clone gets its missing objects from: the machine's own credentials apply. Null when it does not say. */
export async function promisorRemote(git: Git, checkout: Checkout): Promise<Remote | null> {
  const settings = new Map(await readConfiguration(git, checkout));
  const named = [...settings].find(([key, value]) => /^remote\..*\.promisor$/s.test(key) && value === 'true')?.[0];
  const remote =
    named?.slice('remote.'.length, -'.promisor'.length) ?? settings.get('extensions.partialclone') ?? 'origin';
  const url = settings.get(`remote.${remote}.url`);
  if (url === undefined) return null;
  const isRelative = /^\.\.?\//.test(url);
  return { url: isRelative ? resolve(dirname(checkout.commonDirectory), url) : url, authorization: null };
}

/** Where the repository that a directory lies in was cloned from; null when it does not say. Read from its file: no git runs in it. */
export async function originUrl(directory: string, environment: Environment): Promise<string | null> {
  const checkout = await findCheckout(directory);
  if (checkout === null) return null;
  const outside = tmpdir();
  const signal = new AbortController().signal;
  const git = createGit({ directory: outside, environment: readingEnvironment(environment, outside), signal });
  const settings = new Map(await readConfiguration(git, checkout));
  return settings.get('remote.origin.url') ?? null;
}
