import { readMarks, withoutMarks, writeMark } from '../../core/memory/mark-text.ts';
import type { Held, PriorFinding } from '../../core/memory/memory.ts';
import { details } from '../../core/report/markdown.ts';
import { plural } from '../../core/report/wording.ts';
import type { Delivery, Sink } from '../../core/review/sink.ts';
import { severities } from '../../core/settings/severity.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { answerOf, messageOf } from './github-answer.ts';
import { minimizeMutation, resolveThreadMutation } from './graphql-mutations.ts';
import { WriteCancelled } from './guard-attempts.ts';
import { capped } from './review-request.ts';

export type OutdatedSinkOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  /** Full hash of the reviewed head. */
  readonly commit: string;
};

/** Each is a write: the rest is left to the next run. */
const markedAtMost = 20;

type InThread = Extract<Held, { in: 'thread' }>;

/**
 * Marks our comments whose code is gone: resolved where the token may, else minimised, else edited. Threads in which people wrote are theirs
 * and stay as they are (FAILURES P15).
 */
export function outdatedSink(options: OutdatedSinkOptions): Sink {
  const name = 'outdated comments';
  return {
    name,
    deliver: async (review): Promise<Delivery> => {
      const open = toMark(review.gone);
      const marking = new Marking(options);
      let marked = 0;
      for (const held of open.slice(0, markedAtMost)) {
        if (!(await marking.mark(held))) break;
        marked += 1;
      }
      const reason = marking.refusal ?? (marked === 0 ? 'No comment of ours is outdated.' : null);
      const status = marked > 0 ? 'delivered' : marking.refusal === null ? 'skipped' : 'refused';
      const rest = open.length - marked;
      const left = marked > 0 && rest > 0 ? `${plural(rest, 'outdated comment')} left to the next run.` : null;
      return { sink: name, status, reason: reason ?? left, delivered: [], url: null };
    },
  };
}

/** The threads that are not marked yet and hold nobody's words but ours, the most severe first. */
function toMark(gone: readonly PriorFinding[]): readonly InThread[] {
  const bySeverity = gone.toSorted(
    (one, other) => severities.indexOf(one.mark.severity) - severities.indexOf(other.mark.severity),
  );
  return bySeverity.flatMap(({ held }) => {
    if (held.in !== 'thread' || held.thread.isResolved || held.comment.isMinimized) return [];
    const isOurs = held.thread.comments.every(({ isSelf }) => isSelf);
    return isOurs && !held.comment.body.startsWith(outdatedWord) ? [held] : [];
  });
}

const outdatedWord = '**Outdated:**';

/** Finds out, once, which way of marking the token may go. */
class Marking {
  readonly #options: OutdatedSinkOptions;
  readonly #refused: Set<'resolve' | 'minimise'> = new Set();
  /** Why even the last way was refused; null while one works. */
  refusal: string | null = null;

  constructor(options: OutdatedSinkOptions) {
    this.#options = options;
  }

  /** False when nothing more can be marked. */
  async mark({ thread, comment }: InThread): Promise<boolean> {
    const { github } = this.#options;
    const resolve = () => github.mutate(resolveThreadMutation, { thread: thread.id });
    const minimise = () => github.mutate(minimizeMutation, { comment: comment.id });
    if (thread.viewerCanResolve && (await this.#try('resolve', resolve))) return true;
    if (comment.viewerCanMinimize && (await this.#try('minimise', minimise))) return true;
    return await this.#edit(comment);
  }

  async #try(way: 'resolve' | 'minimise', write: () => Promise<unknown>): Promise<boolean> {
    if (this.#refused.has(way)) return false;
    try {
      await write();
      return true;
    } catch (error) {
      if (error instanceof WriteCancelled) throw error;
      // GitHub tells in advance and may still refuse; the next way down is always left.
      this.#refused.add(way);
      return false;
    }
  }

  async #edit({ restId, body }: InThread['comment']): Promise<boolean> {
    const { github, reference, commit } = this.#options;
    if (restId === null) return true;
    const { owner, repository: repo } = reference;
    try {
      await github.rest.pulls.updateReviewComment({ owner, repo, comment_id: restId, body: outdated(body, commit) });
      return true;
    } catch (error) {
      // A comment that somebody deleted needs no mark.
      if (answerOf(error)?.status === 404) return true;
      if (error instanceof WriteCancelled) throw error;
      this.refusal = `Outdated comments could not be marked: ${messageOf(error)}.`;
      return false;
    }
  }
}

function outdated(body: string, commit: string): string {
  const word = `${outdatedWord} the code that this was about is gone as of ${commit.slice(0, 12)}.`;
  const marks = readMarks(body).map(writeMark);
  return capped([word, details('What it said', withoutMarks(body)), ...marks].join('\n\n'));
}
