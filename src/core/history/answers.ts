import type { Comment, PullRequest } from '../pull-request/pull-request.ts';
import { compareText } from '../text.ts';
import { commandsIn } from './commands.ts';
import { type Act, isBot } from './declines.ts';
import type { AnswerMark } from './mark.ts';
import type { Memory } from './memory.ts';
import { marksIn } from './signed-marks.ts';

type Said = Pick<PullRequest, 'conversation' | 'threads'>;

/** An answer of ours to a comment, as its hidden mark keeps it. */
export type GivenAnswer = {
  readonly mark: AnswerMark;
  readonly comment: Comment;
  /** Signed by a run with our key: without that it settles nothing. */
  readonly isSigned: boolean;
};

/**
 * The answers that a reviewer of this name has given, oldest first in each thread, each once: what repeats a mark says nothing. Where this run has a
 * key, only what is signed counts; without one, everything that we wrote.
 */
export function answersOf(said: Said, { name, signs }: { name: string; signs: boolean }): readonly GivenAnswer[] {
  const all = commentsOf(said).flatMap((comment) =>
    marksIn(comment).flatMap(({ mark, isSigned }) =>
      mark.kind === 'answer' && mark.name === name && (isSigned || !signs) ? [{ mark, comment, isSigned }] : [],
    ),
  );
  const first = new Map<string, GivenAnswer>();
  for (const one of all) {
    const key = JSON.stringify(one.mark);
    if (age(one) < age(first.get(key))) first.set(key, one);
  }
  return all.filter((one) => first.get(JSON.stringify(one.mark)) === one);
}

function age(one: GivenAnswer | undefined): number {
  return one === undefined ? Number.POSITIVE_INFINITY : (one.comment.restId ?? Number.MAX_SAFE_INTEGER);
}

function commentsOf({ conversation, threads }: Said): readonly Comment[] {
  return [...conversation, ...threads.flatMap(({ comments }) => comments.slice(1))];
}

/** A line of source that ends a finding, as an answer of ours proved it. */
export type Evidence = {
  readonly verdict: 'withdrawn' | 'fixed';
  /** Full hash of the head at which it was proven. */
  readonly commit: string;
  readonly proof: NonNullable<AnswerMark['proof']>;
  /** What the finding and the proof stood in then; left out where it could not be read. */
  readonly around: AnswerMark['around'];
  readonly act: Act;
};

/** By the id of a finding, what answers of ours proved of it. */
export function evidenceOf(said: Said, name: string): ReadonlyMap<string, readonly Evidence[]> {
  const found = new Map<string, Evidence[]>();
  for (const { mark, comment } of answersOf(said, { name, signs: true })) {
    const { about, verdict, proof, commit, at, around } = mark;
    if (about === undefined || proof === undefined || verdict === undefined || verdict === 'stands') continue;
    const { isMinimized, edited, author } = comment;
    // Hidden, or in somebody else's words, it is no answer of ours any more.
    if (isMinimized || (edited !== undefined && edited.by !== author)) continue;
    const { path, startLine, endLine } = proof;
    const words = `${path}:${startLine}${endLine === startLine ? '' : `-${endLine}`}`;
    const how = verdict === 'fixed' ? ('fixed' as const) : ('evidence' as const);
    const act = { by: author, how, date: at, words, url: comment.url, isProven: true } as const;
    found.set(about, [...(found.get(about) ?? []), { verdict, commit, proof, around, act }]);
  }
  return found;
}

/**
 * Who asked for no reviews on pushes, and has not taken it back; null where nobody did. The last command of somebody who may write counts. One that
 * was edited does not: edits start nothing, and who takes the words out takes the pause out.
 */
export async function pauseOf(
  said: Said,
  { name, canWrite }: { name: string; canWrite: (login: string) => Promise<boolean | null> },
): Promise<NonNullable<Memory['paused']> | null> {
  const commands = [...said.conversation, ...said.threads.flatMap(({ comments }) => comments)]
    .filter(({ isSelf, isMinimized, edited, author }) => !isSelf && !isMinimized && !edited && !isBot(author))
    .toSorted((one, other) => compareText(one.date, other.date))
    .toReversed()
    .flatMap(({ author: by, url, body }) => {
      const last = commandsIn(body, name).findLast(({ verb }) => verb === 'pause' || verb === 'resume');
      return last === undefined ? [] : [{ by, url, isPause: last.verb === 'pause' }];
    });
  for (const { by, url, isPause } of commands) {
    if ((await canWrite(by)) === true) return isPause ? { by, url } : null;
  }
  return null;
}
