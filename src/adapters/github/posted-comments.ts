import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { capped } from './review-request.ts';

/** A review comment as GitHub lists it. */
export type PostedComment = Awaited<ReturnType<GitHub['rest']['pulls']['listReviewComments']>>['data'][number];

/** The newest review comments of a pull request, whoever wrote them, newest first: a page more than `atLeast` fills. */
export async function newestComments(
  github: GitHub,
  { reference, atLeast }: { readonly reference: PullRequestReference; readonly atLeast: number },
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
