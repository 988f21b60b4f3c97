import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CodePackage } from './packages.ts';

const run = promisify(execFile);

export type SourceText = { readonly path: string; readonly text: string };

export type FetchedPackage =
  | { readonly ok: true; readonly folder: string; readonly files: readonly SourceText[] }
  | { readonly ok: false; readonly why: string };

/** A package's sources, from the cache folder or into it. */
export async function fetchPackage(wanted: CodePackage, cache: string): Promise<FetchedPackage> {
  const folder = join(cache, wanted.name.replaceAll(/[^\w.-]+/g, '_'));
  if (!existsSync(folder)) {
    const problem = await download(wanted, folder);
    if (problem !== null) return { ok: false, why: problem };
  }
  const root = join(folder, wanted.folder);
  return { ok: true, folder: root, files: await readSources(root, wanted.extension) };
}

/** @returns why it failed; null when it did not */
async function download({ from, name }: CodePackage, folder: string): Promise<string | null> {
  const loading = `${folder}.loading`;
  await rm(loading, { recursive: true, force: true });
  await mkdir(loading, { recursive: true });
  const options = { cwd: loading, timeout: 120_000 };
  try {
    if (from === 'npm') await run('npm', ['pack', name, '--silent'], options);
    else await run('apt-get', ['download', '-qq', name], options);
    const [archive = ''] = await readdir(loading);
    if (from === 'npm') await run('tar', ['-xzf', archive], options);
    else await run('dpkg-deb', ['-x', archive, '.'], options);
    await rename(loading, folder);
    return null;
  } catch (error) {
    await rm(loading, { recursive: true, force: true });
    const [first = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return first.slice(0, 200);
  }
}

const largest = 500_000;

async function readSources(root: string, extension: RegExp): Promise<readonly SourceText[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && extension.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const files = await Promise.all(
    paths.sort().map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })),
  );
  return files.filter(({ text }) => text.length <= largest);
}
