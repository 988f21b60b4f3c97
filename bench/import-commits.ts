import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { cleanGitEnvironment } from '../__tests__/fakes/git-fixture.ts';
import { git } from '../__tests__/fakes/world/git.ts';

/** Null deletes the path. */
export type ImportedFile = { readonly path: string; readonly text: string | null };

export type ImportedCommit = {
  /** Its name; each commit is on the branch of that name, and its parent is the commit before it in the list. */
  readonly branch: string;
  readonly files: Iterable<ImportedFile>;
};

/** Fills a new bare repository in an empty folder. Ten thousand files a second: nothing touches a work tree. */
export async function importCommits(directory: string, commits: readonly ImportedCommit[]): Promise<void> {
  await git(directory, ['init', '--quiet', '--bare']);
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: directory,
    env: cleanGitEnvironment,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  await pipeline(Readable.from(fastImportStream(commits)), child.stdin);
  const code = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with ${code}`);
}

function* fastImportStream(commits: readonly ImportedCommit[]): Generator<string> {
  for (const [index, { branch, files }] of commits.entries()) {
    const before = commits[index - 1];
    yield `commit refs/heads/${branch}\ncommitter Ada <ada@example.com> ${firstSecond + index} +0000\n`;
    yield data(branch);
    if (before !== undefined) yield `from refs/heads/${before.branch}\n`;
    for (const { path, text } of files) yield text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`;
  }
}

/** 2026-01-01, so that the same commits have the same hashes. */
const firstSecond = 1_767_225_600;

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
