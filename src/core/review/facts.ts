import { sentenceFor } from '../agent/event.ts';
import type { Finding } from '../findings/finding.ts';
import { worstApproval } from '../findings/submission.ts';
import type { Memory } from '../history/memory.ts';
import { type HeldReceipts, isDoubted } from '../history/receipts/receipts.ts';
import type { State } from '../history/state.ts';
import type { Message } from '../messages/message.ts';
import { atLeast } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';
import type { BatchReview, ReviewedDraft, StoppedDraft } from './draft.ts';
import { missingTold } from './headline.ts';
import type { Coverage, Review, RunStop } from './review.ts';
import { planMessage } from './shards.ts';
import type { Delivery } from './sink.ts';
import type { Facts } from './verdict.ts';
import { failed, whyIncomplete } from './why-incomplete.ts';

export type Known = {
  /** Every finding that counts. */
  readonly open: readonly Finding[];
  /** Open findings for which the earlier state had no room, in files that this run did not read. */
  readonly beyond?: State['beyond'];
  /** What of the change was reviewed before; left out where nothing was. */
  readonly standing?: HeldReceipts | undefined;
  readonly memory: Memory;
  /** Why no model was asked, although there is one; null when it was. */
  readonly rest: Message | null;
  readonly reviewEvent: Settings['reviewEvent'];
  /** Whether the pull request's author may be approved; null until that was asked. */
  readonly mayApprove: boolean | null;
};

/** What is proven of a review before it is delivered. */
export function factsOf(draft: ReviewedDraft, known: Known): Facts {
  const { open, memory, reviewEvent, mayApprove, beyond = [] } = known;
  const isNamed =
    beyond.length === 0 && !isUnexplained(draft, open) && open.every(({ unplaced }) => unplaced === undefined);
  const asked = mayApprove === null ? 'unknown' : mayApprove ? 'proven' : 'broken';
  return {
    ...nothingDelivered,
    run: runOf(draft),
    files: known.rest === null ? filesOf(draft) : 'broken',
    open: [
      ...open,
      ...beyond.flatMap(({ severity, count }) => Array.from({ length: count }, () => ({ severity }))),
    ].map(({ severity }) => severity),
    places: isNamed ? 'proven' : 'broken',
    earlier: memory.earlier,
    word: wordOf(draft, known),
    approval: reviewEvent === 'approve' ? asked : 'not-asked',
  };
}

const nothingDelivered = { delivery: 'proven', dismissals: 'proven' } as const;

/** The same of a run that reviewed nothing. */
export function factsWithout(
  stop: StoppedDraft['stop'],
  { open, earlier, isEvent }: Pick<Facts, 'open' | 'earlier'> & { readonly isEvent: boolean },
): Facts {
  // Events without a pull request (a push, a merge group) have nothing to review.
  const nothing = stop.reason === 'skipped' && (stop.nothing === true || isEvent);
  const left = stop.reason === 'skipped' && (stop.paused ?? stop.byAuthor) === true ? 'waived' : 'left';
  const run = nothing ? 'nothing' : stop.reason === 'skipped' ? left : stop.reason;
  const asked = { files: 'proven', places: 'proven', word: 'none', approval: 'broken' } as const;
  return { ...nothingDelivered, ...asked, run, open, earlier };
}

/** Whether what this run approved stands: it was posted, and not dismissed since. */
export function standsApproved(deliveries: readonly Delivery[]): boolean {
  const isDismissed = deliveries.some(({ sink, status }) => sink === 'approval' && status === 'delivered');
  return !isDismissed && deliveries.some(({ approved }) => approved === true);
}

/** The same, with what became of it. What could not be delivered worsens the verdict, whatever was printed before. */
export function factsAfter(facts: Facts, deliveries: readonly Delivery[]): Facts {
  const isLost = deliveries.some(({ status }) => status === 'failed');
  const isLeft = deliveries.some(({ sink, status }) => sink === 'approval' && isTrouble(status));
  const isWithheld = facts.approval === 'proven' && !standsApproved(deliveries);
  return {
    ...facts,
    ...(isLost ? { delivery: 'broken' } : {}),
    ...(isLeft ? { dismissals: 'broken' } : {}),
    ...(isWithheld ? { approval: 'broken' } : {}),
  };
}

export function isTrouble(status: Delivery['status']): boolean {
  return status === 'failed' || status === 'refused';
}

function runOf(draft: ReviewedDraft): Facts['run'] {
  if (draft.cancelled) return 'cancelled';
  if (draft.plan !== undefined) return 'left';
  if (draft.withoutKey) return 'no-key';
  return failureOf(draft) === undefined ? 'whole' : 'failed';
}

/** The first batch of a review of which nothing came at all. */
function failureOf({ batches }: ReviewedDraft): BatchReview | undefined {
  const isLost = batches.every(({ report, findings }) => failed(report) && findings.length === 0);
  return isLost ? batches[0] : undefined;
}

function filesOf({ batches, coverage, incomplete }: ReviewedDraft): Facts['files'] {
  const { missing, unreviewed, unread } = coverage;
  const gaps = batches.filter(({ report }) => !report.reviewed || report.gap !== null);
  if (missing.length + incomplete.length + unreviewed.length + gaps.length > 0) return 'broken';
  if (unread.length === 0) return 'proven';
  return unread.some(({ code }) => code) ? 'broken' : 'no-code';
}

/** Whether a batch asks for changes. What verification took away takes the request with it, unless something is left to fix. */
function asks({ report, findings, disproved }: BatchReview): boolean {
  if (report.approval?.action !== 'REQUEST_CHANGES') return false;
  return disproved.length === 0 || findings.some(({ severity }) => atLeast(severity, 'warning'));
}

/** Changes are asked for, and nothing is named that anybody could look at: neither now nor in what is open about these files. */
function isUnexplained(draft: ReviewedDraft, open: readonly Finding[]): boolean {
  return draft.batches.some((batch) => namesNothing(batch, { draft, open }));
}

type InDraft = { readonly draft: ReviewedDraft; readonly open: readonly Finding[] };

function namesNothing(batch: BatchReview, { draft, open }: InDraft): boolean {
  if (draft.ignored.some(({ source }) => source === 'model')) return false;
  return asks(batch) && batch.findings.length === 0 && !isAbout(batch, open);
}

function isAbout({ report }: BatchReview, open: readonly Finding[]): boolean {
  return open.some(({ path }) => report.paths.includes(path));
}

function wordOf(draft: ReviewedDraft, { open, standing }: Known): Facts['word'] {
  const { batches, coverage } = draft;
  if (batches.some(asks) && (open.length > 0 || isUnexplained(draft, open))) return 'asks-for-changes';
  if (!batches.every(approves)) return 'none';
  // What it says now is also about what it objected to before; where nobody asks it, its earlier word has to be enough.
  const isApproved = (path: string) => {
    const before = standing?.files.get(path);
    if (before?.kind !== 'holds') return false;
    return before.receipt.approves || (batches.length > 0 && !isDoubted(before.receipt));
  };
  return batches.length + coverage.earlier.length > 0 && coverage.earlier.every(isApproved) ? 'approves' : 'none';
}

export function approves({ report: { approval } }: Pick<BatchReview, 'report'>): boolean {
  return approval?.approved === true && approval.action === 'APPROVE';
}

/**
 * What the next run may not take for reviewed: files of batches whose answer was not read whole, that ask for changes and name none, or of which a
 * finding has no place; and files that the model did not approve, though nothing is open about them.
 */
export function toReviewAgain(
  draft: ReviewedDraft,
  { open }: Pick<Known, 'open'>,
): Pick<Review, 'unproven' | 'doubted'> {
  const lost = new Set(open.flatMap(({ id, unplaced }) => (unplaced === undefined ? [] : [id])));
  const isUnproven = (batch: BatchReview) =>
    batch.report.gap !== null || namesNothing(batch, { draft, open }) || batch.findings.some(({ id }) => lost.has(id));
  const filesOf = (isMeant: (batch: BatchReview) => boolean) =>
    draft.batches.filter(isMeant).flatMap(({ report }) => report.paths);
  return {
    unproven: filesOf(isUnproven),
    doubted: filesOf((batch) => !approves(batch) && !isAbout(batch, open)),
  };
}

/** Why a run ended as it did: the first reason that its facts have. */
export function stopOf(draft: ReviewedDraft, facts: Facts, { open, rest }: Known): RunStop {
  if (facts.run === 'cancelled') return { reason: 'cancelled' };
  if (rest !== null) return { reason: 'skipped', why: rest };
  if (draft.plan !== undefined)
    return { reason: 'skipped', why: planMessage(draft.plan, draft.coverage), planned: true };
  if (facts.run === 'no-key') return { reason: 'no-key' };
  const failure = failureOf(draft)?.report.stop;
  // The sentence of a failed model ends with its hint.
  if (failure !== undefined) return { reason: 'failed', message: sentenceFor(failure), hint: '', stop: failure };
  const reports = draft.batches.map(({ report }) => report);
  const cut = reports.filter(({ gap }) => gap !== null);
  const first = cut.find(({ reviewed }) => !reviewed) ?? cut[0];
  if (first !== undefined) {
    const why = whyIncomplete(cut, { ...draft, batches: reports });
    // A batch that was reviewed and submitted has a gap where the answer could not be read.
    return { reason: 'incomplete', why, stop: first.stop, of: 'answer' };
  }
  const { coverage } = draft;
  const missing = [...coverage.missing, ...draft.incomplete, ...unreviewedFiles(coverage)];
  const stop = { reason: 'submitted' } as const;
  if (facts.files === 'broken' && missing.length > 0)
    return { reason: 'incomplete', why: missing.slice(0, missingTold), stop };
  if (facts.earlier === 'unknown') return { reason: 'earlier-unknown' };
  if (isUnexplained(draft, open)) return { reason: 'unexplained' };
  const unplaced = open.flatMap((finding) => finding.unplaced ?? []);
  const unread = unplaced.every(({ unreadable }) => unreadable) ? { unread: true as const } : {};
  if (unplaced.length > 0) return { reason: 'unplaced', count: unplaced.length, ...unread };
  if (coverage.unread.length > 0) return { reason: 'unread', files: coverage.unread };
  return { reason: 'completed' };
}

/** Names the first file that was left, in a sentence; nothing where there is none. */
function unreviewedFiles({ unreviewed }: Coverage): readonly Message[] {
  const [first] = unreviewed;
  if (first === undefined) return [];
  const { path, reason: why } = first;
  const count = unreviewed.length - 1;
  return [
    count === 0 ? { code: 'files.one-unreviewed', path, why } : { code: 'files.more-unreviewed', path, why, count },
  ];
}

/** What the model says of the whole, where it is about all of it and of nothing else: empty once a finding of its was taken away. */
export function rationaleOf(
  draft: ReviewedDraft,
  { isWhole, suppressed }: { readonly isWhole: boolean; readonly suppressed: ReadonlySet<string> },
): string {
  const said = [...draft.ignored, ...draft.batches.flatMap(({ findings }) => findings)];
  const isTaken = draft.batches.some(({ disproved }) => disproved.length > 0);
  if (!isWhole || isTaken || said.some(({ id, source }) => source === 'model' && suppressed.has(id))) return '';
  const approvals = draft.batches.flatMap(({ report: { approval } }) => approval ?? []);
  return worstApproval(approvals.filter(({ rationale }) => rationale.trim() !== ''))?.rationale.trim() ?? '';
}
