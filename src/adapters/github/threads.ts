import { endedComment, isMarkedEnded, reopenedComment } from '../../core/memory/ended-comment.ts';
import type { Life } from '../../core/memory/life.ts';
import type { Held, PriorFinding } from '../../core/memory/memory.ts';
import type { Comment, ReviewThread } from '../../core/pull-request/pull-request.ts';
import type { Review } from '../../core/review/review.ts';
import type { Delivery, Destination } from '../../core/review/sink.ts';
import { severities } from '../../core/settings/setting.ts';
import { english, type Say, type Sentence } from '../../core/words/say.ts';
import { answerOf, isQueryRefusal, messageOf } from './answers.ts';
import { type GitHub, inRepository, type Refusal, refusalIn, refusalOf } from './client.ts';
import { capped } from './posted.ts';
import type { PullRequestReference } from './pull.ts';

/** Each is a write: the rest is left to the next run. */
const markedAtMost = 20;

/**
 * Closes our comments on findings that ended: the threads of what is fixed are resolved where the token may; else, and with what is gone with its
 * file, the comment is minimised, else edited. Threads in which people wrote are theirs and stay as they are.
 */
export function outdatedComments(options: MarkerOptions): Destination {
  const name = 'outdated comments';
  return {
    name,
    deliver: async ({ review: { gone } }) => {
      const delivery = (status: Delivery['status'], reason: string | null): Delivery => {
        return { sink: name, status, reason, delivered: [], url: null };
      };
      const open = toMark(gone);
      if (options.github.signal.aborted) return delivery('skipped', null);
      const marker = new Marker(options);
      const { marked, stop } = await markAll(marker, open.slice(0, markedAtMost));
      const rest = open.length - markedAtMost;
      const left =
        rest > 0
          ? english.many(
              rest,
              '{n} outdated comment left to the next run.',
              '{n} outdated comments left to the next run.',
            )
          : '';
      const told = [...marker.refused, stop === null ? left : describe(stop)].filter((part) => part !== '').join(' ');
      if (marked > 0) return delivery('delivered', told || null);
      if (stop === null)
        return delivery('skipped', told || (open.length === 0 ? english('No comments to mark.') : null));
      return delivery(stop.kind === 'permission' ? 'refused' : 'failed', told);
    },
  };
}

type InThread = Extract<Held, { in: 'thread' }>;

/** The threads that are not marked yet and hold nobody's words but ours, the most severe first. */
function toMark(gone: readonly PriorFinding[]): readonly (InThread & { readonly life: Life })[] {
  const bySeverity = gone.toSorted(
    (one, other) => severities.indexOf(one.mark.severity) - severities.indexOf(other.mark.severity),
  );
  return bySeverity.flatMap(({ held, life }) => {
    if (held.in !== 'thread' || held.thread.isResolved || held.comment.isMinimized) return [];
    if (held.thread.isStateUnknown) return [];
    const isOurs = held.thread.comments.every(({ isSelf }) => isSelf);
    return isOurs && !isMarkedEnded(held.comment.body) ? [{ ...held, life }] : [];
  });
}

/** Marks one after the other, until GitHub takes no more. */
async function markAll(
  marker: Marker,
  open: readonly (InThread & { readonly life: Life })[],
): Promise<{ marked: number; stop: Refusal | null }> {
  let marked = 0;
  for (const held of open) {
    try {
      if (await marker.mark(held)) marked += 1;
    } catch (error) {
      return { marked, stop: refusalIn(error) };
    }
  }
  return { marked, stop: null };
}

function describe({ kind, reason }: Refusal): string {
  if (kind === 'cancelled') return english('The run was cancelled: the rest is left to the next one.');
  return english('Outdated comments could not be marked: {why}.', { why: reason });
}

type MarkerOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  /** Full hash of the reviewed head. */
  readonly commit: string;
  /** In the language of the pull request. */
  readonly say: Say;
};

type Way = 'resolve' | 'minimise';

/** Marks comments as outdated in the best way that the token may go, and tries a way that was refused only once. */
class Marker {
  readonly #options: MarkerOptions;
  readonly #refusals: Map<Way, string> = new Map();

  constructor(options: MarkerOptions) {
    this.#options = options;
  }

  /** The ways that GitHub refused although it had said they are open, one sentence each. */
  get refused(): readonly string[] {
    return [...this.#refusals].map(([way, reason]) => `${english(names[way], { why: reason })}${hints[way]}`);
  }

  /**
   * False when somebody deleted the comment meanwhile.
   *
   * @throws what Octokit throws when no way is left, the answer was lost, or the run was cancelled.
   */
  async mark({ thread, comment, life }: { thread: ReviewThread; comment: Comment; life: Life }): Promise<boolean> {
    const { github } = this.#options;
    const isFixed = life === 'fixed';
    const why = isFixed ? 'RESOLVED' : 'OUTDATED';
    const resolve = () => github.mutate(resolveThread, { thread: thread.id });
    const minimise = () => github.mutate(minimizeComment, { comment: comment.id, why });
    if (isFixed && thread.viewerCanResolve && (await this.#tryTo('resolve', resolve))) return true;
    if (comment.viewerCanMinimize && (await this.#tryTo('minimise', minimise))) return true;
    return await this.#edit(comment, life);
  }

  async #tryTo(way: Way, write: () => Promise<unknown>): Promise<boolean> {
    if (this.#refusals.has(way)) return false;
    try {
      await write();
      return true;
    } catch (error) {
      if (!isQueryRefusal(error) && refusalOf(error)?.kind !== 'permission') throw error;
      const reason = messageOf(error);
      // A thread that is gone says nothing of the next one.
      if (!/^Could not resolve to /.test(reason)) this.#refusals.set(way, reason);
      return false;
    }
  }

  async #edit({ restId, body }: Comment, life: Life): Promise<boolean> {
    const { github, reference, commit, say } = this.#options;
    if (restId === null) return false;
    const asked = {
      ...inRepository(reference),
      comment_id: restId,
      body: capped(endedComment(body, { life, commit, say })),
    };
    try {
      await github.rest.pulls.updateReviewComment(asked);
      return true;
    } catch (error) {
      if (answerOf(error)?.status === 404) return false;
      throw error;
    }
  }
}

const names = {
  resolve: 'Threads were not resolved: {why}.',
  minimise: 'Comments were not minimised: {why}.',
} as const satisfies Readonly<Record<Way, Sentence>>;
const hints = { resolve: ` ${english('Grant `contents: write` for that.')}`, minimise: '' } as const;

/**
 * Opens the threads of findings that came back: unresolved, shown again, and without the words that said that it ended. Where GitHub does not
 * permit it, the review holds the finding anew.
 */
export async function reopenReturned(
  review: Review,
  to: { readonly github: GitHub; readonly reference: PullRequestReference },
): Promise<{ readonly review: Review; readonly trouble: string | null }> {
  const threads = new Map(review.lives.flatMap(({ id, held }) => (held.in === 'thread' ? [[id, held] as const] : [])));
  const refused = new Map<string, string>();
  for (const { id, earlierId = '', place, life } of review.findings) {
    const held = threads.get(earlierId);
    if (place !== 'standing' || life !== 'returned' || held === undefined) continue;
    const why = await reopen(held, to).catch(messageOf);
    if (why !== null) refused.set(id, why);
  }
  if (refused.size === 0) return { review, trouble: null };
  const findings = review.findings.map((one) => (refused.has(one.id) ? (one.anew ?? one) : one));
  const [why = ''] = refused.values();
  const trouble = english.many(
    refused.size,
    '{n} thread could not be opened again ({why}): what came back is said anew.',
    '{n} threads could not be opened again ({why}): what came back is said anew.',
    { why: why.replace(/\.$/, '') },
  );
  return { review: { ...review, findings }, trouble };
}

/** Null when it is open; else why it cannot be opened. @throws what Octokit throws. */
async function reopen(
  { thread, comment }: InThread,
  { github, reference }: { github: GitHub; reference: PullRequestReference },
): Promise<string | null> {
  if (thread.isResolved) await github.mutate(unresolveThread, { thread: thread.id });
  if (comment.isMinimized) await github.mutate(unminimizeComment, { comment: comment.id });
  if (!isMarkedEnded(comment.body)) return null;
  const body = reopenedComment(comment.body);
  if (body === null || comment.restId === null) return english('somebody changed its comment');
  await github.rest.pulls.updateReviewComment({ ...inRepository(reference), comment_id: comment.restId, body });
  return null;
}

/** Needs `contents: write`. */
const resolveThread = `mutation PostilResolve($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { id } }
}`;

/** Needs what resolving needs. */
const unresolveThread = `mutation PostilUnresolve($thread: ID!) {
  unresolveReviewThread(input: { threadId: $thread }) { thread { id } }
}`;

const minimizeComment = `mutation PostilMinimize($comment: ID!, $why: ReportedContentClassifiers!) {
  minimizeComment(input: { subjectId: $comment, classifier: $why }) { minimizedComment { isMinimized } }
}`;

const unminimizeComment = `mutation PostilUnminimize($comment: ID!) {
  unminimizeComment(input: { subjectId: $comment }) { unminimizedComment { isMinimized } }
}`;
