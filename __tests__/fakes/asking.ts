import type { Asked, AskedComment } from '../../src/core/history/asked.ts';
import { commandsIn } from '../../src/core/history/commands.ts';
import { type AnswerMark, writeMark } from '../../src/core/history/mark.ts';
import type { Comment } from '../../src/core/pull-request/pull-request.ts';
import { finding, marked, ownRemark, pullRequest, signedComment, signedMark } from './review-record.ts';

const page = 'https://github.com/acme/shop/pull/7';

/** The comment that asks, as the event tells of it. In a thread it answers the comment 1, which opens it. */
export function askedComment(changes: Partial<AskedComment> = {}): AskedComment {
  const place = { in: 'conversation', id: 'IC_50', number: 50, url: `${page}#issuecomment-50`, thread: null } as const;
  return { ...place, body: '', ...changes };
}

export const inThread = { in: 'thread', id: 'PRRC_50', url: `${page}#discussion_r50`, thread: 1 } as const;

/** What grace, who may write, asks by this text. */
export function asking(body: string, place: Partial<AskedComment> = {}, changes: Partial<Asked> = {}): Asked {
  const comment = askedComment({ body, ...place });
  return { by: 'grace', comment, commands: commandsIn(body), mayWrite: true, ...changes };
}

/** The mark of an answer by the reviewer of `review-record.ts`, at its head. */
export function answerMark(changes: Partial<AnswerMark> = {}): AnswerMark {
  const to = { commit: pullRequest.head.sha, at: '2026-11-26T10:00:00Z', to: 'IC_1', verb: 'ask' };
  return { kind: 'answer', name: 'Review', run: '2-1', ...to, ...changes };
}

type Posted = { readonly restId?: number; readonly date?: string; readonly unsigned?: true; readonly thread?: number };

/** Our answer with this number. */
export function ownAnswer(mark: AnswerMark, { restId = 60, date, unsigned, thread }: Posted = {}): Comment {
  const body = `An answer.\n\n${unsigned ? writeMark(mark) : signedMark(mark, { in: 'answer', thread: thread ?? null })}`;
  const place = { id: `A${restId}`, restId, url: `${page}#discussion_r${restId}` };
  return ownRemark(body, { ...place, ...(date === undefined ? {} : { date }) });
}

/** Our finding `p-3f09ab12`, which opens the thread 1. */
export const opening = ownRemark(signedComment('**Title**\n\nThe words.', marked(finding(), { id: 'p-3f09ab12' })), {
  restId: 1,
  date: '2026-11-02T09:00:00Z',
});
