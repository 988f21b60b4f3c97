import { addMetrics, noMetrics } from '../agent/meter.ts';
import type { Finding, Placement } from '../findings/finding.ts';
import { inOtherWords, mergeFindings } from '../findings/merge.ts';
import { type CommentLimits, limitFindings, placeFindings, rankFindings } from '../findings/place.ts';
import type { FileNote } from '../findings/submission.ts';
import { type Matching, matchFindings } from '../memory/match.ts';
import { type Decline, findingOf, type Memory, type PriorFinding, type RunIdentity } from '../memory/memory.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { atLeast } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';
import { emptyReview, type ReviewDraft, type ReviewedDraft } from './draft.ts';
import { headline, reasonToRest } from './headline.ts';
import { originsOf } from './origins.ts';
import { decideOutcome, isCovered, mergeActions } from './outcome.ts';
import type { BatchReport, PostEvent, Review } from './review.ts';

export type ComposeContext = {
  readonly pullRequest: PullRequest;
  readonly settings: Settings;
  /** Every file of the diff. */
  readonly files: readonly ChangedFile[];
  readonly memory: Memory;
  /** Null where nothing is posted. */
  readonly identity: RunIdentity | null;
  /** Whether an approval may be posted, if the review supports it. */
  readonly mayApprove: boolean;
};

/** Everything that was found, as one value: merged, ranked, compared with earlier runs, placed. Nothing is posted before it exists. */
export function composeReview(draft: ReviewDraft, context: ComposeContext): Review {
  if (draft.kind === 'reviewed') return composeReviewed(draft, context);
  const { unmatched } = carriedOn(matchFindings([], context.memory.prior.filter(isSigned)), nothingLooked);
  return emptyReview(draft.stop, { ...draft, pullRequest: context.pullRequest, standing: placeStanding(unmatched) });
}

function isSigned({ signed }: PriorFinding): boolean {
  return signed;
}

/**
 * Earlier findings that only a mark without a valid signature tells of, and that this run did not find: anybody may have written such a mark, so
 * they do not count.
 */
export function uncountedFindings({ placements }: Review, prior: readonly PriorFinding[]): readonly PriorFinding[] {
  const findings = placements.map(({ finding }) => finding);
  const unsigned = prior.filter((one) => !one.signed);
  return carriedOn(matchFindings(findings, unsigned), nothingLooked).unmatched;
}

/** Paths that a model looked at in this run: what was found there before and is not found again may be gone. */
function looked(draft: ReviewedDraft): ReadonlySet<string> {
  return draft.batches.length === 0 ? nothingLooked : new Set(draft.coverage.reviewed);
}

const nothingLooked: ReadonlySet<string> = new Set();

/** An earlier finding whose commit is gone stands where nobody looked for it: a rewritten history ends nothing by itself. */
function carriedOn(matching: Matching, lookedAt: ReadonlySet<string>): Matching {
  const isOpen = ({ present }: PriorFinding) => present.kind === 'unmapped' && !lookedAt.has(present.path);
  return {
    ...matching,
    unmatched: [...matching.unmatched, ...matching.gone.filter(isOpen)],
    gone: matching.gone.filter((prior) => !isOpen(prior)),
  };
}

function composeReviewed(draft: ReviewedDraft, context: ComposeContext): Review {
  const reports = draft.batches.map((batch) => batch.report);
  const prior = withoutIgnored(context.memory.prior, draft);
  const found = rankFindings(mergeFindings(foundIn(draft), inOtherWords));
  const matching = carriedOn(matchSigned(found, prior), looked(draft));
  const placements = [...placeWithMemory(matching, context), ...disproved(draft), ...ignored(draft)];
  const open = placements.filter(({ place }) => place !== 'suppressed').map(({ finding }) => finding);
  const unplaced = [...draft.unplaced, ...draft.batches.flatMap((batch) => batch.unplaced)];
  const decided = decideOutcome({
    batches: reports,
    findings: open,
    found: draft.batches.some(({ findings }) => findings.length > 0),
    unplaced: unplaced.length,
    missing: [...draft.coverage.missing, ...draft.incomplete],
    unread: draft.coverage.unread,
    cancelled: draft.cancelled,
    withoutKey: draft.withoutKey,
    rest: context.settings.profile === 'offline' ? null : reasonToRest(context.memory),
    limits: draft.limits,
    milliseconds: draft.milliseconds,
  });
  const composed = {
    ...decided,
    ...mergeActions(reports, open, decided.outcome),
    headline: headline(decided, placements, draft.coverage),
    pullRequest: context.pullRequest,
    placements,
    unplaced,
    nonSpecific: reports.flatMap((report) => textOf(report.nonSpecificReview)),
    rawFreeText: reports.flatMap((report) => textOf(report.rawFreeText)).join('\n\n') || null,
    coverage: draft.coverage,
    walkthrough: walkthroughOf(reports, context.files),
    batches: reports,
    metrics: reports.reduce((sum, report) => addMetrics(sum, report.metrics), noMetrics),
    estimate: draft.estimate,
    milliseconds: draft.milliseconds,
    limits: draft.limits,
    notes: draft.notes,
    identity: context.identity,
    scope: context.identity === null ? null : draft.scope,
    gone: matching.gone,
    earlierReviews: context.memory.reviews,
    origins: originsOf(placements, { draft, files: context.files }),
  };
  const allowed = context.settings.reviewEvent;
  return { ...composed, event: reviewEventOf(composed, { allowed, mayApprove: context.mayApprove }) };
}

/** What a mark without a valid signature says of a finding keeps it from being posted twice, and does nothing else. */
function matchSigned(findings: readonly Finding[], prior: readonly PriorFinding[]): Matching {
  const matching = matchFindings(findings, prior.filter(isSigned));
  const unsigned = prior.filter((one) => !isSigned(one));
  const { fresh, standing } = matchFindings(matching.fresh, unsigned);
  return { ...matching, fresh, standing: [...matching.standing, ...standing] };
}

/** Findings that verification disproved, or that were there before: listed, never counted. */
function disproved(draft: ReviewedDraft): readonly Placement[] {
  return draft.batches
    .flatMap((batch) => batch.disproved)
    .map(({ finding, reason, by }) => ({
      finding,
      place: 'suppressed',
      by,
      reason: `${by === 'already-there' ? 'already there' : 'disproved'}: ${reason}`,
    }));
}

/** What comments in the code keep from being raised: shown, never counted. */
function ignored(draft: ReviewedDraft): readonly Placement[] {
  return draft.ignored.map(({ finding, reason }) => ({ finding, place: 'suppressed', by: 'rule-comment', reason }));
}

/** What an earlier run raised and a comment asks to ignore since does not stand any more. */
function withoutIgnored(prior: readonly PriorFinding[], draft: ReviewedDraft): readonly PriorFinding[] {
  const findings = draft.ignored.map(({ finding }) => finding);
  // Each by itself: a foreign mark must not stand in for one of ours.
  const matched = [true, false].flatMap((signed) => {
    const some = prior.filter((one) => one.signed === signed);
    const { standing, declinedAgain } = matchFindings(findings, some);
    return [...standing, ...declinedAgain];
  });
  const met = new Set(matched.map((one) => one.prior));
  return prior.filter((one) => !met.has(one));
}

/** By who found them: what one of them names apart stays apart. */
function foundIn(draft: ReviewedDraft): readonly (readonly Finding[])[] {
  return [draft.ruleFindings, ...draft.batches.map((batch) => batch.findings)];
}

/** In the order of the diff; a large file that several batches share has the lines of the first. */
function walkthroughOf(reports: readonly BatchReport[], files: readonly ChangedFile[]): readonly FileNote[] {
  const notes = new Map(reports.toReversed().flatMap((report) => report.walkthrough.map((note) => [note.path, note])));
  return files.flatMap(({ path }) => notes.get(path) ?? []);
}

function textOf(text: string | null): readonly string[] {
  return text === null || text.trim() === '' ? [] : [text.trim()];
}

/**
 * Where every finding goes, most important first: what is new to people, what an earlier comment says already, what somebody declined.
 * An earlier finding that was not found again stands until its code is gone: not being mentioned is no dismissal. One whose comment was deleted
 * is said again.
 */
function placeWithMemory(
  matching: Matching,
  { files, settings }: { files: readonly ChangedFile[]; settings: CommentLimits },
): readonly Placement[] {
  const pairs = [...matching.standing, ...matching.unmatched.map((prior) => ({ finding: findingOf(prior), prior }))];
  // Without a comment nobody could decline it.
  const again = pairs.filter(({ prior }) => isDeleted(prior)).map(({ finding }) => finding);
  const fresh = limitFindings(placeFindings([...matching.fresh, ...again], { files }), settings);
  const held = pairs.filter(({ prior }) => !isDeleted(prior)).map(({ finding, prior }) => standing(finding, prior));
  const declined = matching.declined.map((prior) => ({ finding: findingOf(prior), prior }));
  const turnedDown = [...matching.declinedAgain, ...declined].map(
    ({ finding, prior }): Placement => ({ finding, place: 'suppressed', reason: whyDeclined(prior), url: prior.url }),
  );
  return ranked([...fresh, ...held, ...turnedDown]);
}

/** What stands while nothing is reviewed: it counts, and nothing is said again. */
function placeStanding(prior: readonly PriorFinding[]): readonly Placement[] {
  return ranked(prior.map((one) => standing(findingOf(one), one)));
}

function ranked(placements: readonly Placement[]): readonly Placement[] {
  const byId = new Map(placements.map((one) => [one.finding.id, one]));
  return rankFindings(placements.map(({ finding }) => finding)).flatMap(({ id }) => byId.get(id) ?? []);
}

function isDeleted({ held }: PriorFinding): boolean {
  return held.in === 'sticky' && held.deleted === true;
}

function standing(finding: Finding, prior: PriorFinding): Placement {
  // What holds it must be signed, or the next run would know nothing of it.
  const held = prior.signed ? prior.held.in : 'sticky';
  return { finding, place: 'standing', reason: whyStanding(prior), url: prior.url, held };
}

function whyStanding({ held, signed, declines }: PriorFinding): string {
  if (!signed)
    return 'raised before in a comment without a valid signature, so what people answered there does not count';
  const resolved = held.in === 'thread' && held.thread.isResolved;
  const objection = declines[0];
  if (objection === undefined) return resolved ? 'raised before; its thread is resolved' : 'raised before';
  return `raised before; ${verb(objection)} without write permission, so it still counts`;
}

function whyDeclined({ declines }: PriorFinding): string {
  const decline = declines.find(({ canWrite }) => canWrite);
  return decline === undefined ? 'declined before' : verb(decline);
}

function verb({ by, how, words = '' }: Decline): string {
  switch (how) {
    case 'resolved':
      return `resolved by @${by}`;
    case 'thumbs-down':
      return `voted down by @${by}`;
    case 'reply':
      return `declined by @${by}${words === '' ? '' : `: “${words}”`}`;
  }
}

type Decided = Pick<Review, 'outcome' | 'action' | 'approved' | 'coverage' | 'placements' | 'nonSpecific'>;

/**
 * The strongest event that the workflow's author allows and the review supports. `request-changes` needs something that
 * is to be changed; `approve` a clean review of everything, of an author who may write.
 */
export function reviewEventOf(
  review: Decided,
  { allowed, mayApprove }: { allowed: Settings['reviewEvent']; mayApprove: boolean },
): PostEvent {
  if (allowed === 'comment') return 'COMMENT';
  const { action, placements, nonSpecific } = review;
  const open = placements.filter(({ place }) => place !== 'suppressed');
  if (action === 'REQUEST_CHANGES' && open.length + nonSpecific.length > 0) return 'REQUEST_CHANGES';
  return allowed === 'approve' && mayApprove && isApprovable(review) ? 'APPROVE' : 'COMMENT';
}

/** True when nothing but the permission of the pull request's author is left to ask. */
export function isApprovable({ outcome, approved, coverage }: Omit<Decided, 'placements'>): boolean {
  return outcome === 'clean' && approved && isCovered(coverage);
}

/** True while an earlier REQUEST_CHANGES of ours still has a reason: this review asks for changes too, or what it was about stands. */
export function isBlocking(review: Pick<Review, 'event' | 'placements'>): boolean {
  // One whose comment was deleted is raised again: what is new counts as what stands.
  const open = review.placements.filter(({ place }) => place !== 'suppressed');
  return review.event === 'REQUEST_CHANGES' || open.some(({ finding }) => atLeast(finding.severity, 'warning'));
}
