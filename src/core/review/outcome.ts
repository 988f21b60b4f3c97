import { sentenceFor } from '../agent/event.ts';
import type { Finding } from '../findings/finding.ts';
import type { Action, Approval } from '../findings/submission.ts';
import { readMarks } from '../memory/mark.ts';
import { isLaterRun } from '../memory/recall.ts';
import type { CommitReference, PostedReview, PullRequest } from '../pull-request/pull-request.ts';
import type { UnreadFile } from '../pull-request/select-files.ts';
import { atLeast } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';
import { plural } from '../text.ts';
import { keyHint, whyOf } from './headline.ts';
import type { BatchReport, Coverage, Outcome, Review, ReviewLimits, RunStop } from './review.ts';
import type { ReviewRecord } from './sink.ts';
import { failed, whyIncomplete } from './why-incomplete.ts';

/** Precedence failed > partial > findings > clean. */
export function decideOutcome(input: {
  batches: readonly BatchReport[];
  findings: readonly Finding[];
  /** True when the model found something that was accepted, be it before its review failed. */
  found: boolean;
  /** Findings of the model that could not be delivered as such. */
  unplaced: number;
  /** What could not be read at all. */
  missing: readonly string[];
  /** What was neither reviewed nor excluded. */
  unread: readonly UnreadFile[];
  cancelled: boolean;
  /** True when there is no key and the rules alone reviewed, without having been asked to. */
  withoutKey: boolean;
  /** Why no model was asked, although there is one; null when it was. */
  rest?: string | null;
  /** Of the whole run. */
  limits: ReviewLimits;
  milliseconds: number;
}): { readonly outcome: Outcome; readonly stop: RunStop } {
  const { batches, findings, missing } = input;
  const partial = (stop: RunStop) => ({ outcome: 'partial', stop }) as const;
  if (input.cancelled) return partial({ reason: 'cancelled' });
  if (typeof input.rest === 'string') return partial({ reason: 'skipped', why: input.rest });
  if (input.withoutKey) return { outcome: findings.length > 0 ? 'partial' : 'skipped', stop: { reason: 'no-key' } };
  const cut = batches.filter((batch) => batch.gap !== null);
  const failure = batches.length > 0 && !input.found && batches.every(failed) ? batches[0] : undefined;
  if (failure !== undefined) {
    // The sentence of a failed model ends with its hint.
    return { outcome: 'failed', stop: { reason: 'failed', message: sentenceFor(failure.stop), hint: '' } };
  }
  const first = cut.find((batch) => !batch.reviewed) ?? cut[0];
  if (first !== undefined) {
    return partial({ reason: 'incomplete', why: whyIncomplete(cut, input), stop: first.stop });
  }
  const stop = { reason: 'submitted' } as const;
  if (missing.length > 0) return partial({ reason: 'incomplete', why: missing.join(' '), stop });
  const wantsChanges = batches.some(({ approval }) => approval?.action === 'REQUEST_CHANGES');
  if (findings.length === 0 && input.unplaced > 0 && wantsChanges) {
    return partial({ reason: 'incomplete', why: lostFindings, stop });
  }
  // What nobody read is not clean, whatever the rest is.
  if (input.unread.length > 0) return partial({ reason: 'unread', files: input.unread });
  return { outcome: findings.length > 0 ? 'findings' : 'clean', stop: { reason: 'completed' } };
}

const lostFindings =
  'The model asked for changes, but nothing that it quoted is in the code. Its findings are listed as unplaced.';

const fromWorst: readonly Action[] = ['REQUEST_CHANGES', 'COMMENT', 'APPROVE'];

/** The one that asks for most; null when there is none. */
export function worstApproval(approvals: readonly Approval[]): Approval | null {
  return approvals.toSorted((one, other) => fromWorst.indexOf(one.action) - fromWorst.indexOf(other.action))[0] ?? null;
}

/** The worst of the batches' actions. APPROVE needs every batch reviewed in full and nothing that must be fixed. */
export function mergeActions(
  batches: readonly BatchReport[],
  findings: readonly Finding[],
  outcome: Outcome,
): { readonly action: Action; readonly approved: boolean; readonly rationale: string } {
  const approvals = batches.flatMap(({ approval }) => approval ?? []);
  // One verdict of the whole review: that of the batch that asks for most, of several such the first.
  const rationale =
    worstApproval(approvals.filter((approval) => approval.rationale.trim() !== ''))?.rationale.trim() ?? '';
  if (approvals.some((approval) => approval.action === 'REQUEST_CHANGES')) {
    return { action: 'REQUEST_CHANGES', approved: false, rationale };
  }
  const mustBeFixed = findings.some(({ severity }) => atLeast(severity, 'warning'));
  const complete = batches.length > 0 && batches.every((batch) => batch.reviewed && batch.gap === null);
  const agreed =
    approvals.length === batches.length &&
    approvals.every((approval) => approval.action === 'APPROVE' && approval.approved);
  const approved = complete && agreed && !mustBeFixed && (outcome === 'clean' || outcome === 'findings');
  return { action: approved ? 'APPROVE' : 'COMMENT', approved, rationale };
}

/** What a run comes to for the one who started it: a job fails or warns, the command line exits with a code. */
export type Verdict =
  | { readonly kind: 'fine'; readonly message: string }
  | { readonly kind: 'warn'; readonly message: string }
  | { readonly kind: 'findings'; readonly why: string; readonly message: string }
  /** Something was not read or not reviewed, and `require-complete` asks for all. */
  | { readonly kind: 'incomplete'; readonly why: string; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The settings that decide whether a job fails. */
export type Gate = Pick<Settings, 'failOn' | 'requireComplete' | 'reviewEvent'>;

/** The gate of a job that only hands over: the one that posts fails for both. */
export const openGate: Gate = { failOn: 'never', requireComplete: false, reviewEvent: 'comment' };

/** The name under which approvals of earlier runs are settled. */
export const approvalRecorder = 'approval';

/**
 * `failed`, an approval that should not stand and does, a finding at or above `fail-on`, and with `require-complete` whatever was not reviewed
 * fail the job; `partial` and a run without a key warn, unless all that is missing is known to be no code. Earlier findings that stand count, also when this run
 * reviewed nothing. Declined findings do not count.
 */
export function verdictOf({ review, deliveries }: Pick<ReviewRecord, 'review' | 'deliveries'>, gate: Gate): Verdict {
  if (review.outcome === 'failed') return { kind: 'failed', message: review.headline };
  const left = gate.reviewEvent === 'approve' ? standingApproval(deliveries) : null;
  if (left !== null) return { kind: 'failed', message: `${left} ${review.headline}` };
  const { failOn } = gate;
  const findings = review.placements.filter(({ place }) => place !== 'suppressed').map(({ finding }) => finding);
  const severe = failOn === 'never' ? [] : findings.filter((finding) => atLeast(finding.severity, failOn));
  if (severe.length > 0) {
    const why = `${plural(severe.length, 'finding')} at or above \`fail-on: ${failOn}\`.`;
    return { kind: 'findings', why, message: `${why} ${review.headline}` };
  }
  const gap = gate.requireComplete ? whyNotComplete(review) : null;
  if (gap !== null) {
    const why = 'Not everything was reviewed, and `require-complete` is set.';
    const reason = review.headline.includes(gap) ? review.headline : `${gap} ${review.headline}`;
    return { kind: 'incomplete', why, message: `${why} ${reason}` };
  }
  const { stop, headline } = review;
  if (stop.reason === 'no-key') return { kind: 'warn', message: `${headline} ${keyHint(review.pullRequest)}` };
  const isHarmless = stop.reason === 'unread' && !stop.files.some(({ code }) => code);
  return { kind: review.outcome === 'partial' && !isHarmless ? 'warn' : 'fine', message: headline };
}

/** Why an approval that this run does not support could not be dismissed; null when none stands. */
function standingApproval(deliveries: ReviewRecord['deliveries']): string | null {
  const trouble = deliveries.find(
    ({ sink, status }) => sink === approvalRecorder && (status === 'failed' || status === 'refused'),
  );
  return trouble === undefined ? null : (trouble.reason ?? 'An earlier approval could not be dismissed.');
}

type Judged = Pick<Review, 'stop' | 'coverage' | 'batches' | 'pullRequest'>;

/** True when the whole change was read and reviewed, or there was nothing in it to review. */
export function isComplete(review: Judged): boolean {
  return whyNotComplete(review) === null;
}

/**
 * What was not read or not reviewed, in plain sentences; null when everything was. What the workflow left out on purpose (`exclude`, lock files)
 * is no gap. A pull request that was not looked at is one, whatever the reason: a draft, its author, too many reviews.
 */
export function whyNotComplete({ stop, coverage, batches, pullRequest }: Judged): string | null {
  // Events without a pull request (a push, a merge group) have nothing to review.
  const nothing = stop.reason === 'skipped' && (stop.nothing === true || pullRequest === null);
  if (stop.reason !== 'completed' && !nothing) return whyOf(stop);
  if (pullRequest !== null && !pullRequest.discussionRead) {
    return 'Could not read the existing comments, so earlier findings are unknown.';
  }
  if (!isCovered(coverage)) return [...coverage.missing, ...unreviewed(coverage)].join(' ');
  const cut = batches.find(({ reviewed, gap }) => !reviewed || gap !== null);
  return cut === undefined ? null : (cut.gap ?? `The batch ${cut.name} was not reviewed.`);
}

/** True when no file of the change was left unread or unreviewed. */
export function isCovered({ missing, unreviewed, unread }: Coverage): boolean {
  return missing.length + unreviewed.length + unread.length === 0;
}

function unreviewed({ unreviewed: left, unread }: Coverage): readonly string[] {
  const files = [...left, ...unread];
  const [first] = files;
  if (first === undefined) return [];
  const more = files.length === 1 ? '' : ` and ${files.length - 1} more`;
  return [`Not reviewed: ${first.path} (${first.reason})${more}.`];
}

/** What of a pull request may change while it is reviewed. */
export type PresentState = Pick<PullRequest, 'state' | 'draft' | 'base'> & { readonly head: CommitReference };

/** Why what was reviewed may no longer be approved, one sentence; null when it may. `now` is null when that cannot be found out. */
export function whyNotApprove(reviewed: PresentState, now: PresentState | null): string | null {
  const short = (sha: string) => sha.slice(0, 12);
  if (now === null) return 'GitHub did not say whether the pull request is still the one that was reviewed.';
  if (now.head.sha !== reviewed.head.sha) {
    return `The head moved to ${short(now.head.sha)} while ${short(reviewed.head.sha)} was reviewed.`;
  }
  if (now.state !== 'open') return `The pull request is now ${now.state}.`;
  if (now.draft && !reviewed.draft) return 'The pull request is now a draft.';
  if (now.base.ref !== reviewed.base.ref) return 'The base branch has changed.';
  if (now.base.sha !== reviewed.base.sha) {
    return `The base moved to ${short(now.base.sha)} while the change was reviewed against ${short(reviewed.base.sha)}.`;
  }
  return null;
}

/**
 * The approvals of ours that stand, newest first. To take one back, a mark in a review of our own identity is proof enough, whoever signed it:
 * dismissing is the safe direction.
 */
export function standingApprovals(
  reviews: readonly PostedReview[],
  /** Without a name, as where the settings could not be read, the mark of any is ours. What a later run approved is not for this one to judge. */
  { name, run }: { name: string | null; run: string },
): readonly PostedReview[] {
  const standing = reviews.filter(({ isSelf, state, body }) => {
    if (!isSelf || state !== 'APPROVED') return false;
    const marks = readMarks(body).filter((mark) => mark.kind === 'review' && (name === null || mark.name === name));
    return marks.length > 0 && !marks.some((mark) => isLaterRun(mark.run, run));
  });
  return standing.toReversed();
}

/**
 * True when this run ends in an approval: it is to be posted as one, or everything was reviewed at this very head before and nothing has come
 * up since. Every other run takes back what an earlier one approved.
 */
export function bearsOutApproval({ event, outcome, scope, coverage, pullRequest }: Review): boolean {
  if (event === 'APPROVE') return true;
  const sameHead = scope?.kind === 'incremental' && scope.since === pullRequest?.head.sha;
  return outcome === 'clean' && sameHead && coverage.reviewed.length === 0 && isCovered(coverage);
}
