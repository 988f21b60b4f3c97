import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type IncomingRequest, type Reply, startLoopback } from './loopback.ts';
import { temporaryFolder } from './memory-repository.ts';
import { lacks } from './platform.ts';

/** Content of a file after a commit; null deletes it. A plain text is a regular file. */
export type FixtureFile =
  | string
  | Uint8Array
  | null
  | { readonly symlink: string }
  | { readonly executable: string }
  /** The commit that a submodule at this path points to. */
  | { readonly submodule: string };

export type FixtureCommit = {
  readonly files?: { readonly [path: string]: FixtureFile };
  readonly message?: string;
  /** A name, or `name <address>`. A bot of GitHub commits by GitHub's own hand. */
  readonly author?: string;
};

/** A real repository in a temporary folder. Dates are fixed, so the same commits have the same hashes. */
export type GitFixture = {
  readonly directory: string;
  /** Runs git there; throws when it fails. Returns stdout without surrounding white space. */
  git(...args: readonly string[]): string;
  /** Writes the files, commits everything, and returns the new commit's hash. */
  commit(commit: FixtureCommit): string;
  /** A `file://` URL that can be cloned from, at any depth. */
  readonly url: string;
};

/** An empty repository on branch `main`. */
export function createRepository(): GitFixture {
  const directory = temporaryFolder();
  const fixture = openFixture(directory);
  // Without the sample hooks, and its configuration by hand: each child less counts a thousand times.
  fixture.git('init', '--quiet', '--initial-branch=main', '--template=');
  const uploads = '[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n';
  writeFileSync(join(directory, '.git', 'config'), uploads, { flag: 'a' });
  return fixture;
}

/** A clone in a new temporary folder, such as `cloneRepository(origin, '--depth', '1')`. */
export function cloneRepository(origin: GitFixture, ...options: readonly string[]): GitFixture {
  const directory = temporaryFolder();
  gitIn(directory, ['clone', '--quiet', ...options, origin.url, '.']);
  return openFixture(directory);
}

/** A fixture around a repository that exists already. New commits are dated after the given number of them. */
export function openFixture(directory: string, { commits: before = 0 } = {}): GitFixture {
  let commits = before;
  return {
    directory,
    url: pathToFileURL(directory).href,
    git: (...args) => gitIn(directory, args),
    commit: ({ files = {}, message = 'Change', author = 'Ada Lovelace' }) => {
      commits += 1;
      for (const [path, file] of Object.entries(files)) writeFixtureFile(join(directory, path), file);
      gitIn(directory, ['add', '--all', '--force']);
      for (const [path, file] of Object.entries(files)) stageByHand({ directory, path, file });
      const date = new Date(Date.UTC(2026, 0, 1, 12, commits)).toISOString();
      gitIn(directory, ['commit', '--quiet', '--allow-empty', '-m', message], {
        ...personOf(author),
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
      });
      return headOf(directory) ?? gitIn(directory, ['rev-parse', 'HEAD']);
    },
  };
}

/** From the files of a usual repository; null in one that keeps its HEAD elsewhere. */
function headOf(directory: string): string | null {
  try {
    const head = readFileSync(join(directory, '.git', 'HEAD'), 'utf8').trim();
    const ref = /^ref: (.*)$/.exec(head)?.[1];
    return ref === undefined ? head : readFileSync(join(directory, '.git', ref), 'utf8').trim();
  } catch {
    return null;
  }
}

function personOf(author: string): Readonly<Record<string, string>> {
  const [, name, address] = /^(.*) <(.*)>$/.exec(author) ?? [];
  if (name === undefined || address === undefined) return { GIT_AUTHOR_NAME: author };
  const committer = name.endsWith('[bot]')
    ? { GIT_COMMITTER_NAME: 'GitHub', GIT_COMMITTER_EMAIL: 'noreply@github.com' }
    : { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: address };
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: address, ...committer };
}

function writeFixtureFile(path: string, file: FixtureFile): void {
  mkdirSync(dirname(path), { recursive: true });
  if (file === null || typeof file === 'object') rmSync(path, { recursive: true, force: true });
  if (file === null || (typeof file === 'object' && 'submodule' in file)) return;
  if (typeof file === 'string' || file instanceof Uint8Array) writeFileSync(path, file);
  else if ('symlink' in file) symlinkSync(file.symlink, path);
  else writeFileSync(path, file.executable, { mode: 0o755 });
}

/** What git does not see in the work tree: a submodule, and on Windows which files may be run. */
function stageByHand({ directory, path, file }: { directory: string; path: string; file: FixtureFile }): void {
  if (file === null || typeof file !== 'object') return;
  if ('submodule' in file)
    gitIn(directory, ['update-index', '--add', '--cacheinfo', `160000,${file.submodule},${path}`]);
  if ('executable' in file && lacks.fileModes) gitIn(directory, ['update-index', '--chmod=+x', path]);
}

/** What git needs to run without the developer's own configuration. */
export const cleanGitEnvironment = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
  GIT_AUTHOR_NAME: 'Ada Lovelace',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada Lovelace',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
} as const;

/** Where a test names no time: the same files are the same commit in every run. */
const sameTime = { GIT_AUTHOR_DATE: '2026-11-02T10:00:00Z', GIT_COMMITTER_DATE: '2026-11-02T10:00:00Z' };

function gitIn(directory: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): string {
  const quiet = ['-c', 'advice.detachedHead=false', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'];
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...quiet, ...args], {
    cwd: directory,
    env: { ...cleanGitEnvironment, ...sameTime, ...environment },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

export type GitRequest = {
  readonly path: string;
  /** Every Authorization header that came, in order. */
  readonly authorizations: readonly string[];
  readonly status: number;
};

export type GitHttpServer = {
  /** Such as http://127.0.0.1:40123; a repository is at `<url>/<name>`. */
  readonly url: string;
  readonly requests: readonly GitRequest[];
  close(): Promise<void>;
};

/**
 * Serves repositories by git's smart HTTP protocol through `git http-backend`, and is as strict as GitHub: one
 * Authorization header exactly (two: 400, none or another one: 401), unless `authorization` is null.
 */
export async function startGitHttpServer(options: {
  /** Directory of a repository (bare, or its work tree) by name, such as `octo/spoon`. */
  readonly repositories: Readonly<Record<string, string>>;
  /** The header's value, such as `basic eDp0`; null admits everybody. */
  readonly authorization: string | null;
  /** False: only advertised refs can be fetched, as old servers have it. */
  readonly allowAnyCommit?: boolean;
}): Promise<GitHttpServer> {
  const requests: GitRequest[] = [];
  const { url, close } = await startLoopback(async (request) => {
    const { rawHeaders, path } = request;
    const isAuthorization = (index: number) => index % 2 === 1 && /^authorization$/i.test(rawHeaders[index - 1] ?? '');
    const authorizations = rawHeaders.filter((_, index) => isAuthorization(index));
    const status = admission(authorizations, options.authorization);
    requests.push({ path: `${path}${request.query.size === 0 ? '' : `?${request.query}`}`, authorizations, status });
    if (status !== 200) return refused(status);
    const [name, directory] =
      Object.entries(options.repositories).find(
        ([name]) => path.startsWith(`/${name}.git/`) || path.startsWith(`/${name}/`),
      ) ?? [];
    if (name === undefined || directory === undefined) return refused(404);
    const inside = path.slice(name.length + 1).replace(/^\.git\//, '/');
    return serve({ request, directory, inside, allowAnyCommit: options.allowAnyCommit ?? true });
  });
  return { url, requests, close };
}

function admission(authorizations: readonly string[], expected: string | null): 200 | 400 | 401 {
  if (authorizations.length > 1) return 400;
  return expected === null || authorizations[0] === expected ? 200 : 401;
}

const refusals = { 400: 'Duplicate header: "Authorization"', 401: 'Bad credentials', 404: 'Repository not found' };

function refused(status: keyof typeof refusals): Reply {
  return { status, headers: { 'content-type': 'text/plain' }, body: refusals[status] };
}

type Call = {
  readonly request: IncomingRequest;
  readonly directory: string;
  /** The path below the repository. */
  readonly inside: string;
  readonly allowAnyCommit: boolean;
};

async function serve(call: Call): Promise<Reply> {
  const backend = spawn('git', ['http-backend'], { env: backendEnvironment(call) });
  backend.stdin.on('error', () => {});
  backend.stdin.end(call.request.body);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.stderr.on('data', (chunk: Buffer) => process.stderr.write(`git http-backend ${call.inside}: ${chunk}`));
  await once(backend, 'close');
  return replyFrom(Buffer.concat(chunks));
}

function backendEnvironment({ request, directory, inside, allowAnyCommit }: Call): Record<string, string> {
  const { method, query, headers, body } = request;
  const configuration = {
    'safe.directory': '*',
    'uploadpack.allowFilter': 'true',
    'uploadpack.allowAnySHA1InWant': String(allowAnyCommit),
  };
  const pairs = Object.entries(configuration).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...cleanGitEnvironment,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROJECT_ROOT: directory,
    PATH_INFO: inside,
    QUERY_STRING: query.toString(),
    REQUEST_METHOD: method,
    CONTENT_TYPE: headers['content-type'] ?? '',
    CONTENT_LENGTH: String(body.length),
    HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    GIT_CONFIG_COUNT: String(pairs.length / 2),
    // Version 2 of the protocol gives out every object that exists; only version 0 can refuse a hash.
    ...(allowAnyCommit && { GIT_PROTOCOL: String(headers['git-protocol'] ?? '') }),
    ...Object.fromEntries(pairs),
  };
}

/** Turns the CGI answer (headers, empty line, body) into an HTTP answer. */
function replyFrom(output: Buffer): Reply {
  const border = output.indexOf('\r\n\r\n');
  if (border === -1) return refused(404);
  const lines = output.subarray(0, border).toString('latin1').split('\r\n');
  const { Status: status = '200', ...headers } = Object.fromEntries(lines.map((line) => line.split(': ', 2)));
  return { status: Number.parseInt(status, 10), headers, body: output.subarray(border + 4) };
}
