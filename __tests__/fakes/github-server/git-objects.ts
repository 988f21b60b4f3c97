import type { Reply } from '../loopback.ts';
import { gitBytes, gitFact, gitFactText } from '../world/git.ts';
import { listCommits, renderGitCommit } from './pulls.ts';
import { type Call, json, notFound, problem, type RestShape, type Route } from './route.ts';

const read = [{ permission: 'contents', level: 'read' }] as const;

export const gitObjectRoutes: readonly Route[] = [
  { method: 'GET', pattern: /^\/contents\/?(?<path>.*)$/, needs: read, handle: getContents },
  { method: 'GET', pattern: /^\/git\/blobs\/(?<sha>[0-9a-f]{40})$/, needs: read, handle: getBlob },
  { method: 'GET', pattern: /^\/git\/trees\/(?<sha>[^/]+)$/, needs: read, handle: getTree },
  { method: 'GET', pattern: /^\/git\/commits\/(?<sha>[0-9a-f]{40})$/, needs: read, handle: getCommit },
];

type TreeQuery = { readonly tree: string; readonly recursive?: boolean; readonly path?: string };

type Entry = {
  readonly mode: string;
  readonly type: string;
  readonly sha: string;
  readonly size: number | null;
  readonly path: string;
};

async function getContents(call: Call): Promise<Reply> {
  const { gitDirectory } = call.store.world;
  const path = (call.names['path'] ?? '').replace(/\/$/, '');
  const commit = await resolveCommit(call, call.query.get('ref') ?? 'main');
  if (commit === null) return problem(404, `No commit found for the ref ${call.query.get('ref')}`);
  if (path === '') return json(200, (await listTree(gitDirectory, { tree: commit })).map(directoryEntry));
  const [entry] = await listTree(gitDirectory, { tree: commit, path });
  if (entry === undefined) return notFound();
  if (entry.type === 'tree') {
    const inside = await listTree(gitDirectory, { tree: `${commit}:${path}` });
    return json(
      200,
      inside.map((one) => directoryEntry({ ...one, path: `${path}/${one.path}` })),
    );
  }
  if (entry.type === 'commit')
    return json(200, { type: 'submodule', name: nameOf(path), path, sha: entry.sha, size: 0 });
  const content = await readBlob(gitDirectory, entry.sha);
  if (/\.raw(\s|;|\+|,|$)/.test(call.accept)) return rawContent(content);
  return json(200, fileContent(entry, content));
}

function fileContent(entry: Entry, content: Buffer): object {
  const common = { name: nameOf(entry.path), path: entry.path, sha: entry.sha, size: content.length };
  if (entry.mode === '120000') return { ...common, type: 'symlink', target: content.toString('utf8') };
  // Between 1 and 100 MB the API answers without the content, except in the raw media type.
  if (content.length > 1_000_000) return { ...common, type: 'file', encoding: 'none', content: '' };
  return { ...common, type: 'file', encoding: 'base64', content: wrapped(content) };
}

function directoryEntry(entry: Entry): object {
  const type = { tree: 'dir', commit: 'submodule' }[entry.type] ?? (entry.mode === '120000' ? 'symlink' : 'file');
  return { type, name: nameOf(entry.path), path: entry.path, sha: entry.sha, size: entry.size ?? 0 };
}

async function getBlob(call: Call): Promise<Reply> {
  const sha = call.names['sha'] ?? '';
  const content = await readBlob(call.store.world.gitDirectory, sha).catch(() => null);
  if (content === null) return notFound();
  if (/\.raw(\s|;|\+|,|$)/.test(call.accept)) return rawContent(content);
  const blob: RestShape<'blob'> = { sha, size: content.length, encoding: 'base64', content: wrapped(content) };
  return json(200, blob);
}

async function getTree(call: Call): Promise<Reply> {
  const { gitDirectory } = call.store.world;
  const name = call.names['sha'] ?? '';
  const sha = await gitFactText(gitDirectory, ['rev-parse', '--verify', '--quiet', `${name}^{tree}`]).catch(() => null);
  if (sha === null) return notFound();
  // Any value of `recursive`, be it 0 or false, means yes.
  const all = await listTree(gitDirectory, { tree: sha, recursive: call.query.has('recursive') });
  const tree: RestShape<'git-tree'> = {
    sha,
    truncated: all.length > 100_000,
    tree: all.slice(0, 100_000).map(({ path, mode, type, sha: object, size }) => ({
      path,
      mode,
      type,
      sha: object,
      ...(size === null ? {} : { size }),
    })),
  };
  return json(200, tree);
}

async function getCommit(call: Call): Promise<Reply> {
  const { gitDirectory } = call.store.world;
  const [commit] = await listCommits(gitDirectory, ['-1', call.names['sha'] ?? '']).catch(() => []);
  return commit === undefined ? notFound() : json(200, renderGitCommit(commit));
}

async function resolveCommit(call: Call, ref: string): Promise<string | null> {
  const { gitDirectory } = call.store.world;
  return gitFactText(gitDirectory, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]).catch(() => null);
}

async function listTree(gitDirectory: string, what: TreeQuery): Promise<readonly Entry[]> {
  const flags = ['-z', '-l', ...(what.recursive === true ? ['-r', '-t'] : [])];
  const path = what.path === undefined ? [] : ['--', what.path];
  const output = await gitFactText(gitDirectory, ['--literal-pathspecs', 'ls-tree', ...flags, what.tree, ...path]);
  return output
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', type = '', sha = '', size = '-'] = line.slice(0, tab).split(/ +/);
      return { mode, type, sha, size: size === '-' ? null : Number(size), path: line.slice(tab + 1) };
    });
}

const blobs = new Map<string, Buffer>();
const kept = 1_000_000;

/** The first blob of a repository brings all of its objects along: a process for each would take longer than the review. */
async function readBlob(gitDirectory: string, sha: string): Promise<Buffer> {
  if (!blobs.has(sha)) keepBlobs(await gitBytes({ directory: gitDirectory, args: allObjects }));
  return blobs.get(sha) ?? gitFact({ directory: gitDirectory, args: ['cat-file', 'blob', sha] });
}

const allObjects = ['cat-file', '--batch', '--batch-all-objects', '--unordered', '--buffer'];

/** `<hash> <type> <size>`, a line, then the content and a newline. */
function keepBlobs(output: Buffer): void {
  for (let at = 0; at < output.length; ) {
    const start = output.indexOf(10, at) + 1;
    const [hash = '', type, size] = output.toString('latin1', at, start - 1).split(' ');
    const end = start + Number(size);
    if (type === 'blob' && Number(size) < kept) blobs.set(hash, Buffer.from(output.subarray(start, end)));
    at = end + 1;
  }
}

function rawContent(content: Buffer): Reply {
  return { status: 200, headers: { 'content-type': 'application/vnd.github.raw; charset=utf-8' }, body: content };
}

/** GitHub breaks base64 into lines of 60 characters. */
function wrapped(content: Buffer): string {
  return content.toString('base64').replace(/.{60}/g, '$&\n');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
