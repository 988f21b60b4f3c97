import type { Finding } from '../../core/findings/finding.ts';
import { type PostedMark, postedMarks } from '../../core/history/known-findings.ts';
import { type FindingMark, type ReviewMark, readWrittenMarks } from '../../core/history/mark.ts';
import { matchFindings } from '../../core/history/match.ts';
import { asMade, findingOf, type PriorFinding, type RunIdentity } from '../../core/history/memory.ts';
import { marksIn } from '../../core/history/signed-marks.ts';
import { distinctMessages, type Message, verbatim } from '../../core/messages/message.ts';
import type { Translator } from '../../core/messages/translator.ts';
import type { PostedReview, PullRequest } from '../../core/pull-request/pull-request.ts';
import type { Review, ReviewPost } from '../../core/review/review.ts';
import type { Delivered } from '../../core/review/sink.ts';
import { type GitHub, inPull, inRepository, refusalIn } from './client.ts';
import type { Discussion } from './discussion.ts';
import type { PullRequestReference } from './pull.ts';

type Withdrawing = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly identity: RunIdentity;
  readonly pullRequest: PullRequest;
  /** Whether this run signs: then nothing is deleted for a mark that is not signed. */
  readonly signs: boolean;
  /** In the language of the pull request. */
  readonly t: Translator;
  /** What stands on the pull request after this run has posted. */
  readonly discussion: Discussion;
};

export type Withdrawn = {
  readonly sentence: Message;
  /** Addresses of our comments that are deleted: the winner's say the same. */
  readonly comments: ReadonlySet<string>;
  readonly winner: string | null;
};

/**
 * Of equal reviews by runs that did not know of each other the one with the lowest id wins: when it is not ours, our
 * comments that it has too are deleted, and a review of ours that has nothing left points to it. One sentence when that happened.
 */
export async function withdrawDoubles(withdrawing: Withdrawing): Promise<Withdrawn | null> {
  const { identity, pullRequest, signs, discussion } = withdrawing;
  const commit = pullRequest.head.sha;
  const equal = discussion.reviews.flatMap((review) => equalMark(review, { ...withdrawing, commit }));
  const winner = equal.toSorted((one, other) => idOf(one.review) - idOf(other.review))[0];
  if (winner === undefined || winner.mark.run === identity.run) return null;
  const held = postedMarks(discussion, identity.name).filter(
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
    sentence: { code: 'delivery.posted-at-once', url: winner.review.url ?? '' },
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
function doublesOf(ours: readonly PostedMark[], theirs: readonly PostedMark[]): readonly PostedMark[] {
  const findings = ours.map((held, index) => ({ ...findingOf(asPrior(held, index)), id: `o${index}` }));
  const { standing } = matchFindings(findings, theirs.map(asPrior));
  return standing.flatMap(({ finding }) => ours[Number(finding.id.slice(1))] ?? []);
}

// What cannot be withdrawn, here and below, stays said twice: no reason to fail.
async function deleteComment({ github, reference }: Withdrawing, id: number | null): Promise<void> {
  if (id === null) return;
  await github.rest.pulls.deleteReviewComment({ ...inRepository(reference), comment_id: id }).catch(refusalIn);
}

async function pointTo(
  { github, reference, t }: Withdrawing,
  { review, winner }: { review: PostedReview; winner: PostedReview },
): Promise<void> {
  const id = review.restId;
  if (id === null) return;
  const mark = readWrittenMarks(review.body).find((written) => written.mark.kind === 'review')?.text ?? '';
  const words = t({ code: 'review.duplicate', url: winner.url ?? '' });
  const body = `${words}\n\n${mark}`;
  await github.rest.pulls.updateReview({ ...inPull(reference), review_id: id, body }).catch(refusalIn);
}

/**
 * Leaves out what another run posted since the pull request was read: the same finding on the same commit is not said twice.
 * Answers where it stands.
 */
export function withoutPosted(
  post: ReviewPost,
  now: {
    pullRequest: PullRequest;
    discussion: Discussion;
    name: string;
    /** Whether this run signs: then a mark that is not signed stands for nothing. */
    signs: boolean;
    findings: readonly Finding[];
  },
): { readonly post: ReviewPost; readonly delivered: readonly Delivered[] } {
  const ids = [...post.comments, ...post.fileComments].flatMap(({ findingIds }) => findingIds);
  const findings = now.findings.filter(({ id }) => ids.includes(id));
  const marks = newMarks(now);
  const onCommit = marks.filter(({ mark }) => mark.commit === post.commit);
  const alike = matchFindings(findings, onCommit.map(asPrior)).standing.map(
    ({ finding, prior }) => [finding, prior] as const,
  );
  const named = findings.flatMap((finding) =>
    marks.flatMap((one) => (one.mark.id === finding.knownAs ? [[finding, one] as const] : [])),
  );
  const twins = new Map<Finding, PostedMark>([...alike, ...named]);
  const placeOf = new Set([...twins.keys()].map(({ id }) => id));
  const isLeft = ({ findingIds }: { findingIds: readonly string[] }) => !findingIds.every((id) => placeOf.has(id));
  return {
    post: { ...post, comments: post.comments.filter(isLeft), fileComments: post.fileComments.filter(isLeft) },
    delivered: [...twins].map(([{ id: findingId, anchor }, { url }]) => ({
      findingId,
      place: anchor.kind === 'file' ? 'file' : 'inline',
      url,
    })),
  };
}

function newMarks({
  pullRequest,
  discussion,
  name,
  signs,
}: Omit<Parameters<typeof withoutPosted>[1], 'findings'>): readonly PostedMark[] {
  const known = new Set(pullRequest.threads.map(({ id }) => id));
  const threads = discussion.threads.filter(({ id }) => !known.has(id));
  const marks = postedMarks({ threads, reviews: [] }, name);
  return marks.filter(({ signed }) => signed || !signs);
}

/** A mark on the commit that is reviewed: its lines are the present ones. */
function asPrior(held: PostedMark, index: number): PriorFinding {
  const { path } = held.mark;
  const present = { kind: 'here', path, anchor: anchorOf(held.mark) } as const;
  const known = { id: `p${index + 1}`, part: 0, known: null, present, declines: [], declined: false } as const;
  return { ...held, ...asMade, ...known };
}

function anchorOf({ lines }: FindingMark): Finding['anchor'] {
  if (lines === null) return { kind: 'file' };
  const { side, startLine, endLine } = lines;
  return { kind: 'lines', side, startLine, endLine, quote: '' };
}

type Settling = Pick<Withdrawing, 'github' | 'reference' | 'identity' | 't'> & {
  /** Whether an earlier request for changes still has a reason. */
  readonly blocking: (review: Review) => boolean;
};

/** Reviews that say they are our own of this name, oldest first. Whether that is true only their signatures tell. */
export function ownReviews(reviews: readonly PostedReview[], name: string): readonly PostedReview[] {
  return reviews.filter((review) => marksIn(review).some(({ mark }) => mark.kind === 'review' && mark.name === name));
}

/** Those in which a run with our key asked for changes. A mark that stands in several was copied from the oldest of them. */
function signedBlocks(reviews: readonly PostedReview[]): readonly PostedReview[] {
  const seen = new Set<string>();
  return reviews.filter(({ signed = [], ...review }) => {
    const fresh = signed.filter((signature) => !seen.has(signature));
    for (const signature of fresh) seen.add(signature);
    return marksIn({ ...review, signed: fresh }).some(
      ({ mark, isSigned }) =>
        isSigned && mark.kind === 'review' && mark.event === 'REQUEST_CHANGES' && mark.commit === review.commit,
    );
  });
}

/**
 * Takes back an earlier request for changes of ours that has no reason left. Answers what went wrong, one sentence; a review that is not
 * complete takes nothing back. Approvals are settled when everything is posted: see approval-recorder.ts.
 */
export async function settleRequests(settling: Settling, review: Review): Promise<readonly Message[]> {
  const { pullRequest, outcome } = review;
  if (pullRequest === null || (outcome !== 'clean' && outcome !== 'findings') || settling.blocking(review)) return [];
  const own = ownReviews(pullRequest.reviews, settling.identity.name);
  const ending = own.filter(({ state }) => state === 'CHANGES_REQUESTED');
  // An approval is taken back whoever wrote it; a request for changes only when it is surely ours.
  const blocks = signedBlocks(own).filter((one) => ending.includes(one));
  const troubles: Message[] = blocks.length < ending.length ? [unsigned] : [];
  for (const one of blocks) {
    const message = settling.t({ code: 'review.reasons-gone' });
    troubles.push(...(await dismiss(settling, { review: one, message })));
  }
  return distinctMessages(troubles);
}

const unsigned = { code: 'delivery.changes-unsigned' } as const;

/** Dismisses a review of ours; answers what went wrong, one sentence. Somebody else may have dismissed it before. */
export async function dismiss(
  { github, reference }: Pick<Withdrawing, 'github' | 'reference'>,
  { review, message }: { review: PostedReview; message: string },
): Promise<readonly Message[]> {
  const { restId: review_id, state } = review;
  const left = (why: Message): Message =>
    state === 'CHANGES_REQUESTED'
      ? { code: 'delivery.changes-not-dismissed', why }
      : { code: 'delivery.approval-not-dismissed', why };
  if (review_id === null) return [left({ code: 'delivery.no-review-number' })];
  try {
    await github.rest.pulls.dismissReview({ ...inPull(reference), review_id, message, event: 'DISMISS' });
    return [];
  } catch (error) {
    return [left(verbatim(refusalIn(error).reason))];
  }
}
