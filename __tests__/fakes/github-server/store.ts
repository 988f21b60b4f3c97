import type { StoredArtifact } from './artifact.ts';
import { type PullDiff, readPullDiff } from './changed-files.ts';
import type { GitHubWorld, Outdated, WorldComment, WorldPullRequest } from './world.ts';

export type Side = 'RIGHT' | 'LEFT';

export type StoredComment = {
  readonly id: number;
  readonly author: string;
  body: string;
  readonly createdAt: string;
  /** Its last edit. */
  edited: { readonly by: string; readonly date: string } | null;
  /** By GraphQL's names, such as THUMBS_DOWN. */
  reactions: { readonly by: string; readonly content: string; readonly date: string }[];
  isMinimized: boolean;
};

export type ReviewState = 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';

export type StoredReview = Omit<StoredComment, Later> &
  Partial<Pick<StoredComment, Later>> & { state: ReviewState; readonly commit: string };

/** What happens to something that was said. */
type Later = 'edited' | 'reactions' | 'isMinimized';

/** Of which review it is; null for one that stands alone. */
export type StoredReviewComment = StoredComment & { readonly reviewId: number | null };

export type StoredThread = {
  readonly id: string;
  readonly path: string;
  readonly side: Side;
  /** Null for a comment on the file as a whole. */
  readonly line: number | null;
  readonly startLine: number | null;
  readonly commit: string;
  readonly outdated: Outdated;
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
  /** The diffs of all heads, by commit, where there is no git to ask. */
  readonly diffs?: Map<string, PullDiff>;
  readonly conversation: StoredComment[];
  readonly threads: StoredThread[];
  readonly reviews: StoredReview[];
};

export type Store = {
  readonly world: GitHubWorld;
  readonly pulls: readonly StoredPull[];
  readonly checkRuns: StoredCheckRun[];
  readonly artifacts: StoredArtifact[];
  /** Workflow runs that were asked to run again, by their ids. */
  readonly reruns: number[];
  /** Names of the labels that the repository has. */
  readonly labels: string[];
  nextId(): number;
};

/** Everything that GitHub remembers, from the world that a test describes. */
export async function createStore(world: GitHubWorld): Promise<Store> {
  let last = 1000;
  const nextId = () => ++last;
  const labels = [...(world.labels ?? []), ...world.pullRequests.flatMap((pull) => pull.labels)];
  const store = { world, checkRuns: [], artifacts: [], reruns: [], labels, nextId };
  return { ...store, pulls: await Promise.all(world.pullRequests.map((given) => storePull(given, store))) };
}

export function reviewComments(pull: StoredPull): readonly { thread: StoredThread; comment: StoredReviewComment }[] {
  return pull.threads
    .flatMap((thread) => thread.comments.map((comment) => ({ thread, comment })))
    .sort((one, other) => one.comment.id - other.comment.id);
}

export function newComment(
  { nextId }: Pick<Store, 'nextId'>,
  { author, body, date = new Date().toISOString() }: WorldComment,
): StoredComment {
  return { id: nextId(), author, body, createdAt: date, edited: null, reactions: [], isMinimized: false };
}

/** An answer in a thread: GitHub makes a review without words around it. */
export function addReply(
  store: Pick<Store, 'nextId'>,
  { pull, thread }: { readonly pull: StoredPull; readonly thread: StoredThread },
  { author, body, date }: WorldComment,
): StoredReviewComment {
  const written = date === undefined ? {} : { date };
  const around = newComment(store, { author, body: '', ...written });
  pull.reviews.push({ ...around, state: 'COMMENTED', commit: pull.headSha });
  const reply = { ...newComment(store, { author, body, ...written }), reviewId: around.id };
  thread.comments.push(reply);
  return reply;
}

/** The kinds of what is said, by the names of their events. */
export type Said = { readonly pull: StoredPull } & (
  | { readonly kind: 'issue_comment'; readonly said: StoredComment }
  | { readonly kind: 'pull_request_review_comment'; readonly said: StoredReviewComment; readonly thread: StoredThread }
  | { readonly kind: 'pull_request_review'; readonly said: StoredReview }
);

/** The ids by which GraphQL knows what REST knows by its number. */
export const nodeIds = {
  issue_comment: (id: number) => `IC_${id}`,
  pull_request_review_comment: (id: number) => `PRRC_${id}`,
  pull_request_review: (id: number) => `PRR_${id}`,
} as const;

/** Everything that was said on all pull requests. */
export function allSaid({ pulls }: Pick<Store, 'pulls'>): readonly Said[] {
  return pulls.flatMap((pull): readonly Said[] => [
    ...pull.conversation.map((said) => ({ kind: 'issue_comment', pull, said }) as const),
    ...reviewComments(pull).map(
      ({ thread, comment: said }) => ({ kind: 'pull_request_review_comment', pull, thread, said }) as const,
    ),
    ...pull.reviews.map((said) => ({ kind: 'pull_request_review', pull, said }) as const),
  ]);
}

/** A locked conversation is open to people who may write; no workflow's token is one of them. */
export function isLocked({ world }: Pick<Store, 'world'>, { given }: StoredPull): boolean {
  return given.locked === true && !['admin', 'write'].includes(world.collaborators[world.viewer] ?? 'none');
}

type Place = Pick<StoredThread, 'path' | 'side' | 'line' | 'startLine' | 'commit'>;

export function newThread(
  { nextId }: Pick<Store, 'nextId'>,
  given: Place & Partial<Pick<StoredThread, 'outdated' | 'comments'>>,
): StoredThread {
  return { id: `PRRT_${nextId()}`, outdated: false, resolved: false, resolvedBy: null, comments: [], ...given };
}

async function storePull(given: WorldPullRequest, store: Omit<Store, 'pulls'>): Promise<StoredPull> {
  const comment = (one: WorldComment) => newComment(store, { date: '2026-11-02T10:00:00Z', ...one });
  return {
    given,
    headSha: given.head.sha,
    earlierHeads: [],
    diff: await readPullDiff(store.world.gitDirectory, { base: given.base.sha, head: given.head.sha }),
    conversation: given.conversation.map(comment),
    threads: given.threads.map(
      ({ comments, resolved = false, resolvedBy = given.author, side = 'RIGHT', startLine = null, ...thread }) => ({
        ...newThread(store, { ...thread, side, startLine, commit: given.head.sha }),
        resolved,
        resolvedBy: resolved ? resolvedBy : null,
        comments: comments.map((one) => ({ ...comment(one), reviewId: null })),
      }),
    ),
    reviews: [],
  };
}

export function firstPull(store: Store): StoredPull {
  const [first] = store.pulls;
  if (first === undefined) throw new Error('The world has no pull request.');
  return first;
}
