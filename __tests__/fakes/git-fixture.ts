import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './memory-repository.ts';

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
    url: `file://${directory}`,
    git: (...args) => gitIn(directory, args),
    commit: ({ files = {}, message = 'Change', author = 'Ada Lovelace' }) => {
      commits += 1;
      for (const [path, file] of Object.entries(files)) writeFixtureFile(join(directory, path), file);
      gitIn(directory, ['add', '--all', '--force']);
      for (const [path, file] of Object.entries(files)) stageSubmodule({ directory, path, file });
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

function stageSubmodule(submodule: { directory: string; path: string; file: FixtureFile }): void {
  const { directory, path, file } = submodule;
  if (file === null || typeof file !== 'object' || !('submodule' in file)) return;
  gitIn(directory, ['update-index', '--add', '--cacheinfo', `160000,${file.submodule},${path}`]);
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

function gitIn(directory: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): string {
  const quiet = ['-c', 'advice.detachedHead=false', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'];
  return execFileSync('git', ['-c', 'protocol.file.allow=always', ...quiet, ...args], {
    cwd: directory,
    env: { ...cleanGitEnvironment, ...environment },
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
  const server = createServer((request, response) => {
    const authorizations = headerValues(request, 'authorization');
    const status = admission(authorizations, options.authorization);
    requests.push({ path: request.url ?? '', authorizations, status });
    if (status !== 200) return refuse(response, status);
    const target = targetOf(request.url ?? '', options.repositories);
    if (target === null) return refuse(response, 404);
    serve({ request, response, target, allowAnyCommit: options.allowAnyCommit ?? true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function headerValues(request: IncomingMessage, name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name) values.push(request.rawHeaders[index + 1] ?? '');
  }
  return values;
}

function admission(authorizations: readonly string[], expected: string | null): number {
  if (authorizations.length > 1) return 400;
  if (expected === null) return 200;
  return authorizations[0] === expected ? 200 : 401;
}

const refusals: Readonly<Record<number, string>> = {
  400: 'Duplicate header: "Authorization"',
  401: 'Bad credentials',
  404: 'Repository not found',
};

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end(refusals[status]);
}

type Target = { readonly directory: string; readonly path: string; readonly query: string };

function targetOf(url: string, repositories: Readonly<Record<string, string>>): Target | null {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  for (const [name, directory] of Object.entries(repositories)) {
    for (const prefix of [`/${name}.git/`, `/${name}/`]) {
      if (!pathname.startsWith(prefix)) continue;
      return { directory, path: `/${pathname.slice(prefix.length)}`, query: searchParams.toString() };
    }
  }
  return null;
}

function serve(call: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  readonly allowAnyCommit: boolean;
}): void {
  const { request, response, target } = call;
  const backend = spawn('git', ['http-backend'], { env: backendEnvironment(call) });
  const chunks: Buffer[] = [];
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => {});
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.stderr.on('data', (chunk: Buffer) => process.stderr.write(`git http-backend ${target.path}: ${chunk}`));
  backend.on('close', () => answer(response, Buffer.concat(chunks)));
}

function backendEnvironment(call: {
  readonly request: IncomingMessage;
  readonly target: Target;
  readonly allowAnyCommit: boolean;
}): Record<string, string> {
  const { request, target, allowAnyCommit } = call;
  const configuration = {
    'safe.directory': '*',
    'uploadpack.allowFilter': 'true',
    'uploadpack.allowAnySHA1InWant': String(allowAnyCommit),
  };
  const environment: Record<string, string> = {
    ...cleanGitEnvironment,
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_PROJECT_ROOT: target.directory,
    PATH_INFO: target.path,
    QUERY_STRING: target.query,
    REQUEST_METHOD: request.method ?? 'GET',
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    GIT_CONFIG_COUNT: String(Object.keys(configuration).length),
  };
  // Version 2 of the protocol gives out every object that exists; only version 0 can refuse a hash.
  if (allowAnyCommit) environment['GIT_PROTOCOL'] = String(request.headers['git-protocol'] ?? '');
  for (const [index, [key, value]] of Object.entries(configuration).entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  const length = request.headers['content-length'];
  if (length !== undefined) environment['CONTENT_LENGTH'] = length;
  return environment;
}

/** Turns the CGI answer (headers, empty line, body) into an HTTP answer. */
function answer(response: ServerResponse, output: Buffer): void {
  const border = output.indexOf('\r\n\r\n');
  if (border === -1) {
    refuse(response, 404);
    return;
  }
  let status = 200;
  for (const line of output.subarray(0, border).toString('latin1').split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
  response.end(output.subarray(border + 4));
}
