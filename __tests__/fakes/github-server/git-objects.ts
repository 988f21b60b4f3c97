import type { Reply } from '../loopback.ts';
import { gitBytes, gitFact, gitFactText } from '../world/git.ts';
import { type Call, json, notFound, type RestShape, type Route, route } from './route.ts';

export const gitObjectRoutes: readonly Route[] = [
  route('GET /git/blobs/:sha', ['contents: read'], getBlob),
  route('GET /git/trees/:sha', ['contents: read'], getTree),
  route('GET /git/ref/:ref', ['contents: read'], getRef),
  route('GET /git/tags/:sha', ['contents: read'], getTag),
];

async function getBlob(call: Call): Promise<Reply> {
  const sha = call.names['sha'] ?? '';
  const content = await readBlob(call.gitDirectory, sha).catch(() => null);
  if (content === null) return notFound();
  const blob: RestShape<'blob'> = { sha, size: content.length, encoding: 'base64', content: wrapped(content) };
  return json(200, blob);
}

async function getRef(call: Call): Promise<Reply> {
  const ref = `refs/${call.names['ref'] ?? ''}`;
  const object = await objectAt(call, ref);
  return object === null ? notFound() : json(200, { ref, object } satisfies RestShape<'git-ref'>);
}

async function getTag(call: Call): Promise<Reply> {
  const sha = call.names['sha'] ?? '';
  if ((await objectAt(call, sha))?.type !== 'tag') return notFound();
  const text = await gitFactText(call.gitDirectory, ['cat-file', 'tag', sha]);
  const [, named = ''] = /^object (\w+)$/m.exec(text) ?? [];
  const object = await objectAt(call, named);
  return object === null ? notFound() : json(200, { sha, object } satisfies RestShape<'git-tag'>);
}

async function objectAt({ gitDirectory }: Call, name: string) {
  const sha = await gitFactText(gitDirectory, ['rev-parse', '--verify', '--quiet', name]).catch(() => null);
  return sha === null ? null : { sha, type: await gitFactText(gitDirectory, ['cat-file', '-t', sha]) };
}

async function getTree(call: Call): Promise<Reply> {
  const { gitDirectory } = call;
  const name = call.names['sha'] ?? '';
  const sha = await gitFactText(gitDirectory, ['rev-parse', '--verify', '--quiet', `${name}^{tree}`]).catch(() => null);
  if (sha === null) return notFound();
  // Any value of `recursive`, be it 0 or false, means yes.
  const all = await listTree(gitDirectory, sha, call.query.has('recursive') ? ['-r', '-t'] : []);
  const tree: RestShape<'git-tree'> = { sha, truncated: all.length > 100_000, tree: all.slice(0, 100_000) };
  return json(200, tree);
}

async function listTree(gitDirectory: string, tree: string, flags: readonly string[]) {
  const output = await gitFactText(gitDirectory, ['ls-tree', '-z', '-l', ...flags, tree]);
  const lines = output.split('\0').filter((line) => line !== '');
  return lines.map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', type = '', sha = '', size = '-'] = line.slice(0, tab).split(/ +/);
    return { path: line.slice(tab + 1), mode, type, sha, ...(size === '-' ? {} : { size: Number(size) }) };
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

/** GitHub breaks base64 into lines of 60 characters. */
function wrapped(content: Buffer): string {
  return content.toString('base64').replace(/.{60}/g, '$&\n');
}
