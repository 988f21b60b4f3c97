import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanGitEnvironment, type FixtureFile } from '../git-fixture.ts';
import { temporaryFolder } from '../memory-repository.ts';

type GitRun = {
  readonly directory: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
};

/** Output of a git command in a directory, without its last newline. Throws with git's own words when it fails. */
export async function git(directory: string, args: readonly string[]): Promise<string> {
  return (await gitBytes({ directory, args })).toString('utf8').replace(/\n$/, '');
}

const facts = new Map<string, Promise<Buffer>>();

/**
 * What git says of commits and objects that are named by their full hashes. It never changes, so it is asked once; what is
 * named in another way (`main`) or fails is asked again.
 */
export function gitFact(run: GitRun): Promise<Buffer> {
  if (!run.args.some((arg) => /^[0-9a-f]{40}\b/.test(arg))) return gitBytes(run);
  // In every repository the same: worlds of one content have the same hashes.
  const key = JSON.stringify([run.args, run.environment]);
  const known = facts.get(key);
  if (known !== undefined) return known;
  const asked = gitBytes(run);
  facts.set(key, asked);
  asked.catch(() => facts.delete(key));
  return asked;
}

/** As `gitFact`, as text without its last newline. */
export async function gitFactText(directory: string, args: readonly string[]): Promise<string> {
  return (await gitFact({ directory, args })).toString('utf8').replace(/\n$/, '');
}

export async function gitBytes(run: GitRun): Promise<Buffer> {
  const child = spawn('git', ['-c', 'safe.directory=*', '-c', 'protocol.file.allow=always', ...run.args], {
    cwd: run.directory,
    env: { ...cleanGitEnvironment, ...run.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, complaint, code] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`git ${run.args.join(' ')} ended with ${code}: ${complaint.toString('utf8')}`);
  return output;
}

async function collect(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

export type ImportedCommit = {
  /** Full hash of the first parent, or the index of an earlier commit of the list; absent for a root. */
  readonly parent?: string | number;
  /** The second parent of a merge. */
  readonly merge?: string | number;
  /** A rename that git is to see as one: old path → new path, before the files are written. */
  readonly changes: readonly { readonly rename?: readonly [string, string]; readonly files: WorldFiles }[];
  readonly message: string;
  /** A name with its address. */
  readonly author?: string;
  /** Minutes after the beginning of time in this world. */
  readonly minute: number;
  /** Refs that point to the commit afterwards. */
  readonly refs?: readonly string[];
};

export type WorldFiles = { readonly [path: string]: FixtureFile };

const made = new Map<string, { readonly directory: string; readonly hashes: readonly string[] }>();

/** A bare repository with these commits. The objects of one that was made before are borrowed: that takes no process. */
export function createBareRepository(commits: readonly ImportedCommit[]): {
  readonly directory: string;
  readonly hashes: readonly string[];
} {
  const key = JSON.stringify(commits);
  const known = made.get(key) ?? firstOf(commits);
  made.set(key, known);
  const directory = join(temporaryFolder(), 'spoon.git');
  writeGitDirectory(directory, bare);
  writeFileSync(join(directory, 'objects', 'info', 'alternates'), `${join(known.directory, 'objects')}\n`);
  const refs = commits.flatMap((commit, index) => commit.refs?.map((ref) => `${known.hashes[index]} ${ref}\n`) ?? []);
  writeFileSync(join(directory, 'packed-refs'), refs.join(''));
  return { directory, hashes: known.hashes };
}

const bare = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

function firstOf(commits: readonly ImportedCommit[]) {
  const directory = join(temporaryFolder(), 'template.git');
  writeGitDirectory(directory, bare);
  return { directory, hashes: importCommits(directory, commits) };
}

/** What `git init` makes, without its process. */
export function writeGitDirectory(directory: string, config: string): void {
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    mkdirSync(join(directory, folder), { recursive: true });
  }
  writeFileSync(join(directory, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(directory, 'config'), config);
}

/** Writes commits in one process, where an author would need four for each. Returns their hashes. */
export function importCommits(directory: string, commits: readonly ImportedCommit[]): readonly string[] {
  const marks = join(temporaryFolder(), 'marks');
  const chunks = commits.flatMap((commit, index) => commitChunks(commit, index));
  execFileSync(
    'git',
    ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet', '--force', `--export-marks=${marks}`],
    { cwd: directory, env: cleanGitEnvironment, input: Buffer.concat(chunks), stdio: ['pipe', 'ignore', 'pipe'] },
  );
  const hashes = new Map(
    readFileSync(marks, 'utf8')
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(-40)]),
  );
  return commits.map((_, index) => hashes.get(`:${index + 1}`) ?? '');
}

function commitChunks(commit: ImportedCommit, index: number): readonly Buffer[] {
  const at = `${Date.UTC(2026, 0, 1, 12, commit.minute) / 1000} +0000`;
  const author = commit.author ?? 'Ada Lovelace <ada@example.com>';
  // A bot of GitHub commits by GitHub's own hand.
  const committer = author.includes('[bot] ') ? 'GitHub <noreply@github.com>' : author;
  const [first = 'refs/import', ...others] = commit.refs ?? [];
  return [
    text(`commit ${first}\nmark :${index + 1}\nauthor ${author} ${at}\ncommitter ${committer} ${at}\n`),
    data(Buffer.from(`${commit.message}\n`)),
    // A commit on a ref that exists would take it for its parent.
    ...(commit.parent === undefined ? [] : [text(`from ${nameOf(commit.parent)}\n`)]),
    ...(commit.merge === undefined ? [] : [text(`merge ${nameOf(commit.merge)}\n`)]),
    ...commit.changes.flatMap(({ rename, files }) => [
      ...(rename === undefined ? [] : [text(`R ${quoted(rename[0])} ${quoted(rename[1])}\n`)]),
      ...Object.entries(files).flatMap(([path, file]) => fileChunks(path, file)),
    ]),
    text('\n'),
    ...others.map((ref) => text(`reset ${ref}\nfrom :${index + 1}\n\n`)),
  ];
}

function fileChunks(path: string, file: FixtureFile): readonly Buffer[] {
  if (file === null) return [text(`D ${quoted(path)}\n`)];
  if (typeof file === 'string' || file instanceof Uint8Array) return inline('100644', path, file);
  if ('symlink' in file) return inline('120000', path, file.symlink);
  if ('executable' in file) return inline('100755', path, file.executable);
  return [text(`M 160000 ${file.submodule} ${quoted(path)}\n`)];
}

function inline(mode: string, path: string, content: string | Uint8Array): readonly Buffer[] {
  return [text(`M ${mode} inline ${quoted(path)}\n`), data(Buffer.from(content))];
}

function data(content: Buffer): Buffer {
  return Buffer.concat([text(`data ${content.length}\n`), content, text('\n')]);
}

function nameOf(commit: string | number): string {
  return typeof commit === 'number' ? `:${commit + 1}` : commit;
}

function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

function text(value: string): Buffer {
  return Buffer.from(value, 'utf8');
}
