import type { FileContent, FileEntry, Repository } from '../../core/repository/repository.ts';
import { createBlobs } from './blobs.ts';
import type { GitHub } from './client.ts';
import { contentOf } from './file-content.ts';
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
 * Both functions throw a UserError when GitHub refuses or a commit does not exist.
 */
export function apiRepository(github: GitHub, options: ApiRepositoryOptions): Repository {
  const blobs = createBlobs(github);
  const { base, head, mergeBase } = options.commits;
  const commits = { base, head, 'merge-base': mergeBase };
  const treesOf = remember((commit: string) => openCommit(github, { options, commit }));
  return {
    readFile: async (path, at) => {
      const trees = await treesOf(commits[at]);
      const found = await trees.find(path);
      if (found.kind !== 'found') return { kind: 'unreadable', reason: found.kind, bytes: null };
      const refusal = refuse(found.entry);
      if (refusal !== null) return refusal;
      const bytes = await blobs.read({ ...trees.repository, sha: found.entry.sha });
      return contentOf(bytes, { symlink: found.entry.mode === '120000' });
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

function refuse(entry: TreeEntry): FileContent | null {
  const bytes = entry.size ?? null;
  if (entry.type === 'tree') return { kind: 'unreadable', reason: 'directory', bytes: null };
  if (entry.type === 'commit') return { kind: 'unreadable', reason: 'submodule', bytes: null };
  if (bytes !== null && bytes > largestFile) return { kind: 'unreadable', reason: 'too-large', bytes };
  return null;
}

function fileEntry(entry: TreeEntry): readonly FileEntry[] {
  const { path, size } = entry;
  if (entry.type === 'tree') return [];
  if (entry.type === 'commit') return [{ path, kind: 'submodule', bytes: null }];
  return [{ path, kind: entry.mode === '120000' ? 'symlink' : 'file', bytes: size ?? null }];
}
