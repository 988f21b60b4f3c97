import type { Past } from '../../core/memory/memory.ts';
import type { ChangedFile } from '../../core/pull-request/changed-file.ts';
import { changedFileFrom } from './changed-file-from.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { mayWrite } from './may-write.ts';
import { remember } from './remember.ts';

export type PastOptions = {
  readonly reference: PullRequestReference;
  /** Full hash of the present head. */
  readonly head: string;
  /** The diff by git; null when git does not have one of the commits. */
  readonly diff: (from: string, to: string) => Promise<readonly ChangedFile[] | null>;
};

type Relation = Awaited<ReturnType<Past['relationOf']>>;

/** What of earlier runs is asked of GitHub: each question once. Git gives the diffs, and GitHub where git cannot. */
export function gitHubPast(github: GitHub, { reference, head, diff }: PastOptions): Past {
  const { owner, repository: repo } = reference;
  const compare = remember((earlier: string) =>
    github.rest.repos.compareCommitsWithBasehead({ owner, repo, basehead: `${earlier}...${head}` }),
  );
  const relationOf = async (earlier: string): Promise<Relation> => {
    if (earlier === head) return 'same';
    try {
      return relations[(await compare(earlier)).data.status];
    } catch {
      // Whatever is wrong with an old commit (404 once it was collected, 500 when the diff is too slow), a full review does without it.
      return 'gone';
    }
  };
  return {
    // Who cannot be shown to have the permission does not have it.
    canWrite: remember(async (login: string) => (await mayWrite(github, { repository: reference, login })) ?? false),
    relationOf,
    changesBetween: async (from, to) => {
      const byGit = await diff(from, to);
      if (byGit !== null || to !== head || (await relationOf(from)) !== 'ancestor') return byGit;
      const files = (await compare(from)).data.files ?? [];
      // GitHub lists so many and does not say that there are more.
      return files.length < listedFiles ? files.map(changedFileFrom) : null;
    },
  };
}

const listedFiles = 300;

const relations = { identical: 'same', ahead: 'ancestor', behind: 'diverged', diverged: 'diverged' } as const;
