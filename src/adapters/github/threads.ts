import { endedComment, isMarkedEnded, reopenedComment } from '../../core/history/ended-comment.ts';
import type { Life } from '../../core/history/life.ts';
import type { Held, KnownPart } from '../../core/history/memory.ts';
import { inEnglish } from '../../core/messages/languages.ts';
import type { Message } from '../../core/messages/message.ts';
import type { Translator } from '../../core/messages/translator.ts';
import type { Comment, ReviewThread } from '../../core/pull-request/pull-request.ts';
import type { Review } from '../../core/review/review.ts';
import { type Destination, deliveryOf, messagesOf } from '../../core/review/sink.ts';
import { severities } from '../../core/settings/setting.ts';
import { answerOf, isQueryRefusal, messageOf } from './answers.ts';
import { type GitHub, inRepository, type Refusal, refusalIn, refusalOf } from './client.ts';
import { capped } from './posted.ts';
import type { GitHubSession, PullRequestReference } from './pull.ts';

/** Each is a write: the rest is left to the next run. */
const markedAtMost = 20;

/**
 * Closes our comments on findings that ended: the threads of what is fixed are resolved where the token may; else, and with what is gone with its
 * file, the comment is minimised, else edited. Threads in which people wrote are theirs and stay as they are.
 */
export function outdatedComments(session: GitHubSession, given: MarkerOptions): Destination {
  const options = { ...session, ...given };
  const name = 'outdated comments';
  return {
    name,
    deliver: async ({ review: { gone, round } }) => {
      const open = toMark([...gone, ...(round?.twins ?? []).map((twin) => ({ ...twin, life: 'gone' as const }))]);
      if (options.github.signal.aborted) return deliveryOf(name, 'skipped');
      const marker = new Marker(options);
      const { marked, stop } = await markAll(marker, open.slice(0, markedAtMost));
      const rest = open.length - markedAtMost;
      const left: Message | null = rest > 0 ? { code: 'threads.left', count: rest } : null;
      const reason = messagesOf(marker.refused, stop === null ? left : describe(stop));
      if (marked > 0) return deliveryOf(name, 'delivered', reason);
      if (stop !== null) return deliveryOf(name, stop.kind === 'permission' ? 'refused' : 'failed', reason);
      return deliveryOf(name, 'skipped', open.length === 0 && reason.length === 0 ? { code: 'threads.none' } : reason);
    },
  };
}

type InThread = Extract<Held, { in: 'thread' }>;

/** The threads that are not marked yet and hold nobody's words but ours, the most severe first. */
function toMark(gone: readonly KnownPart[]): readonly (InThread & { readonly life: Life })[] {
  const bySeverity = gone.toSorted(
    (one, other) => severities.indexOf(one.mark.severity) - severities.indexOf(other.mark.severity),
  );
  return bySeverity.flatMap(({ held, life }) => {
    if (held.in !== 'thread' || held.thread.isResolved || held.comment.isMinimized) return [];
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

function describe({ kind, reason }: Refusal): Message {
  if (kind === 'cancelled') return { code: 'threads.cancelled' };
  return { code: 'threads.failed', why: reason };
}

type MarkerOptions = {
  /** Full hash of the reviewed head. */
  readonly commit: string;
  /** In the language of the pull request. */
  readonly t: Translator;
};

type MarkerWork = GitHubSession & MarkerOptions;

type Way = 'resolve' | 'minimise';

/** Marks comments as outdated in the best way that the token may go, and tries a way that was refused only once. */
class Marker {
  readonly #options: MarkerWork;
  readonly #refusals: Map<Way, string> = new Map();

  constructor(options: MarkerWork) {
    this.#options = options;
  }

  /** The ways that GitHub refused although it had said they are open, one sentence each. */
  get refused(): readonly Message[] {
    return [...this.#refusals].flatMap(([way, why]): readonly Message[] =>
      way === 'minimise'
        ? [{ code: 'threads.minimise-refused', why }]
        : [{ code: 'threads.resolve-refused', why }, { code: 'grant.contents' }],
    );
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
    const { github, reference, commit, t } = this.#options;
    if (restId === null) return false;
    const asked = {
      ...inRepository(reference),
      comment_id: restId,
      body: capped(endedComment(body, { life, commit, t })),
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

/**
 * Opens the threads of findings that came back: unresolved, shown again, and without the words that said that it ended. Where GitHub does not
 * permit it, the review holds the finding anew.
 */
export async function reopenReturned(
  review: Review,
  to: { readonly github: GitHub; readonly reference: PullRequestReference },
): Promise<{ readonly review: Review; readonly trouble: Message | null }> {
  const threads = new Map(
    review.lives.flatMap(({ mark, held }) => (held.in === 'thread' ? [[mark.id, held] as const] : [])),
  );
  const refused = new Map<string, string>();
  for (const { id, knownAs = '', place, life } of review.findings) {
    const held = threads.get(knownAs);
    if (place !== 'standing' || life !== 'returned' || held === undefined) continue;
    const why = await reopen(held, to).catch(messageOf);
    if (why !== null) refused.set(id, why);
  }
  if (refused.size === 0) return { review, trouble: null };
  const findings = review.findings.map((one) => (refused.has(one.id) ? (one.anew ?? one) : one));
  const [why = ''] = refused.values();
  const trouble: Message = { code: 'threads.not-reopened', count: refused.size, why: why.replace(/\.$/, '') };
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
  if (body === null || comment.restId === null) return inEnglish({ code: 'threads.changed' });
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
