import { readWrittenMarks, withoutMarks } from '../../core/memory/mark-text.ts';
import type { Comment, ReviewThread } from '../../core/pull-request/pull-request.ts';
import { details } from '../../core/report/markdown.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { answerOf, isQueryRefusal, messageOf } from './github-answer.ts';
import { minimizeMutation, resolveThreadMutation } from './graphql-mutations.ts';
import { refusalOf } from './refusal.ts';
import { capped } from './review-request.ts';

export type MarkerOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  /** Full hash of the reviewed head. */
  readonly commit: string;
};

type Way = 'resolve' | 'minimise';

/** Marks comments as outdated in the best way that the token may go, and tries a way that was refused only once (FAILURES P8). */
export class Marker {
  readonly #options: MarkerOptions;
  readonly #refusals: Map<Way, string> = new Map();

  constructor(options: MarkerOptions) {
    this.#options = options;
  }

  /** The ways that GitHub refused although it had said they are open, one sentence each. */
  get refused(): readonly string[] {
    return [...this.#refusals].map(([way, reason]) => `${names[way]}: ${reason}.${hints[way]}`);
  }

  /**
   * False when somebody deleted the comment meanwhile.
   *
   * @throws what Octokit throws when no way is left, the answer was lost, or the run was cancelled.
   */
  async mark({ thread, comment }: { readonly thread: ReviewThread; readonly comment: Comment }): Promise<boolean> {
    const { github } = this.#options;
    const resolve = () => github.mutate(resolveThreadMutation, { thread: thread.id });
    const minimise = () => github.mutate(minimizeMutation, { comment: comment.id });
    if (thread.viewerCanResolve && (await this.#tryTo('resolve', resolve))) return true;
    if (comment.viewerCanMinimize && (await this.#tryTo('minimise', minimise))) return true;
    return await this.#edit(comment);
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

  async #edit({ restId, body }: Comment): Promise<boolean> {
    const { github, reference, commit } = this.#options;
    if (restId === null) return false;
    const { owner, repository: repo } = reference;
    try {
      await github.rest.pulls.updateReviewComment({ owner, repo, comment_id: restId, body: outdated(body, commit) });
      return true;
    } catch (error) {
      if (answerOf(error)?.status === 404) return false;
      throw error;
    }
  }
}

const names = { resolve: 'Threads were not resolved', minimise: 'Comments were not minimised' } as const;
const hints = { resolve: ' Grant `contents: write` for that.', minimise: '' } as const;

/** True for a comment that an earlier run edited. */
export function isMarkedOutdated(body: string): boolean {
  return body.startsWith(outdatedWord);
}

const outdatedWord = '**Outdated:**';

function outdated(body: string, commit: string): string {
  const word = `${outdatedWord} lines changed in ${commit.slice(0, 12)}.`;
  // As they stand: with other words around it a mark counts as unsigned, and its finding is gone.
  const marks = readWrittenMarks(body).map(({ text }) => text);
  return capped([word, details('What it said', withoutMarks(body)), ...marks].join('\n\n'));
}
