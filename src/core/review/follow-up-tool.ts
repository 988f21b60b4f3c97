import type { FinishingTool } from '../agent/tool.ts';
import { readAccepted } from '../findings/accepted-formats.ts';
import type { ReadRequest } from '../findings/context-request.ts';
import { type FollowUpAnswer, followUpSchema, readFollowUpAnswer } from '../findings/follow-up-answer.ts';
import { normaliseSubmission } from '../findings/normalise-submission.ts';
import type { SubmitReview } from '../findings/submit-review.ts';
import type { Extractable } from './extract.ts';

/** `submit_review` as the two calls of a follow-up see it: the same bytes, another meaning. */
export type FollowUpTool = {
  readonly first: Extractable & { readonly tool: FinishingTool };
  readonly second: { readonly tool: FinishingTool; take(answer: FollowUpAnswer): Promise<void> };
  /** The last request of the first call; null when there was none. */
  requested(): ReadRequest | null;
  /** What the second call said; null until it did. */
  answered(): FollowUpAnswer | null;
};

export function followUpTool(submit: SubmitReview): FollowUpTool {
  let requested: ReadRequest | null = null;
  let answered: FollowUpAnswer | null = null;

  const takeFirst: Extractable['take'] = (submission) => {
    requested = submission.contextRequest ?? requested;
    return submit.take(submission);
  };
  const takeSecond = async (answer: FollowUpAnswer) => {
    answered = answer;
    await submit.take(answer.submission);
  };
  const tool = { ...submit.tool, parameters: followUpSchema };
  return {
    first: {
      takesRequests: true,
      take: takeFirst,
      tool: {
        ...tool,
        finish: (value) => takeFirst(readAccepted(value)?.submission ?? normaliseSubmission(value)),
      },
    },
    second: {
      take: takeSecond,
      tool: {
        ...tool,
        finish: async (value) => {
          const answer = readFollowUpAnswer(value);
          if (answer === null) return { done: false, text: 'This says nothing of the findings.' };
          await takeSecond(answer);
          return { done: true, text: 'Taken.' };
        },
      },
    },
    requested: () => requested,
    answered: () => answered,
  };
}
