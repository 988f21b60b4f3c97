import { contentOfBytes, isPointer, unreadable } from '../../core/repository/file-content.ts';
import type { ImageSource } from '../../core/repository/image-source.ts';
import type { FileContent, FileEntry, Repository, Revision } from '../../core/repository/repository.ts';
import { createBlobs } from './blobs.ts';
import type { GitHub } from './client.ts';
import { answerOf } from './github-answer.ts';
import { gitHubError } from './github-error.ts';
import { remember } from './remember.ts';
import { createTrees, type RepositoryName, type TreeEntry, type Trees } from './trees.ts';

/** Beyond it a file is not worth the download: no tool shows more than a part of it. In bytes. */
const largestFile = 10_000_000;

export type ApiRepositoryOptions = RepositoryName & {
  readonly commits: { readonly base: string; readonly head: string; readonly mergeBase: string };
  /** Where head lives when it is a fork: asked when the base repository does not know the commit. */
  readonly headRepository?: RepositoryName | null;
  /** Told once a commit when GitHub lists only a part of its files. */
  readonly onNote?: (text: string) => void;
};

/**
 * The pinned commits by GitHub's git database: for runs without git. One request lists a commit, one reads a file;
 * both are remembered. Trees are read rather than contents, which would follow symbolic links.
 *
 * All functions throw a UserError when GitHub refuses or a commit does not exist.
 */
export function apiRepository(github: GitHub, options: ApiRepositoryOptions): Repository & ImageSource {
  const blobs = createBlobs(github);
  const { base, head, mergeBase } = options.commits;
  const commits = { base, head, 'merge-base': mergeBase };
  const treesOf = remember((commit: string) => openCommit(github, { options, commit }));
  const read = async (path: string, { at, maxBytes }: { readonly at: Revision; readonly maxBytes: number }) => {
    const trees = await treesOf(commits[at]);
    const found = await trees.find(path);
    if (found.kind !== 'found') return unreadable(found.kind, null);
    const refusal = refuse(found.entry, maxBytes);
    if (refusal !== null) return refusal;
    const blob = await blobs.read({ ...trees.repository, sha: found.entry.sha });
    if (found.entry.mode === '120000') return { kind: 'symlink', target: blob.toString('utf8') } as const;
    return { kind: 'blob', blob } as const;
  };
  return {
    readFile: async (path, at) => {
      const content = await read(path, { at, maxBytes: largestFile });
      return content.kind === 'blob' ? contentOfBytes(content.blob) : content;
    },
    readBytes: async (path, at, maxBytes) => {
      const content = await read(path, { at, maxBytes });
      if (content.kind !== 'blob') return content;
      // Not every tree tells the size.
      if (content.blob.length > maxBytes) return unreadable('too-large', content.blob.length);
      if (isPointer(content.blob)) return unreadable('lfs-pointer', content.blob.length);
      return { kind: 'bytes', bytes: content.blob };
    },
    listFiles: async (at) => {
      const trees = await treesOf(commits[at]);
      return trees.entries.flatMap(fileEntry).sort((one, other) => (one.path < other.path ? -1 : 1));
    },
  };
}

type Commit = { readonly options: ApiRepositoryOptions; readonly commit: string };

async function openCommit(github: GitHub, { options, commit }: Commit): Promise<Trees> {
  const { owner, repository, headRepository = null } = options;
  const fork = commit === options.commits.head ? headRepository : null;
  const open = (name: RepositoryName) => createTrees(github, { repository: name, commit });
  try {
    const trees = await open({ owner, repository }).catch((error: unknown) => {
      if (fork === null || answerOf(error)?.status !== 404) throw error;
      return open(fork);
    });
    if (trees.truncated) {
      options.onNote?.(`GitHub lists only the first ${trees.entries.length} entries of ${commit.slice(0, 12)}.`);
    }
    return trees;
  } catch (error) {
    const subject = `commit ${commit.slice(0, 12)} in ${owner}/${repository}`;
    throw gitHubError(error, { subject, permission: 'contents: read' });
  }
}

type Unreadable = Extract<FileContent, { readonly kind: 'unreadable' }>;

function refuse(entry: TreeEntry, maxBytes: number): Unreadable | null {
  const bytes = entry.size ?? null;
  if (entry.type === 'tree') return unreadable('directory', null);
  if (entry.type === 'commit') return unreadable('submodule', null);
  return bytes !== null && bytes > maxBytes ? unreadable('too-large', bytes) : null;
}

function fileEntry(entry: TreeEntry): readonly FileEntry[] {
  const { path, size } = entry;
  if (entry.type === 'tree') return [];
  if (entry.type === 'commit') return [{ path, kind: 'submodule', bytes: null }];
  return [{ path, kind: entry.mode === '120000' ? 'symlink' : 'file', bytes: size ?? null }];
}
