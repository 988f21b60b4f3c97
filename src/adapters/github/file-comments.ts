import type { FileComment, ReviewPost } from '../../core/review/review-post.ts';
import type { Delivered } from '../../core/review/sink.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import type { Placed, RefusedComment } from './place-comments.ts';
import { onTheFile, postFileComment } from './post-file-comment.ts';
import { type Refusal, refusalOf } from './refusal.ts';

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
  {
    github,
    reference,
    commit,
  }: { readonly github: GitHub; readonly reference: PullRequestReference; readonly commit: string },
  { post, placed }: { readonly post: ReviewPost; readonly placed: Placed },
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
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
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
  for (const [index, one] of placed.refused.entries()) {
    const onFile = index < demotedAtMost && (await tryPosting(onTheFile(one))) === 'posted';
    refused.push(demotion(one, onFile));
  }
  return { delivered, refused, stop };
}

function demotion({ comment, reason }: RefusedComment, onFile: boolean): Demoted {
  return { path: comment.path, line: comment.line, reason, onFile };
}
