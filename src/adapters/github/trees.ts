import type { GitHub } from './client.ts';
import { gitHubError } from './github-error.ts';
import { remember } from './remember.ts';

export type RepositoryName = { readonly owner: string; readonly repository: string };

type Tree = Awaited<ReturnType<GitHub['rest']['git']['getTree']>>['data'];
export type TreeEntry = Tree['tree'][number];

export type Found =
  | { readonly kind: 'found'; readonly entry: TreeEntry }
  | { readonly kind: 'missing' | 'not-fetched' | 'directory' };

export type Trees = {
  readonly repository: RepositoryName;
  /** Everything in the commit, directories included; a part of it when `truncated`. */
  readonly entries: readonly TreeEntry[];
  readonly truncated: boolean;
  find(path: string): Promise<Found>;
};

/**
 * The files of one commit. GitHub lists at most 100,000 entries or 7 MB at once; what is not among them is found
 * directory by directory.
 *
 * Throws what Octokit throws when the commit cannot be listed, afterwards a UserError.
 */
export async function createTrees(
  github: GitHub,
  { repository, commit }: { readonly repository: RepositoryName; readonly commit: string },
): Promise<Trees> {
  const get = async (sha: string, options: { recursive?: string }): Promise<Tree> => {
    const { owner, repository: repo } = repository;
    const answer = await github.rest.git.getTree({ owner, repo, tree_sha: sha, ...options });
    return answer.data;
  };
  const all = await get(commit, { recursive: '1' });
  const byPath = new Map(all.tree.map((entry) => [entry.path, entry]));
  const directory = remember(async (sha: string): Promise<Tree> => {
    try {
      return await get(sha, {});
    } catch (error) {
      const subject = `directory ${sha.slice(0, 12)} in ${repository.owner}/${repository.repository}`;
      throw gitHubError(error, { subject, permission: 'contents: read' });
    }
  });
  return {
    repository,
    entries: all.tree,
    truncated: all.truncated,
    find: async (path) => {
      if (path === '') return { kind: 'directory' };
      const entry = byPath.get(path);
      if (entry !== undefined) return { kind: 'found', entry };
      return all.truncated ? await walk({ commit, path, directory }) : { kind: 'missing' };
    },
  };
}

async function walk(start: {
  readonly commit: string;
  readonly path: string;
  readonly directory: (sha: string) => Promise<Tree>;
}): Promise<Found> {
  const names = start.path.split('/');
  let sha = start.commit;
  for (const [index, name] of names.entries()) {
    const tree = await start.directory(sha);
    const entry = tree.tree.find((one) => one.path === name);
    if (entry === undefined) return { kind: tree.truncated ? 'not-fetched' : 'missing' };
    if (index === names.length - 1) return { kind: 'found', entry };
    if (entry.type !== 'tree') return { kind: 'missing' };
    sha = entry.sha;
  }
  return { kind: 'missing' };
}
