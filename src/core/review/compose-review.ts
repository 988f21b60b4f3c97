import { addMetrics, noMetrics } from '../agent/meter.ts';
import { type Finding, type PlacedFinding, placed, unraised } from '../findings/finding.ts';
import { type CommentLimits, limitFindings, placeFindings, rankFindings } from '../findings/place.ts';
import { eachFileOnce, linesOn, type WalkthroughLine } from '../findings/walkthrough.ts';
import { followed } from '../history/echoes.ts';
import { lifeMessage } from '../history/life.ts';
import { type Matching, matchFindings } from '../history/match.ts';
import { type Decline, findingOf, type Memory, type PriorFinding, type RunIdentity } from '../history/memory.ts';
import type { HeldReceipts } from '../history/receipts.ts';
import { foundAgain, type Settled, settle, withAnswers } from '../history/settle.ts';
import type { Message } from '../messages/message.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { atLeast } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';
import type { ReviewDraft, ReviewedDraft } from './draft.ts';
import { emptyReview } from './empty-review.ts';
import { factsOf, rationaleOf, stopOf, toReviewAgain } from './facts.ts';
import { foundIn } from './found.ts';
import { headline } from './headline.ts';
import { reasonToRest } from './left-out.ts';
import { withOrigins } from './origins.ts';
import type { PostEvent, Review, Size } from './review.ts';
import { decide, type Facts, openGate } from './verdict.ts';

export type ComposeContext = {
  readonly pullRequest: PullRequest;
  readonly settings: Settings;
  /** Every file of the diff. */
  readonly files: readonly ChangedFile[];
  readonly memory: Memory;
  /** What of the change was reviewed before; left out where nothing was. */
  readonly standing?: HeldReceipts;
  /** Null where nothing is posted. */
  readonly identity: RunIdentity | null;
  /** Whether the author may be approved; null until that was asked. */
  readonly mayApprove: boolean | null;
};

/** Everything that was found, as one value: merged, ranked, compared with earlier runs, placed. Nothing is posted before it exists. */
export function composeReview(draft: ReviewDraft, context: ComposeContext): Review {
  if (draft.kind === 'reviewed') return composeReviewed(draft, context);
  const { pullRequest, memory } = context;
  const matching = matchFindings([], memory.prior.filter(isSigned));
  const { standing } = settle(matching, { answers: [], files: null });
  return emptyReview(draft.stop, {
    ...draft,
    pullRequest,
    standing: placeStanding(standing),
    earlier: memory.earlier,
  });
}

function isSigned({ signed }: PriorFinding): boolean {
  return signed;
}

/**
 * Earlier findings that only a mark without a valid signature tells of, and that this run did not find: anybody may have written such a mark, so
 * they do not count.
 */
export function uncountedFindings({ findings }: Review, prior: readonly PriorFinding[]): readonly PriorFinding[] {
  const unsigned = prior.filter((one) => !one.signed);
  const { unmatched, gone } = matchFindings(findings, unsigned);
  return [...unmatched, ...gone.filter(({ present }) => present.kind === 'unmapped')];
}

function composeReviewed(draft: ReviewedDraft, context: ComposeContext): Review {
  const reports = draft.batches.map((batch) => batch.report);
  const found = foundIn(draft);
  const answers = draft.earlier;
  const earlier = context.memory.prior.map((one) => followed(one, context.files));
  const prior = withoutIgnored(withAnswers(earlier, { answers, found }), draft);
  const matching = foundAgain(matchSigned(found, prior));
  const settled = settle(matching, { answers, files: context.files });
  const findings = withOrigins(
    [...placeWithMemory({ fresh: matching.fresh, ...settled }, context), ...suppressedIn(draft)],
    { draft, files: context.files },
  );
  const open = findings.filter(({ place }) => place !== 'suppressed');
  const { settings, memory, mayApprove, pullRequest } = context;
  const { reviewEvent } = settings;
  const rest = settings.profile === 'offline' ? null : reasonToRest(memory);
  const doubted = draft.coverage.earlier.filter((path) => !isApproved(path, context));
  const known = { open, doubted, memory, rest, reviewEvent, mayApprove };
  const facts = factsOf(draft, known);
  const { outcome, approves } = decide(facts, openGate);
  const decided = { outcome, stop: stopOf(draft, facts, known), model: draft.limits.model };
  const isWhole = outcome === 'clean' || outcome === 'findings';
  const again = toReviewAgain(draft, known);
  const suppressed = new Set(findings.flatMap(({ place, id }) => (place === 'suppressed' ? id : [])));
  const nonSpecific = reports.flatMap((report) => textOf(report.nonSpecificReview));
  const told = headline(decided, findings, draft.coverage);
  const wouldApprove = context.identity !== null && decide({ ...facts, approval: 'proven' }, openGate).approves;
  const withheld = wouldApprove ? whyWithheld(facts, pullRequest) : null;
  return {
    facts,
    outcome,
    stop: decided.stop,
    action: facts.word === 'asks-for-changes' ? 'REQUEST_CHANGES' : approves ? 'APPROVE' : 'COMMENT',
    approved: approves,
    rationale: rationaleOf(draft, { isWhole, suppressed }),
    event: eventOf(facts, { approves, allowed: reviewEvent, isNamed: open.length > 0 }),
    headline: withheld === null ? told : [...told, withheld],
    withheld,
    pullRequest,
    findings,
    nonSpecific,
    rawFreeText: reports.flatMap((report) => textOf(report.rawFreeText)).join('\n\n') || null,
    coverage: draft.coverage,
    size: sizeOf(draft, context),
    ...again,
    unproven: [...again.unproven, ...cutIn(draft, context)],
    walkthrough: walkthroughOf(draft, context),
    batches: reports,
    metrics: reports.reduce((sum, report) => addMetrics(sum, report.metrics), noMetrics),
    estimate: draft.estimate,
    milliseconds: draft.milliseconds,
    limits: draft.limits,
    notes: draft.notes,
    identity: context.identity,
    scope: context.identity === null ? null : draft.scope,
    gone: settled.ended,
    lives: [...settled.standing, ...settled.declined]
      .map((one) => one.prior)
      .concat(settled.ended)
      .filter(isSigned),
    earlierReviews: memory.reviews,
    ...(draft.plan === undefined ? {} : { shards: draft.plan.shards.length }),
  };
}

/** Whether an earlier run approved a file as it is now. */
function isApproved(path: string, { standing }: ComposeContext): boolean {
  const one = standing?.files.get(path);
  return one?.kind === 'holds' && one.receipt.approves;
}

/** Without what the workflow leaves out, and what is no code that anybody reviews, such as a lock file. */
function sizeOf({ coverage }: ReviewedDraft, { files }: ComposeContext): Size {
  const left = new Set([...coverage.skipped, ...coverage.unread.filter(({ code }) => !code)].map(({ path }) => path));
  const own = files.filter(({ path }) => !left.has(path));
  return { files: own.length, changed: own.reduce((sum, file) => sum + file.additions + file.deletions, 0) };
}

/** Files that were looked at, as far as their diff goes. */
function cutIn({ coverage }: ReviewedDraft, { files }: ComposeContext): readonly string[] {
  const cut = new Set(files.flatMap(({ path, incomplete }) => (incomplete === null ? [] : [path])));
  return coverage.reviewed.filter((path) => cut.has(path));
}

function whyWithheld({ approval }: Facts, { author: person }: PullRequest): Message | null {
  if (approval === 'broken') return { code: 'approval.no-permission', person };
  return approval === 'unknown' ? { code: 'approval.permission-unknown', person } : null;
}

/** The strongest event that the workflow's author allows and the facts support. */
function eventOf(
  { word, approval }: Facts,
  { approves, allowed, isNamed }: { approves: boolean; allowed: Settings['reviewEvent']; isNamed: boolean },
): PostEvent {
  if (allowed === 'comment') return 'COMMENT';
  if (word === 'asks-for-changes' && isNamed) return 'REQUEST_CHANGES';
  return approves && approval === 'proven' ? 'APPROVE' : 'COMMENT';
}

/** What a mark without a valid signature says of a finding keeps it from being posted twice, and does nothing else. */
function matchSigned(findings: readonly Finding[], prior: readonly PriorFinding[]): Matching {
  const matching = matchFindings(findings, prior.filter(isSigned));
  const unsigned = prior.filter((one) => !isSigned(one));
  const { fresh, standing } = matchFindings(matching.fresh, unsigned);
  return { ...matching, fresh, standing: [...matching.standing, ...standing] };
}

/** What verification or a comment in the code keeps from being raised: listed, never counted. */
function suppressedIn({ batches, ignored }: ReviewedDraft): readonly PlacedFinding[] {
  const all = [...batches.flatMap(({ disproved }) => disproved), ...ignored];
  return all.flatMap((finding) => (finding.suppressed === undefined ? [] : [unraised(finding, finding.suppressed)]));
}

/** What an earlier run raised and a comment asks to ignore since does not stand any more. */
function withoutIgnored(prior: readonly PriorFinding[], draft: ReviewedDraft): readonly PriorFinding[] {
  // Each by itself: a foreign mark must not stand in for one of ours.
  const matched = [true, false].flatMap((signed) => {
    const some = prior.filter((one) => one.signed === signed);
    const { standing, declinedAgain } = matchFindings(draft.ignored, some);
    return [...standing, ...declinedAgain];
  });
  const met = new Set(matched.map((one) => one.prior));
  return prior.filter((one) => !met.has(one));
}

/**
 * In the order of the diff; a large file that several batches share stands in the line of the first. What an earlier run said of a group holds while
 * no push touches any of its files.
 */
function walkthroughOf(
  { batches, coverage }: ReviewedDraft,
  { files, memory }: ComposeContext,
): readonly WalkthroughLine[] {
  const untouched = new Set(coverage.earlier);
  const isUntouched = ({ paths }: WalkthroughLine) => paths.every((path) => untouched.has(path));
  const earlier = (memory.sticky?.walkthrough ?? []).filter(isUntouched);
  const inDiff = files.map(({ path }) => path);
  const lines = linesOn(inDiff, eachFileOnce([...batches.flatMap(({ report }) => report.walkthrough), ...earlier]));
  const byFirst = new Map(lines.map((line) => [line.paths[0], line]));
  return inDiff.flatMap((path) => byFirst.get(path) ?? []);
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
  { fresh, ...settled }: Pick<Matching, 'fresh'> & Pick<Settled, 'standing' | 'declined'>,
  { files, settings }: { files: readonly ChangedFile[]; settings: CommentLimits },
): readonly PlacedFinding[] {
  const pairs = settled.standing.map(asFinding);
  const again = pairs.filter(({ prior }) => isSaidAgain(prior));
  const lives = new Map(again.map(({ finding, prior }) => [finding.id, lifeOf(prior)]));
  const told = placeFindings([...fresh, ...again.map(({ finding }) => finding)], { files });
  const posted = limitFindings(told, settings).map((one) => ({ ...one, ...lives.get(one.id) }));
  const held = pairs
    .filter(({ prior }) => !isSaidAgain(prior))
    .map(({ finding, prior }): PlacedFinding => {
      const [anew] = prior.life === 'returned' ? placeFindings([finding], { files }) : [];
      const stands = standing(finding, prior);
      return anew === undefined ? stands : { ...stands, anew: { ...anew, life: 'returned' } };
    });
  const turnedDown = settled.declined
    .filter(({ finding, prior }) => finding !== null || prior.present.kind === 'here')
    .map(asFinding)
    .map(({ finding, prior }) => unraised(finding, { by: 'people', reason: whyDeclined(prior) }, prior.url));
  return rankFindings([...posted, ...held, ...turnedDown]);
}

type Pair = { readonly finding: Finding; readonly prior: PriorFinding };

/** Whatever says it, it stays the same finding, and as severe: only a verification may lower that. */
function asFinding({ finding, prior }: Settled['standing'][number]): Pair {
  if (finding === null) return { finding: findingOf(prior), prior };
  const { signed, mark } = prior;
  const isMilder = signed && finding.verification !== 'confirmed' && atLeast(mark.severity, finding.severity);
  const severity = isMilder ? mark.severity : finding.severity;
  return { finding: { ...finding, severity, earlierId: prior.id }, prior };
}

/** Without a comment nobody could decline it; and what came back where no thread can be opened again is said anew. */
function isSaidAgain(prior: PriorFinding): boolean {
  return isDeleted(prior) || (prior.life === 'returned' && prior.held.in !== 'thread');
}

/** What stands while nothing is reviewed: it counts, and nothing is said again. */
function placeStanding(pairs: Settled['standing']): readonly PlacedFinding[] {
  return rankFindings(pairs.map(asFinding).map(({ finding, prior }) => standing(finding, prior)));
}

function lifeOf({ life }: PriorFinding): Pick<PlacedFinding, 'life'> {
  return life === 'changed' || life === 'returned' ? { life } : {};
}

function isDeleted({ held }: PriorFinding): boolean {
  return held.in === 'sticky' && held.deleted === true;
}

function standing(finding: Finding, prior: PriorFinding): PlacedFinding {
  // What holds it must be signed, or the next run would know nothing of it.
  const held = prior.signed ? prior.held.in : 'sticky';
  return placed(finding, 'standing', { reason: whyStanding(prior), url: prior.url, held, ...lifeOf(prior) });
}

function whyStanding({ held, signed, declines, life }: PriorFinding): Message {
  if (!signed) return { code: 'standing.unsigned' };
  if (life !== 'open') return lifeMessage(life);
  const resolved = held.in === 'thread' && held.thread.isResolved;
  const objection = declines[0];
  if (objection === undefined) return resolved ? { code: 'standing.resolved' } : { code: 'standing.raised' };
  const what = declineMessage(objection);
  return objection.canWrite === null
    ? { code: 'standing.permission-unknown', what }
    : { code: 'standing.no-permission', what };
}

function whyDeclined({ declines }: PriorFinding): Message {
  const decline = declines.findLast(({ canWrite }) => canWrite);
  return decline === undefined ? { code: 'declined.before' } : declineMessage(decline);
}

function declineMessage({ by, how, words = '' }: Decline): Message {
  switch (how) {
    case 'resolved':
      return { code: 'declined.resolved', person: by };
    case 'thumbs-down':
      return { code: 'declined.voted-down', person: by };
    case 'reply':
    case 'dismissed':
      return words === '' ? { code: 'declined.by', person: by } : { code: 'declined.by-saying', person: by, words };
    case 'evidence':
    case 'fixed':
      return { code: 'declined.withdrawn', words };
  }
}
