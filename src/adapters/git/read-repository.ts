import { contentOfBytes, isPointer, mediaBytes, mediaOf, unreadable } from '../../core/repository/file-content.ts';
import type { FileContent, FileEntry, ImageSource, Repository, Revision } from '../../core/repository/repository.ts';
import { repositoryPath } from './environment.ts';
import type { Git } from './git.ts';
import { type ObjectStream, type TreeEntry, treeWalk } from './objects.ts';

/** Full hashes of the pinned commits. */
export type PinnedCommits = { readonly base: string; readonly head: string; readonly mergeBase: string };

export type OpenRepository = Repository &
  ImageSource & {
    /** What a path names at a revision; null when there is nothing. */
    find(path: string, at: Revision): Promise<TreeEntry | null>;
    close(): void;
  };

/** Bytes; a larger file answers `too-large` without being read. */
const maxFileBytes = 2_000_000;

/** Reads git objects of the pinned commits. Listings are made once a revision. */
export function readRepository(git: Git, objects: ObjectStream, commits: PinnedCommits): OpenRepository {
  const findIn = treeWalk(objects);
  const listings = new Map<string, Promise<readonly FileEntry[]>>();

  const find = async (path: string, at: Revision) => {
    const normalised = repositoryPath(path);
    return normalised === null ? null : findIn(commitOf(commits, at), normalised);
  };
  return {
    find,
    readFile: async (path, at) => {
      const entry = await find(path, at);
      const content = await readBlob(entry, objects, maxFileBytes);
      if (content.kind === 'blob') return contentOfBytes(content.content);
      const isLarge = content.kind === 'unreadable' && content.reason === 'too-large' && entry !== null;
      return isLarge ? { ...content, media: mediaOf(await firstBytes(git, entry.hash)) } : content;
    },
    readBytes: async (path, at, maxBytes) => {
      const read = await readBlob(await find(path, at), objects, maxBytes);
      if (read.kind !== 'blob') return read;
      const { content } = read;
      return isPointer(content) ? unreadable('lfs-pointer', content.length) : { kind: 'bytes', bytes: content };
    },
    listFiles: (at) => {
      const commit = commitOf(commits, at);
      const listing = listings.get(commit) ?? listCommit(git, commit);
      listings.set(commit, listing);
      listing.catch(() => listings.delete(commit));
      return listing;
    },
    close: objects.close,
  };
}

function commitOf(commits: PinnedCommits, at: Revision): string {
  return at === 'merge-base' ? commits.mergeBase : commits[at];
}

type Blob = { readonly kind: 'blob'; readonly content: Buffer } | Exclude<FileContent, { kind: 'text' }>;

async function readBlob(entry: TreeEntry | null, objects: ObjectStream, maxBytes: number): Promise<Blob> {
  if (entry === null) return unreadable('missing', null);
  if (entry.mode === '40000') return unreadable('directory', null);
  if (entry.mode === '160000') return unreadable('submodule', null);
  const header = await objects.request(entry.hash, 'info');
  if (header === null) return unreadable('not-fetched', null);
  if (header.bytes > maxBytes) return unreadable('too-large', header.bytes);
  const blob = await objects.request(entry.hash, 'contents');
  if (blob === null || blob.content === null) return unreadable('not-fetched', header.bytes);
  return entry.mode === '120000'
    ? { kind: 'symlink', target: blob.content.toString('utf8') }
    : { kind: 'blob', content: blob.content };
}

/** The beginning of a blob that is too large to be read. */
async function firstBytes(git: Git, hash: string): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  const onOutput = (chunk: Buffer) => {
    start = Buffer.concat([start, chunk]);
    return start.length < mediaBytes ? 'go on' : 'stop';
  };
  await git.run(['cat-file', 'blob', hash], { onOutput });
  return start;
}

async function listCommit(git: Git, commit: string): Promise<readonly FileEntry[]> {
  const stdout = await git.read(['ls-tree', '-r', '-z', '--long', '--full-tree', commit]);
  const entries: FileEntry[] = [];
  // Each record by itself: parts of one text for all would keep the hashes in memory as well.
  for (let start = 0, end = stdout.indexOf(0); end !== -1; start = end + 1, end = stdout.indexOf(0, start)) {
    entries.push(...listedEntry(stdout.subarray(start, end)));
  }
  return entries;
}

// <mode> SP <type> SP <hash> SP <size, padded> TAB <path>
function listedEntry(record: Buffer): readonly FileEntry[] {
  const tab = record.indexOf('\t');
  if (tab === -1) return [];
  const [mode, , , size] = record.toString('latin1', 0, tab).split(/ +/);
  const bytes = Number.parseInt(size ?? '', 10);
  const kind = mode === '160000' ? 'submodule' : mode === '120000' ? 'symlink' : 'file';
  return [{ path: record.toString('utf8', tab + 1), kind, bytes: Number.isNaN(bytes) ? null : bytes }];
}
