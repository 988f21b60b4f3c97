import pLimit from 'p-limit';
import { type AgentEvent, type StopReason, sentenceFor, stopMessage } from '../agent/event.ts';
import { Meter } from '../agent/meter.ts';
import type { Agent } from '../agent/run-agent.ts';
import { firstToken, withTimeLimit } from '../agent/waiting.ts';
import { type Batch, halveBatch } from '../batches/batch.ts';
import { explain } from '../errors.ts';
import { placeOf } from '../findings/finding.ts';
import { groundSources } from '../findings/sources.ts';
import { inEnglish } from '../messages/languages.ts';
import { distinctMessages, type Message, verbatim } from '../messages/message.ts';
import { wrapPort } from '../port.ts';
import type { Repository } from '../repository/repository.ts';
import type { BatchReview } from '../review/draft.ts';
import { batchResult } from '../review/headline.ts';
import type { BatchReport } from '../review/review.ts';
import { capitalised } from '../text.ts';
import type { Noting } from '../tools/sources.ts';
import { calculateMaxIterations } from './estimate-run.ts';
import { type Pass, type PassedReview, reviewInPasses } from './passes.ts';
import {
  type BatchesContext,
  type BatchQuestions,
  batchOpening,
  reviewBatch,
  type UnbilledReview,
} from './review-batch.ts';
import { verifyBatch } from './verify.ts';

/**
 * Reviews the batches side by side, each with its share of the budget, in the order of their value. Nothing is prepared for one before it has
 * its share; those that get none are unreviewed at once. One that fails does not lose the others. The first one's prompt is at the server before
 * the others start, so that they find their common beginning in its cache.
 */
export async function reviewBatches(batches: readonly Batch[], context: BatchesContext): Promise<ReviewedBatches> {
  const { shares, report } = context;
  const passes = pLimit(context.settings.concurrency);
  const starts = pLimit(context.settings.concurrency);
  const warmUp = batches.length > (context.shared === null ? 2 : 1) ? firstToken(context.agent.model) : null;
  const { clock, signal } = context.agent;
  const notes: Message[] = [];
  let started = 0;
  const onePass = (pass: Pass, own: BatchStart) =>
    passes(async () => {
      started += 1;
      if (warmUp === null) return onePassOf(pass, own);
      if (started > 1) await withTimeLimit({ clock, milliseconds: longestWarmUp, signal }, () => warmUp.first);
      const agent = started > 1 ? own.agent : { ...own.agent, model: warmUp.model };
      return onePassOf(pass, { ...own, agent }).finally(warmUp.open);
    });
  const review = async (batch: Batch, given: BatchStart, meter: Meter) => {
    const read = new Set<string>();
    const noting = notingReads(given.repository, (path) => read.add(path));
    const agent = { ...given.agent, meter, tools: given.toolsOver(noting) };
    const own = { ...given, ...noting, agent };
    report({ type: 'batch-start', batch: batch.name });
    const passed = await reviewInPasses(batch, { passes: own.settings.passes, review: (pass) => onePass(pass, own) });
    own.passed();
    const { review: checked, note } = await verified(passed, own);
    if (note !== null) notes.push(note);
    const followUp = followUpNote(checked.report);
    if (followUp !== null) notes.push(followUp);
    const findings = checked.findings.length;
    const result = resultMessage(checked.report, findings);
    report({ type: 'batch-end', batch: batch.name, sentence: capitalised(inEnglish(result)), result, findings });
    for (const { file } of batch.files) {
      read.delete(file.path);
      if (file.status === 'renamed') read.delete(file.oldPath);
    }
    return billed(checked, { meter, read: [...read].toSorted() });
  };
  const unstarted: StopReason[] = [];
  const inTurn = async (batch: Batch) => {
    const share = await shares.next();
    if (!share.granted || context.agent.signal.aborted) {
      const stop: StopReason = share.granted ? cancelled : { reason: 'limit', limit: share.limit };
      if (share.granted) share.close();
      unstarted.push(stop);
      return {
        reviews: [billed(unreviewed(batch, { stop, gap: stopMessage(stop) }), { meter: new Meter(), read: [] })],
      };
    }
    const { promise: passed, resolve } = deferred();
    const agent = { ...context.agent, budget: share };
    const own: BatchStart = { ...context, agent, passed: resolve, asked: context.askedOf(batch) };
    const reviews = reviewInHalves(batch, {
      review: (part, meter) => review(part, own, meter),
      meter: new Meter(context.agent.meter),
    }).finally(share.close);
    // The place goes to the next batch when the passes are through: a verification waits for nobody.
    await Promise.race([passed, reviews]);
    return { reviews };
  };
  const reviews = await Promise.all(batches.map(async (batch) => (await starts(inTurn, batch)).reviews));
  for (const stop of distinct(unstarted)) {
    const count = unstarted.filter((one) => sentenceFor(one) === sentenceFor(stop)).length;
    report({ type: 'batches-skip', count, of: batches.length, sentence: sentenceFor(stop) });
  }
  return { reviews: reviews.flat(), notes: distinctMessages(notes) };
}

/** A model that thinks for long has read its prompt before it writes. Milliseconds. */
const longestWarmUp = 3_000;

/** Such as `Reviewed: 2 findings.` */
function resultMessage(report: UnbilledReview['report'], findings: number): Message {
  const what = batchResult(report);
  if (!report.reviewed && findings === 0) return { code: 'sentence', what };
  return findings === 0 ? { code: 'batch.no-findings', what } : { code: 'batch.findings', count: findings, what };
}

function billed(review: UnbilledReview, { meter, read }: { meter: Meter; read: readonly string[] }): BatchReview {
  return { ...review, report: { ...review.report, metrics: meter.metrics }, read };
}

type BatchStart = BatchesContext &
  BatchQuestions & { readonly passed: () => void; readonly onShown?: Noting['onShown'] };

/** The same sources, which tell of every file whose text is read there. */
function notingReads(repository: Repository, onShown: (path: string) => void) {
  const noting = wrapPort(repository, {
    readFile: async (proceed, path, at) => {
      const content = await proceed();
      if (content.kind !== 'unreadable' && at !== 'base') onShown(path);
      return content;
    },
  });
  return { repository: noting, onShown };
}

const cancelled = { reason: 'cancelled' } as const;

function distinct(stops: readonly StopReason[]): readonly StopReason[] {
  return [...new Map(stops.map((stop) => [sentenceFor(stop), stop])).values()];
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve: () => resolve() };
}

export type ReviewedBatches = {
  readonly reviews: readonly BatchReview[];
  /** What a person should know, one sentence each. */
  readonly notes: readonly Message[];
};

/** A reader should know what the model could not look at. */
function followUpNote({ name, followUp }: Pick<BatchReport, 'name' | 'followUp'>): Message | null {
  if (followUp === null || followUp.refused === null) return null;
  const place = followUp.lines === '' ? followUp.file : `${followUp.file}:${followUp.lines}`;
  return { code: 'note.follow-up-refused', name, place, why: followUp.refused };
}

async function onePassOf({ batch, number, of }: Pass, context: BatchStart): Promise<UnbilledReview> {
  const { report, fence } = context;
  const name = of === 1 ? batch.name : `${batch.name}, pass ${number}`;
  return await guarded(batch, async () => {
    const { opening, chainPaths } = await batchOpening(batch, context);
    const shared = context.shared === null ? [] : context.planned.map(({ path }) => path);
    for (const path of [...chainPaths, ...shared, ...context.asked.map((one) => one.path)]) context.onShown?.(path);
    const sources = groundSources(context.repository, context);
    const { followUp } = context;
    const paths = new Map([
      ...batch.files.map(({ file }) => [file.oldPath, file.path] as const),
      ...[...batch.files.map(({ file }) => file.path), ...chainPaths].map((path) => [path, path] as const),
    ]);
    const read = (path: string) => sources.read(path, 'RIGHT');
    const scope = followUp?.allowed === true ? { paths, read, maxTokens: followUp.maxTokens } : null;
    return reviewBatch(batch, {
      agent: { ...context.agent, conversation: name, limits: limitsOf(batch, context) },
      opening,
      submission: {
        ...sources,
        nextId: context.nextId,
        ruleIds: context.ruleIds,
        unasked: context.unasked,
        walkthrough: context.settings.walkthrough,
        asked: context.asked,
        onAccept: (finding) => {
          context.onFinding?.(finding);
          const { id, title, severity } = finding;
          report({ type: 'finding-accept', batch: name, id, title, severity, place: placeOf(finding) });
        },
        onUnplaced: ({ title, path, reason }) => report({ type: 'finding-refuse', batch: name, title, path, reason }),
      },
      emit: (event: AgentEvent) => report({ type: 'agent-event', batch: name, event }),
      followUp: followUp === null ? null : { name, scope, fence, report },
    });
  });
}

/** `min(calculateMaxIterations(files), max-iterations)`. */
function limitsOf(batch: Batch, { agent }: BatchesContext): Agent['limits'] {
  const files = new Set(batch.files.map(({ file }) => file.path)).size;
  return { ...agent.limits, maxSteps: Math.min(calculateMaxIterations(files), agent.limits.maxSteps) };
}

/** An eighth of a batch that does not fit is mostly instructions: smaller ones would not fit either. */
const maxHalvings = 3;

/**
 * Reviews a batch whole or, when the model's context cannot hold it, in halves, and these again: three times at most. What the attempts took is counted with the first half.
 */
async function reviewInHalves(
  batch: Batch,
  {
    review,
    meter,
    halvings = maxHalvings,
  }: { review: (batch: Batch, meter: Meter) => Promise<BatchReview>; meter: Meter; halvings?: number },
): Promise<readonly BatchReview[]> {
  const whole = await review(batch, meter);
  const overflowed = !whole.report.reviewed && whole.report.stop.reason === 'context-overflow';
  const halves = overflowed && halvings > 0 ? halveBatch(batch) : null;
  if (halves === null) return [whole];
  const parts: BatchReview[] = [];
  for (const [index, half] of halves.entries()) {
    const own = index === 0 ? meter : meter.beside();
    parts.push(...(await reviewInHalves(half, { review, meter: own, halvings: halvings - 1 })));
  }
  return parts;
}

/** What was found is kept, not verified, when the verification meets a defect of ours. */
async function verified(passed: PassedReview, own: BatchStart): ReturnType<typeof verifyBatch> {
  try {
    return await verifyBatch(passed, own);
  } catch (error) {
    const why: readonly Message[] = [verbatim(explain(error)), { code: 'hint.report-defect' }];
    const note: Message = { code: 'note.not-all-verified', why };
    return { review: passed.review, note };
  }
}

/** A defect of ours in one batch is reported like a failure of the model's, and the other batches go on. */
async function guarded(batch: Batch, run: () => Promise<UnbilledReview>): Promise<UnbilledReview> {
  try {
    return await run();
  } catch (error) {
    const message = explain(error);
    const stop = {
      reason: 'model-failed',
      message,
      hint: inEnglish({ code: 'hint.report-defect' }),
    } as const;
    return unreviewed(batch, { stop, gap: verbatim(message) });
  }
}

function unreviewed(batch: Batch, { stop, gap }: Pick<BatchReport, 'stop' | 'gap'>): UnbilledReview {
  return {
    report: {
      name: batch.name,
      paths: batch.files.map(({ file }) => file.path),
      stop,
      reviewed: false,
      gap,
      approval: null,
      walkthrough: [],
      nonSpecificReview: null,
      rawFreeText: null,
      followUp: null,
    },
    findings: [],
    disproved: [],
  };
}
