import { type PullDiff, readPullDiff } from './changed-files.ts';
import type { GitHubWorld, WorldPullRequest } from './world.ts';

export type Side = 'RIGHT' | 'LEFT';

export type StoredComment = {
  readonly id: number;
  readonly author: string;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
  /** Logins of the people who gave it a 👎. */
  readonly thumbsDown: string[];
  isMinimized: boolean;
};

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

export type StoredReview = {
  readonly id: number;
  readonly author: string;
  body: string;
  state: ReviewState;
  readonly commit: string;
  readonly createdAt: string;
};

export type StoredReviewComment = StoredComment & { readonly reviewId: number | null; readonly replyTo: number | null };

export type StoredThread = {
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  /** Null for a comment on the file as a whole. */
  readonly line: number | null;
  readonly startLine: number | null;
  readonly commit: string;
  readonly outdated: boolean;
  resolved: boolean;
  resolvedBy: string | null;
  readonly comments: StoredReviewComment[];
};

export type StoredCheckRun = {
  readonly id: number;
  readonly content: Record<string, unknown>;
  readonly annotations: unknown[];
};

export type StoredPull = {
  given: WorldPullRequest;
  headSha: string;
  /** Heads before the last push: comments on them are outdated, and allowed. */
  readonly earlierHeads: string[];
  diff: PullDiff;
  readonly conversation: StoredComment[];
  readonly threads: StoredThread[];
  readonly reviews: StoredReview[];
};

export type Store = {
  readonly world: GitHubWorld;
  readonly pulls: readonly StoredPull[];
  readonly checkRuns: StoredCheckRun[];
  readonly reactions: { readonly comment: number; readonly content: string }[];
  nextId(): number;
};

/** Everything that GitHub remembers, from the world that a test describes. */
export async function createStore(world: GitHubWorld): Promise<Store> {
  let last = 1000;
  const nextId = () => ++last;
  const pulls = await Promise.all(world.pullRequests.map((given) => storePull(given, { world, nextId })));
  return { world, pulls, checkRuns: [], reactions: [], nextId };
}

export function reviewComments(pull: StoredPull): readonly { thread: StoredThread; comment: StoredReviewComment }[] {
  return pull.threads
    .flatMap((thread) => thread.comments.map((comment) => ({ thread, comment })))
    .sort((one, other) => one.comment.id - other.comment.id);
}

async function storePull(
  given: WorldPullRequest,
  { world, nextId }: { world: GitHubWorld; nextId: () => number },
): Promise<StoredPull> {
  const comment = (one: { author: string; body: string; date?: string }): StoredComment => {
    const date = one.date ?? '2026-11-02T10:00:00Z';
    return {
      id: nextId(),
      author: one.author,
      body: one.body,
      createdAt: date,
      updatedAt: date,
      thumbsDown: [],
      isMinimized: false,
    };
  };
  return {
    given,
    headSha: given.head.sha,
    earlierHeads: [],
    diff: await readPullDiff(world.gitDirectory, { base: given.base.sha, head: given.head.sha }),
    conversation: given.conversation.map(comment),
    threads: given.threads.map((thread) => ({
      id: `PRRT_${nextId()}`,
      path: thread.path,
      side: thread.side ?? 'RIGHT',
      line: thread.line,
      startLine: thread.startLine ?? null,
      commit: given.head.sha,
      outdated: thread.outdated ?? false,
      resolved: thread.resolved ?? false,
      resolvedBy: thread.resolved === true ? (thread.resolvedBy ?? given.author) : null,
      comments: thread.comments.map((one) => ({ ...comment(one), reviewId: null, replyTo: null })),
    })),
    reviews: [],
  };
}
