import { readWrittenMarks } from '../../core/history/mark.ts';
import type { Translator } from '../../core/messages/translator.ts';
import type { FileComment, ReviewComment, ReviewPost } from '../../core/review/review.ts';
import type { Delivered } from '../../core/review/sink.ts';
import { type GitHub, inPull, type Refusal, refusalIn } from './client.ts';
import { capped, newestComments, type PostedReview, type ReviewRequest, sameText, writeOnce } from './posted.ts';
import type { PullRequestReference } from './pull.ts';

export type Placed = {
  readonly reviews: readonly { readonly review: PostedReview; readonly request: ReviewRequest }[];
  /** The review that carries the body; null when there is no body, or it could not be posted. */
  readonly bodyIn: PostedReview | null;
  readonly refused: readonly RefusedComment[];
  /** Why nothing more was sent; null when all was tried. */
  readonly stop: Refusal | null;
};

type RefusedComment = { readonly comment: ReviewComment; readonly reason: string };

/** Reviews of more comments have failed without a reason. */
const commentsARequest = 30;
/** Requests that may go into finding the comments that GitHub refuses, on top of one for each batch. */
const repairRequests = 16;

/**
 * Posts all comments that GitHub takes. It refuses a review for one bad comment without saying which: a
 * refused batch is halved until the bad one is alone.
 */
export async function placeComments(
  post: ReviewPost,
  { send, t }: { send: (request: ReviewRequest) => Promise<PostedReview>; t: Translator },
): Promise<Placed> {
  const waiting = batches(post.comments);
  const limit = waiting.length + repairRequests;
  const reviews: { review: PostedReview; request: ReviewRequest }[] = [];
  const refused: RefusedComment[] = [];
  let bodyIn: PostedReview | null = null;
  for (let requests = 0; ; requests += 1) {
    const comments = waiting.shift() ?? [];
    const body = bodyIn === null ? post.body : continuation(post, t);
    if (comments.length === 0 && (bodyIn !== null || post.body === '')) {
      return { reviews, bodyIn, refused, stop: null };
    }
    const event = bodyIn === null ? post.event : 'COMMENT';
    const request = { commit: post.commit, event, body, comments };
    const sent = await trySending(request, send);
    if ('review' in sent) {
      reviews.push({ review: sent.review, request });
      if (post.body !== '') bodyIn ??= sent.review;
    } else if (sent.refusal.kind !== 'anchor' || comments.length === 0) {
      return { reviews, bodyIn, refused, stop: sent.refusal };
    } else if (comments.length > 1 && requests < limit) {
      waiting.unshift(...halves(comments));
    } else {
      refused.push(...comments.map((comment) => ({ comment, reason: sent.refusal.reason })));
    }
  }
}

function batches(comments: readonly ReviewComment[]): (readonly ReviewComment[])[] {
  const count = Math.ceil(comments.length / commentsARequest);
  return Array.from({ length: count }, (_, index) =>
    comments.slice(index * commentsARequest, (index + 1) * commentsARequest),
  );
}

function halves(comments: readonly ReviewComment[]): readonly (readonly ReviewComment[])[] {
  const middle = Math.ceil(comments.length / 2);
  return [comments.slice(0, middle), comments.slice(middle)];
}

// A review of comments alone would be allowed, but GitHub's reference asks for a body. Its mark says whose it is.
function continuation({ commit, body }: ReviewPost, t: Translator): string {
  const mark = readWrittenMarks(body).find((written) => written.mark.kind === 'review');
  const text = t({ code: 'review.more-comments', commit: commit.slice(0, 12) });
  return mark === undefined ? text : `${text}\n\n${mark.text}`;
}

async function trySending(
  request: ReviewRequest,
  send: (request: ReviewRequest) => Promise<PostedReview>,
): Promise<{ review: PostedReview } | { refusal: Refusal }> {
  try {
    return { review: await send(request) };
  } catch (error) {
    return { refusal: refusalIn(error) };
  }
}

/** A comment that GitHub did not take where it belongs, and whether it stands on the file instead. */
export type Demoted = {
  readonly path: string;
  readonly line: number | null;
  readonly reason: string;
  readonly onFile: boolean;
};

export type FileResults = {
  readonly delivered: readonly Delivered[];
  readonly refused: readonly Demoted[];
  readonly stop: Refusal | null;
};

/** Each is a request and a notification of its own: beyond these, refused comments are left to the other sinks. */
const demotedAtMost = 10;

/** Posts the comments on files, and those whose lines GitHub refused, until something stops all writing. */
export async function postFileComments(
  { github, reference, commit }: { github: GitHub; reference: PullRequestReference; commit: string },
  { post, placed }: { post: ReviewPost; placed: Placed },
): Promise<FileResults> {
  const delivered: Delivered[] = [];
  const refused: Demoted[] = [];
  let stop: Refusal | null = null;
  const tryPosting = async (comment: FileComment): Promise<'posted' | 'not tried' | Refusal> => {
    if (placed.stop !== null || stop !== null) return 'not tried';
    try {
      const url = await postFileComment(github, { reference, commit, comment });
      delivered.push(...comment.findingIds.map((findingId) => ({ findingId, place: 'file', url }) as const));
      return 'posted';
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal.kind === 'anchor') return refusal;
      stop = refusal;
      return 'not tried';
    }
  };
  for (const comment of post.fileComments) {
    const result = await tryPosting(comment);
    if (typeof result === 'object') {
      refused.push({ path: comment.path, line: null, reason: result.reason, onFile: false });
    }
  }
  for (const [index, { comment, reason }] of placed.refused.entries()) {
    const onFile = index < demotedAtMost && (await tryPosting(onTheFile(comment))) === 'posted';
    refused.push({ path: comment.path, line: comment.line, reason, onFile });
  }
  return { delivered, refused, stop };
}

/** Posts a comment on a file as a whole, once, and answers its address. @throws what Octokit throws. */
async function postFileComment(
  github: GitHub,
  { reference, commit, comment }: { reference: PullRequestReference; commit: string; comment: FileComment },
): Promise<string> {
  const { path } = comment;
  const body = capped(comment.body);
  return await writeOnce(github, {
    write: async () => {
      const sent = { ...inPull(reference), commit_id: commit, path, body, subject_type: 'file' } as const;
      return (await github.rest.pulls.createReviewComment(sent)).data.html_url;
    },
    look: async () => {
      const listed = await newestComments(github, { reference, atLeast: 1 });
      const ofFile = listed.filter((one) => one.original_commit_id === commit && one.path === path);
      return ofFile.find((one) => sameText(one.body, body))?.html_url ?? null;
    },
  });
}

/** A comment whose lines GitHub refused, for the file as a whole. */
function onTheFile({ findingIds, path, onFile: body }: ReviewComment): FileComment {
  return { findingIds, path, body };
}
