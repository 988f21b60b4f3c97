import { setTimeout } from 'node:timers/promises';
import type { PostEvent, ReviewComment } from '../../core/review/review.ts';
import type { GitHub } from './client.ts';
import { refusalOf } from './errors.ts';
import type { PullRequestReference } from './pull.ts';

/** A review comment as GitHub lists it. */
export type PostedComment = Awaited<ReturnType<GitHub['rest']['pulls']['listReviewComments']>>['data'][number];

/** The newest review comments of a pull request, whoever wrote them, newest first: a page more than `atLeast` fills. */
export async function newestComments(
  github: GitHub,
  { reference, atLeast }: { reference: PullRequestReference; atLeast: number },
): Promise<readonly PostedComment[]> {
  const { owner, repository, number } = reference;
  const enough = atLeast + 100;
  let seen = 0;
  return await github.paginate(
    github.rest.pulls.listReviewComments,
    { owner, repo: repository, pull_number: number, sort: 'created', direction: 'desc', per_page: 100 },
    (page, done) => {
      seen += page.data.length;
      if (seen >= enough) done();
      return page.data;
    },
  );
}

/** Pairs each comment that was sent with one that GitHub lists: same path, same text. None is used twice. */
export function pairUp<Sent extends { readonly path: string; readonly body: string }>(
  sent: readonly Sent[],
  listed: readonly PostedComment[],
): ReadonlyMap<Sent, PostedComment> {
  const pairs: Map<Sent, PostedComment> = new Map();
  const free = new Set(listed);
  for (const comment of sent) {
    const twin = [...free].find((one) => one.path === comment.path && sameText(one.body, capped(comment.body)));
    if (twin === undefined) continue;
    free.delete(twin);
    pairs.set(comment, twin);
  }
  return pairs;
}

/** GitHub may store other line ends and drop blanks at the end. */
export function sameText(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trim();
}

/** One request to the reviews API: a body, comments, or both. */
export type ReviewRequest = {
  readonly commit: string;
  readonly event: PostEvent;
  readonly body: string;
  readonly comments: readonly ReviewComment[];
};

/** GitHub's limit for any body, in characters. */
const longestBody = 65_536;
const cutNote = '\n\n… (cut: too long for GitHub)';

/** What the API takes. With the event the review is created and published at once, and never left pending. */
export function reviewParameters(request: ReviewRequest) {
  return {
    commit_id: request.commit,
    event: request.event,
    ...(request.body === '' ? {} : { body: capped(request.body) }),
    ...(request.comments.length === 0 ? {} : { comments: request.comments.map(commentParameters) }),
  } as const;
}

/** The last guard before the wire: renderers cut where it reads well. Marks stand at the end and are never cut. */
export function capped(body: string): string {
  if (body.length <= longestBody) return body;
  const marks = /(?:\s*<!-- postil:v\d+ [^\r\n<>]* -->)+\s*$/.exec(body)?.[0] ?? '';
  const text = body.slice(0, body.length - marks.length);
  // Half a surrogate pair would not be valid text.
  const start = text.slice(0, Math.max(0, longestBody - cutNote.length - marks.length)).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}${cutNote}${marks}`;
}

// A start that equals the line is refused, so a single line has none.
function commentParameters(comment: ReviewComment) {
  const { path, side, line, startLine } = comment;
  const several = startLine !== null && startLine < line;
  return {
    path,
    side,
    line,
    body: capped(comment.body),
    ...(several ? { start_line: startLine, start_side: side } : {}),
  };
}

type Attempt<Written> = {
  readonly write: () => Promise<Written>;
  readonly look: () => Promise<Written | null>;
  /** How long to wait before the look. */
  readonly settleMilliseconds: number;
};

/**
 * Writes, and never twice. After an unclear answer it looks for what was written, and writes again, once,
 * only when two looks, some time apart, succeeded and found nothing: a list may lag behind. `look` answers null when nothing is there, and
 * throws when it cannot tell. What is not written then is left to the next run.
 */
export async function writeOnce<Written>(attempt: Attempt<Written>): Promise<Written> {
  try {
    return await attempt.write();
  } catch (error) {
    const written = await lookAfter(error, attempt);
    if (written !== null) return written;
  }
  try {
    return await attempt.write();
  } catch (error) {
    const written = await lookAfter(error, attempt);
    if (written !== null) return written;
    throw error;
  }
}

async function lookAfter<Written>(
  error: unknown,
  { look, settleMilliseconds }: Attempt<Written>,
): Promise<Written | null> {
  if (refusalOf(error)?.kind !== 'uncertain') throw error;
  try {
    await setTimeout(settleMilliseconds);
    const seen = await look();
    if (seen !== null) return seen;
    await setTimeout(2 * settleMilliseconds);
    return await look();
  } catch {
    // Unsure whether it was written: the first error tells more than that the look failed, too.
    throw error;
  }
}
