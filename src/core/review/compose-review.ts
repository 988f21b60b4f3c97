import type { Finding } from '../findings/finding.ts';
import { mergeFindings } from '../findings/merge.ts';
import type { Placement } from '../findings/placement.ts';
import { rankFindings } from '../findings/rank.ts';
import { type Matching, matchFindings } from '../memory/match.ts';
import type { Memory, PriorFinding } from '../memory/memory.ts';
import type { RunIdentity } from '../memory/run-identity.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Settings } from '../settings/settings.ts';
import type { ReviewDraft, ReviewedDraft } from './draft.ts';
import { emptyReview } from './empty-review.ts';
import { headline } from './headline.ts';
import { addMetrics, noMetrics } from './metrics.ts';
import { decideOutcome, mergeActions } from './outcome.ts';
import { placeStanding, placeWithMemory } from './place-with-memory.ts';
import { reasonToRest } from './reason-to-skip.ts';
import type { Review } from './review.ts';
import { reviewEventOf } from './review-event.ts';

export type ComposeContext = {
  readonly pullRequest: PullRequest;
  readonly settings: Settings;
  /** Every file of the diff. */
  readonly files: readonly ChangedFile[];
  readonly memory: Memory;
  /** Null where nothing is posted. */
  readonly identity: RunIdentity | null;
  /** Whether an approval may be posted, if the review bears it out. */
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
  return draft.bundles.length === 0 ? nothingLooked : new Set(draft.coverage.reviewed);
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
  const reports = draft.bundles.map((bundle) => bundle.report);
  const prior = withoutIgnored(context.memory.prior, draft);
  const matching = carriedOn(matchSigned(rankFindings(mergeFindings(foundIn(draft))), prior), looked(draft));
  const placements = [...placeWithMemory(matching, context), ...dismissed(draft), ...ignored(draft)];
  const open = placements.filter(({ place }) => place !== 'suppressed').map(({ finding }) => finding);
  const refused = [...draft.refused, ...draft.bundles.flatMap((bundle) => bundle.refused)];
  const decided = decideOutcome({
    bundles: reports,
    findings: open,
    found: draft.bundles.some(({ findings }) => findings.length > 0),
    refused: refused.length,
    missing: [...draft.coverage.missing, ...draft.incomplete],
    unread: draft.coverage.unread,
    cancelled: draft.cancelled,
    withoutKey: draft.withoutKey,
    rest: context.settings.profile === 'offline' ? null : reasonToRest(context.memory),
  });
  const composed = {
    ...decided,
    ...mergeActions(reports, open, decided.outcome),
    headline: headline(decided, placements, draft.coverage),
    pullRequest: context.pullRequest,
    placements,
    refused,
    nonSpecific: reports.flatMap((report) => textOf(report.nonSpecificReview)),
    rawFreeText: reports.flatMap((report) => textOf(report.rawFreeText)).join('\n\n') || null,
    coverage: draft.coverage,
    bundles: reports,
    metrics: reports.reduce((sum, report) => addMetrics(sum, report.metrics), noMetrics),
    estimate: draft.estimate,
    milliseconds: draft.milliseconds,
    limits: draft.limits,
    notes: draft.notes,
    identity: context.identity,
    scope: context.identity === null ? null : draft.scope,
    gone: matching.gone,
    earlierReviews: context.memory.reviews,
  };
  const allowed = context.settings.reviewEvent;
  return { ...composed, event: reviewEventOf(composed, { allowed, mayApprove: context.mayApprove }) };
}

/** What a mark without a valid signature says of a finding keeps it from being posted twice, and does nothing else. */
function matchSigned(findings: readonly Finding[], prior: readonly PriorFinding[]): Matching {
  const matching = matchFindings(findings, prior.filter(isSigned));
  const { fresh, standing } = matchFindings(
    matching.fresh,
    prior.filter((one) => !isSigned(one)),
  );
  return { ...matching, fresh, standing: [...matching.standing, ...standing] };
}

/** Findings that verification disproved: listed, never counted. */
function dismissed(draft: ReviewedDraft): readonly Placement[] {
  return draft.bundles
    .flatMap((bundle) => bundle.dismissed)
    .map(({ finding, reason, by }) => ({
      finding,
      place: 'suppressed',
      by,
      reason: `disproved: ${reason}`,
    }));
}

/** What comments in the code keep from being raised: told, never counted. */
function ignored(draft: ReviewedDraft): readonly Placement[] {
  return draft.ignored.map(({ finding, reason }) => ({ finding, place: 'suppressed', by: 'rule-comment', reason }));
}

/** What an earlier run raised and a comment asks to ignore since does not stand any more. */
function withoutIgnored(prior: readonly PriorFinding[], draft: ReviewedDraft): readonly PriorFinding[] {
  const findings = draft.ignored.map(({ finding }) => finding);
  // Each by itself: a foreign mark must not stand in for one of ours.
  const matched = [true, false].flatMap((signed) => {
    const { standing, refused } = matchFindings(
      findings,
      prior.filter((one) => one.signed === signed),
    );
    return [...standing, ...refused];
  });
  const met = new Set(matched.map((one) => one.prior));
  return prior.filter((one) => !met.has(one));
}

/** By who found them: what one of them names apart stays apart. */
function foundIn(draft: ReviewedDraft): readonly (readonly Finding[])[] {
  return [draft.ruleFindings, ...draft.bundles.map((bundle) => bundle.findings)];
}

function textOf(text: string | null): readonly string[] {
  return text === null || text.trim() === '' ? [] : [text.trim()];
}
