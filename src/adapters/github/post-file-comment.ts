import type { FileComment } from '../../core/review/review-post.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import type { RefusedComment } from './place-comments.ts';
import { newestComments, sameText } from './posted-comments.ts';
import { capped } from './review-request.ts';
import { writeOnce } from './write-once.ts';

/**
 * Posts a comment on a file as a whole, once, and answers its address.
 *
 * @throws what Octokit throws.
 */
export async function postFileComment(
  github: GitHub,
  {
    reference,
    commit,
    comment,
  }: { readonly reference: PullRequestReference; readonly commit: string; readonly comment: FileComment },
): Promise<string> {
  const { owner, repository, number } = reference;
  const body = capped(comment.body);
  return await writeOnce({
    settleMilliseconds: github.settleMilliseconds,
    write: async () => {
      const answer = await github.rest.pulls.createReviewComment({
        owner,
        repo: repository,
        pull_number: number,
        commit_id: commit,
        path: comment.path,
        body,
        subject_type: 'file',
      });
      return answer.data.html_url;
    },
    look: async () => {
      const listed = await newestComments(github, { reference, atLeast: 1 });
      const twin = listed.find(
        (one) => one.original_commit_id === commit && one.path === comment.path && sameText(one.body, body),
      );
      return twin?.html_url ?? null;
    },
  });
}

/** A comment whose lines GitHub refused, for the file as a whole: it names the lines and offers nothing to commit. */
export function onTheFile({ comment }: RefusedComment): FileComment {
  const { findingIds, path } = comment;
  const prose = comment.body.replace(/^([ \t]*(?:`{3,}|~{3,}))suggestion\b.*$/gm, '$1');
  return { findingIds, path, body: `${linesOf(comment)}:\n\n${prose}` };
}

function linesOf({ side, startLine, line }: RefusedComment['comment']): string {
  const lines = startLine === null || startLine === line ? `Line ${line}` : `Lines ${startLine}–${line}`;
  return side === 'LEFT' ? `${lines} before the change` : lines;
}
