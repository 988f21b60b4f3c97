import { findingOf } from '../../core/memory/finding-of.ts';
import type { ReviewMark } from '../../core/memory/mark.ts';
import { readWrittenMarks } from '../../core/memory/mark-text.ts';
import { matchFindings } from '../../core/memory/match.ts';
import { type HeldMark, heldMarks } from '../../core/memory/prior-marks.ts';
import type { RunIdentity } from '../../core/memory/run-identity.ts';
import { marksIn } from '../../core/memory/signed-marks.ts';
import type { PostedReview, PullRequest } from '../../core/pull-request/pull-request.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { asPrior } from './posted-since.ts';
import type { Discussion } from './read-discussion.ts';
import { refusalOf } from './refusal.ts';

type Withdrawing = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly identity: RunIdentity;
  readonly pullRequest: PullRequest;
  /** Whether this run signs: then nothing is deleted for a mark that is not signed. */
  readonly signs: boolean;
  /** What stands on the pull request after this run has posted. */
  readonly discussion: Discussion;
};

export type Withdrawn = {
  readonly sentence: string;
  /** Addresses of our comments that are deleted: the winner's say the same. */
  readonly comments: ReadonlySet<string>;
  readonly winner: string | null;
};

/**
 * Of equal reviews by runs that did not know of each other the one with the lowest id wins (FAILURES P17): when it is not ours, our
 * comments that it has too are deleted, and a review of ours that has nothing left points to it. One sentence when that happened.
 */
export async function withdrawDoubles(withdrawing: Withdrawing): Promise<Withdrawn | null> {
  const { identity, pullRequest, signs, discussion } = withdrawing;
  const commit = pullRequest.head.sha;
  const equal = discussion.reviews.flatMap((review) => equalMark(review, { identity, commit, signs }));
  const winner = equal.toSorted((one, other) => idOf(one.review) - idOf(other.review))[0];
  if (winner === undefined || winner.mark.run === identity.run) return null;
  const held = heldMarks({ ...pullRequest, ...discussion, conversation: [] }, identity.name).filter(
    ({ mark, signed }) => mark.commit === commit && (signed || !signs),
  );
  const ours = held.filter(({ mark }) => mark.run === identity.run);
  const theirs = held.filter(({ mark }) => mark.run === winner.mark.run);
  const doubles = doublesOf(ours, theirs);
  for (const { held: place } of doubles) {
    if (place.in === 'thread') await deleteComment(withdrawing, place.comment.restId);
  }
  if (doubles.length === ours.length) {
    for (const { review, mark } of equal) {
      if (mark.run === identity.run) await pointTo(withdrawing, { review, winner: winner.review });
    }
  }
  if (doubles.length === 0) return null;
  return {
    sentence: `Another run posted the same at the same time (${winner.review.url}): what was said twice is withdrawn.`,
    comments: new Set(doubles.flatMap(({ held: place }) => (place.in === 'thread' ? [place.comment.url ?? ''] : []))),
    winner: winner.review.url,
  };
}

type Equal = { readonly review: PostedReview; readonly mark: ReviewMark };

function equalMark(
  review: PostedReview,
  { identity, commit, signs }: Pick<Withdrawing, 'identity' | 'signs'> & { readonly commit: string },
): readonly Equal[] {
  if (review.commit !== commit) return [];
  return marksIn(review).flatMap(({ mark, isSigned }) => {
    if (mark.kind !== 'review' || (signs && !isSigned)) return [];
    const isEqual = mark.name === identity.name && mark.settings === identity.settings && mark.commit === commit;
    return isEqual ? [{ review, mark }] : [];
  });
}

function idOf({ restId }: PostedReview): number {
  return restId ?? Number.MAX_SAFE_INTEGER;
}

/** Those of our marks that the other run has too, one to one. */
function doublesOf(ours: readonly HeldMark[], theirs: readonly HeldMark[]): readonly HeldMark[] {
  const findings = ours.map((held, index) => ({ ...findingOf(asPrior(held, index)), id: `o${index}` }));
  const { standing } = matchFindings(findings, theirs.map(asPrior));
  return standing.flatMap(({ finding }) => ours[Number(finding.id.slice(1))] ?? []);
}

async function deleteComment({ github, reference }: Withdrawing, id: number | null): Promise<void> {
  const { owner, repository: repo } = reference;
  if (id === null) return;
  await tolerant(() => github.rest.pulls.deleteReviewComment({ owner, repo, comment_id: id }));
}

async function pointTo(
  { github, reference }: Withdrawing,
  { review, winner }: { readonly review: PostedReview; readonly winner: PostedReview },
): Promise<void> {
  const { owner, repository: repo, number } = reference;
  const id = review.restId;
  if (id === null) return;
  const mark = readWrittenMarks(review.body).find((written) => written.mark.kind === 'review')?.text ?? '';
  const body = `Another run reviewed the same commit at the same time: see ${winner.url}.\n\n${mark}`;
  await tolerant(() => github.rest.pulls.updateReview({ owner, repo, pull_number: number, review_id: id, body }));
}

/** What cannot be withdrawn stays said twice: no reason to fail. */
async function tolerant(write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (refusalOf(error) === null) throw error;
  }
}
