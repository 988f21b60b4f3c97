import type { AskedComment } from '../../../core/history/asked.ts';
import { answerOf, messageOf } from '../answers.ts';
import { explained, type GitHub, inPull, inRepository } from '../client.ts';
import { sameText } from '../posted.ts';
import type { PullRequestReference } from '../pull.ts';

/** What we show of what became of a comment: seen, done, not done, refused. */
export type Reaction = 'EYES' | 'ROCKET' | 'CONFUSED' | 'THUMBS_DOWN';

/** Reacts to a comment of any kind, review texts too, which REST cannot react to. Why it could not, as GitHub says it; null when it could. */
export async function react(
  github: GitHub,
  comment: Pick<AskedComment, 'id'>,
  reaction: Reaction,
): Promise<string | null> {
  try {
    await github.mutate(addReaction, { comment: comment.id, reaction });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const addReaction = `mutation PostilReact($comment: ID!, $reaction: ReactionContent!) {
  addReaction(input: { subjectId: $comment, content: $reaction }) { reaction { content } }
}`;

/** Why a comment does not ask any more for what started this run; null when it stands as it was. @throws UserError */
export async function whyGone(
  github: GitHub,
  { reference, comment }: { reference: PullRequestReference; comment: AskedComment },
): Promise<string | null> {
  const subject = `comment ${comment.number} in ${reference.owner}/${reference.repository}`;
  try {
    const body = await readBody(github, reference, comment);
    return sameText(body, comment.body) ? null : 'The comment was edited since: an edit starts nothing.';
  } catch (error) {
    if (answerOf(error)?.status === 404) return 'The comment was deleted meanwhile.';
    return await explained(Promise.reject(error), { subject, permission: 'pull-requests: read' });
  }
}

async function readBody(github: GitHub, reference: PullRequestReference, comment: AskedComment): Promise<string> {
  const asked = { ...inRepository(reference), comment_id: comment.number };
  switch (comment.in) {
    case 'conversation':
      return (await github.rest.issues.getComment(asked)).data.body ?? '';
    case 'thread':
      return (await github.rest.pulls.getReviewComment(asked)).data.body;
    case 'review': {
      const review = { ...inPull(reference), review_id: comment.number };
      return (await github.rest.pulls.getReview(review)).data.body;
    }
  }
}
