import { isMarkedEnded, reopenedComment } from '../../core/memory/ended-comment.ts';
import type { Held } from '../../core/memory/memory.ts';
import type { Review } from '../../core/review/review.ts';
import { plural } from '../../core/text.ts';
import { messageOf } from './answers.ts';
import { type GitHub, inRepository } from './client.ts';
import { unminimizeMutation, unresolveThreadMutation } from './graphql.ts';
import type { PullRequestReference } from './pull.ts';

type InThread = Extract<Held, { in: 'thread' }>;

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
  const trouble = `${plural(refused.size, 'thread')} could not be opened again (${why.replace(/\.$/, '')}): what came back is said anew.`;
  return { review: { ...review, findings }, trouble };
}

/** Null when it is open; else why it cannot be opened. @throws what Octokit throws. */
async function reopen(
  { thread, comment }: InThread,
  { github, reference }: { github: GitHub; reference: PullRequestReference },
): Promise<string | null> {
  if (thread.isResolved) await github.mutate(unresolveThreadMutation, { thread: thread.id });
  if (comment.isMinimized) await github.mutate(unminimizeMutation, { comment: comment.id });
  if (!isMarkedEnded(comment.body)) return null;
  const body = reopenedComment(comment.body);
  if (body === null || comment.restId === null) return 'somebody changed its comment';
  await github.rest.pulls.updateReviewComment({ ...inRepository(reference), comment_id: comment.restId, body });
  return null;
}
