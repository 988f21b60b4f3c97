import { addMetrics, noMetrics } from '../agent/meter.ts';
import { type Finding, type PlacedFinding, unraised } from '../findings/finding.ts';
import { eachFileOnce, linesOn, type WalkthroughLine } from '../findings/walkthrough.ts';
import { followedAll } from '../history/followed.ts';
import { type Matching, matchFindings } from '../history/match.ts';
import type { Memory, PriorFinding, RunIdentity } from '../history/memory.ts';
import type { HeldReceipts } from '../history/receipts/receipts.ts';
import { type Settled, settle, withAnswers } from '../history/settle.ts';
import type { Message } from '../messages/message.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Settings } from '../settings/settings.ts';
import type { ReadBefore } from './convergence.ts';
import type { ReviewDraft, ReviewedDraft } from './draft.ts';
import { emptyReview } from './empty-review.ts';
import { factsOf, rationaleOf, stopOf, toReviewAgain } from './facts.ts';
import { headline } from './headline.ts';
import { foundIn } from './keep-places.ts';
import { reasonToRest } from './left-out.ts';
import { withOrigins } from './origins.ts';
import { placeStanding, placeWithEarlier } from './place-earlier.ts';
import type { PostEvent, Review, Size } from './review.ts';
import { decide, type Facts, openGate } from './verdict.ts';

export type ComposeContext = {
  readonly pullRequest: PullRequest;
  readonly settings: Settings;
  /** Every file of the diff. */
  readonly files: readonly ChangedFile[];
  readonly memory: Memory;
  /** What the draft holds, with all places looked up; left out where nobody looks. */
  readonly found?: readonly Finding[];
  /** What of the change was reviewed before; left out where nothing was. */
  readonly standing?: HeldReceipts | undefined;
  /** Null where nothing is posted. */
  readonly identity: RunIdentity | null;
  /** Whether the author may be approved; null until that was asked. */
  readonly mayApprove: boolean | null;
  /** The id by which every round will know a finding of this one. */
  readonly mint: (finding: Finding) => string;
  /** What is known of earlier readings of the files. */
  readonly readBefore: ReadBefore;
};

/** Everything that was found, as one value: merged, ranked, compared with earlier runs, placed. Nothing is posted before it exists. */
export function composeReview(draft: ReviewDraft, context: ComposeContext): Review {
  if (draft.kind === 'reviewed') return composeReviewed(draft, context);
  const { pullRequest, memory, files } = context;
  const isRead = draft.stop.reason === 'skipped' && draft.stop.nothing === true;
  const signed = memory.prior.filter(isSigned);
  const prior = isRead ? followedAll(signed, files) : signed;
  // A run that stops before the diff is read settles nothing.
  const settled = settle(matchFindings([], prior), { answers: [], files: isRead ? files : null });
  const empty = emptyReview(draft.stop, {
    ...draft,
    pullRequest,
    standing: placeStanding(settled.standing),
    earlier: memory.earlier,
  });
  if (!isRead || context.identity === null) return empty;
  return { ...empty, identity: context.identity, ...historyOf(settled, memory) };
}

/** What became of the findings of earlier rounds. */
function historyOf(
  { standing, declined, ended, parts }: Settled,
  { nextState: number, state: before, reviews, twins = [] }: Memory,
  reading = 0,
): Pick<Review, 'gone' | 'lives' | 'round'> {
  return {
    gone: ended.map(({ prior }) => prior),
    lives: [...standing, ...declined, ...ended].map(({ prior }) => prior).filter(isSigned),
    round: { number, before, reviews, reading, parts: parts.filter(isSigned), twins },
  };
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
  return matchFindings(findings, unsigned).unseen.filter(({ present }) => present.kind !== 'gone');
}

function composeReviewed(draft: ReviewedDraft, context: ComposeContext): Review {
  const reports = draft.batches.map((batch) => batch.report);
  const { found = foundIn(draft) } = context;
  const answers = draft.earlier;
  const earlier = followedAll(context.memory.prior, context.files);
  const prior = withoutIgnored(withAnswers(earlier, { answers, found }), draft);
  const matching = matchSigned(found, prior);
  const settled = settle(matching, { answers, files: context.files });
  const findings = withOrigins(
    [...placeWithEarlier({ fresh: matching.fresh, ...settled }, context), ...suppressedIn(draft)],
    { draft, files: context.files },
  );
  const open = findings.filter(({ place }) => place !== 'suppressed');
  const { settings, memory, mayApprove, pullRequest } = context;
  const { reviewEvent } = settings;
  const rest = settings.profile === 'offline' ? null : reasonToRest(memory);
  const beyond = (memory.state?.beyond ?? []).filter(({ path }) => !draft.coverage.reviewed.includes(path));
  const known = { open, beyond, standing: context.standing, memory, rest, reviewEvent, mayApprove };
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
    ...historyOf(settled, memory, readingOf(draft, context)),
    ...(draft.plan === undefined ? {} : { shards: draft.plan.shards.length }),
  };
}

/** Which reading this is: of the file that was read most often. */
function readingOf({ coverage }: ReviewedDraft, { readBefore }: ComposeContext): number {
  return Math.max(0, ...coverage.reviewed.map((path) => (readBefore(path)?.readings ?? 0) + 1));
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
  const earlier = (memory.state?.walkthrough ?? []).filter(isUntouched);
  const inDiff = files.map(({ path }) => path);
  const lines = linesOn(inDiff, eachFileOnce([...batches.flatMap(({ report }) => report.walkthrough), ...earlier]));
  const byFirst = new Map(lines.map((line) => [line.paths[0], line]));
  return inDiff.flatMap((path) => byFirst.get(path) ?? []);
}

function textOf(text: string | null): readonly string[] {
  return text === null || text.trim() === '' ? [] : [text.trim()];
}
