import { type StopReason, stopLabel, stopMessage } from '../agent/event.ts';
import { addMetrics, noMetrics } from '../agent/meter.ts';
import type { Finding } from '../findings/finding.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Message } from '../messages/message.ts';
import { distinctMessages } from '../messages/message.ts';
import type { BatchReview, ReviewedDraft, ShardRun, StoppedDraft } from '../review/draft.ts';
import { stopMessages } from '../review/headline.ts';
import type { Coverage } from '../review/review.ts';
import type { ShardPlan } from '../review/shards.ts';
import { plural } from '../text.ts';
import type { ReviewFile } from './review-file.ts';

/** A file that may be of a shard, as it was found. */
export type FoundFile = {
  /** As the log names it. */
  readonly name: string;
  /** The file, or why it is none. */
  readonly file: ReviewFile | string;
  readonly isSigned: boolean;
};

type Planned = {
  readonly file: ReviewFile & { readonly plan: ShardPlan };
  /** Of its file. */
  readonly digest: string;
  readonly isSigned: boolean;
};

/**
 * The review of a plan: what the plan says, with what came of each shard in the place of what it is for. A shard says something of its own
 * batches alone, and what none says is not reviewed.
 */
export function mergeShards({ file: plan, digest, isSigned }: Planned, found: readonly FoundFile[]): ReviewFile {
  if (plan.draft.kind === 'stopped')
    return { ...plan, plan: null, draft: isSigned ? plan.draft : unproven(plan.draft) };
  const { shards, batches } = plan.plan;
  const usable = found.map((one) => ({ ...one, problem: problemOf(one, { file: plan, digest, isSigned }) }));
  const notes = usable.flatMap(({ name, problem }) =>
    problem === null ? [] : [{ code: 'note.shard-unused', name, why: problem } as const],
  );
  const results = shards.map((share, at): Result => {
    const number = at + 1;
    const own = share.batches.flatMap((index) => {
      const batch = batches[index];
      return batch === undefined ? [] : [{ ...batch, index }];
    });
    const named = usable.flatMap(({ file, problem }) =>
      typeof file !== 'string' && file.shard?.number === number ? [{ file, problem }] : [],
    );
    const files = named.flatMap(({ file, problem }) => (problem === null ? [file] : []));
    const refused = named.flatMap(({ problem }) => problem ?? [])[0] ?? null;
    return resultOf(files.toSorted(byRun).at(-1), { number, of: shards.length, share, batches: own, refused });
  });
  const draft = mergedDraft(plan.draft, results);
  const missing = isSigned ? [] : [unsigned];
  // Who had no key reviewed nothing that the next run with one could go on from.
  const [first] = draft.withoutKey ? results : [];
  return {
    ...plan,
    isSigned,
    plan: null,
    identity: first?.file?.identity ?? plan.identity,
    draft: {
      ...draft,
      coverage: { ...draft.coverage, missing: [...draft.coverage.missing, ...missing] },
      notes: distinctMessages([...draft.notes, ...notes, ...leftIn(results)]),
    },
    earlier: results.flatMap(({ file }) => file?.earlier ?? []),
  };
}

const unsigned = { code: 'missing.unsigned-plan' } as const;

/** That there is nothing to review would pass a gate. */
function unproven({ stop, ...draft }: StoppedDraft): StoppedDraft {
  const left = stop.reason === 'skipped' ? { reason: stop.reason, why: stop.why } : stop;
  return { ...draft, stop: left, notes: [...draft.notes, unsigned] };
}

/** Why a file says nothing of this plan; null when it may. */
function problemOf({ file, isSigned }: FoundFile, plan: Planned): string | null {
  if (typeof file === 'string') return file;
  if (file.shard === null) return 'it is no review of a shard';
  const isOfPlan = (['repository', 'number', 'head', 'mergeBase'] as const).every(
    (key) => file[key] === plan.file[key],
  );
  if (file.shard.plan !== plan.digest || !isOfPlan) return 'it belongs to another plan';
  // A plan without a signature makes the review partial, whoever wrote the rest.
  if (plan.isSigned && !isSigned) return 'it is not signed with the `state-key` of this job';
  return file.shard.number >= 1 && file.shard.number <= plan.file.plan.shards.length
    ? null
    : 'the plan has no such shard';
}

type Result = {
  readonly file: ReviewFile | undefined;
  readonly run: ShardRun;
  /** Each with the place of its batch in the plan. */
  readonly batches: readonly (BatchReview & { readonly index: number })[];
  readonly unreviewed: Coverage['unreviewed'];
  readonly missing: Coverage['missing'];
};

type Expected = {
  readonly number: number;
  readonly of: number;
  readonly share: ShardPlan['shards'][number];
  /** Why a file of it was not used; null where none was found. */
  readonly refused: string | null;
  /** With their place in the plan. */
  readonly batches: readonly (ShardPlan['batches'][number] & { readonly index: number })[];
};

/** What one shard came to: for each batch that it was given a review, or why there is none. */
function resultOf(file: ReviewFile | undefined, expected: Expected): Result {
  const { number, of, share, batches, refused } = expected;
  const draft = file?.draft.kind === 'reviewed' ? file.draft : null;
  const run = {
    number,
    batches: draft === null ? batches.map(({ name }) => name) : draft.batches.map(({ report }) => report.name),
    limits: { maxTotalTokens: share.tokens, maxCost: share.cost, timeoutMinutes: share.minutes },
    milliseconds: file?.draft.milliseconds ?? 0,
  };
  const name = `Shard ${number} of ${of}`;
  const stop = lost(`${name} ${whyLost(file, refused)}`);
  return {
    file,
    run,
    batches: batches.flatMap(({ name, files, index }) => {
      const own = draft?.batches.filter(({ report }) => report.name === name || isHalfOf(report.name, name)) ?? [];
      const reviews = own.length === 0 ? [unreviewed(name, { paths: files.map(({ path }) => path), stop })] : own;
      return reviews.map((review) => ({ ...review, index }));
    }),
    unreviewed: draft?.coverage.unreviewed ?? [],
    // Be it after its last batch: what it was still to do nobody knows.
    missing: [
      ...(draft?.coverage.missing ?? []),
      ...(draft?.cancelled === true ? [{ code: 'missing.shard-cancelled', name } as const] : []),
    ],
  };
}

/** What a context could not hold was reviewed in parts with longer names. */
function isHalfOf(name: string, batch: string): boolean {
  return name.startsWith(`${batch} (half `);
}

function whyLost(file: ReviewFile | undefined, refused: string | null): string {
  if (file === undefined && refused !== null) return `handed in a file that was not used: ${refused}`;
  if (file === undefined) return 'handed nothing in. Run its job again, and then this one';
  const { draft } = file;
  if (draft.kind === 'stopped') return `reviewed nothing. ${inEnglish.sentences(stopMessages(draft.stop))}`;
  return draft.withoutKey ? 'had no API key' : 'left it out';
}

function lost(message: string): StopReason {
  return { reason: 'model-failed', message, hint: '', label: message.split('. ')[0] ?? message };
}

function unreviewed(name: string, { paths, stop }: { paths: readonly string[]; stop: StopReason }): BatchReview {
  return {
    report: {
      ...{ name, paths, stop, reviewed: false, gap: stopMessage(stop), approval: null, walkthrough: [] },
      ...{ nonSpecificReview: null, rawFreeText: null, followUp: null, metrics: noMetrics },
    },
    findings: [],
    disproved: [],
    read: [],
  };
}

/** By the run that made it, and its attempt: a job that ran again hands in what counts. */
function byRun(one: ReviewFile, other: ReviewFile): number {
  return one.identity.run.localeCompare(other.identity.run, 'en', { numeric: true });
}

function mergedDraft(plan: ReviewedDraft, results: readonly Result[]): ReviewedDraft {
  const drafts = results.flatMap(({ file }) => (file?.draft.kind === 'reviewed' ? [file.draft] : []));
  const milliseconds = results.reduce((sum, { run }) => sum + run.milliseconds, plan.milliseconds);
  const said = { ...plan, milliseconds, notes: [...plan.notes, ...drafts.flatMap(({ notes }) => notes)] };
  // As one job without a key: only the rules have looked.
  if (drafts.length === results.length && drafts.every(({ withoutKey }) => withoutKey))
    return { ...said, withoutKey: true };
  const ids = counting();
  const renamed = (findings: readonly Finding[]) => findings.map((finding) => ({ ...finding, id: ids() }));
  return {
    ...said,
    ruleFindings: renamed(plan.ruleFindings),
    ignored: renamed([
      ...plan.ignored,
      ...drafts.flatMap(({ ignored }) => ignored.filter(({ source }) => source === 'model')),
    ]),
    batches: inOrder(results).map(({ index: _, ...batch }) => ({
      ...batch,
      findings: renamed(batch.findings),
      disproved: renamed(batch.disproved),
    })),
    coverage: mergedCoverage(plan.coverage, results),
    shards: results.map(({ run }) => run),
  };
}

/** As one job would have them. */
function inOrder(results: readonly Result[]): Result['batches'] {
  return results.flatMap(({ batches }) => batches).toSorted((one, other) => one.index - other.index);
}

function counting(): () => string {
  let count = 0;
  return () => `f${++count}`;
}

/** What the plan hoped for, less what some shard did not do. A file is reviewed when every batch that holds a part of it was. */
function mergedCoverage(planned: Coverage, results: readonly Result[]): Coverage {
  const said = results.flatMap(({ unreviewed }) => unreviewed);
  const gaps = new Map(said.map(({ path, reason }) => [path, reason]));
  for (const { report } of inOrder(results)) {
    if (!report.reviewed) for (const path of report.paths) gaps.set(path, stopLabel(report.stop));
  }
  const isGap = ({ path }: { readonly path: string }) => gaps.has(path);
  return {
    ...planned,
    reviewed: planned.reviewed.filter((path) => !gaps.has(path)),
    unread: planned.unread.filter((file) => !isGap(file)),
    unreviewed: [
      ...planned.unreviewed.filter((file) => !isGap(file)),
      ...[...gaps].map(([path, reason]) => ({ path, reason })),
    ],
    missing: distinctMessages([...planned.missing, ...results.flatMap(({ missing }) => missing)]),
  };
}

/** Where a share ended, what the others left of theirs. */
function leftIn(results: readonly Result[]): readonly Message[] {
  const isLimited = ({ batches }: Result) =>
    batches.some(({ report }) => report.stop.reason === 'limit' && report.stop.limit !== 'iterations');
  const limited = results.filter(isLimited);
  const left = results.filter((one) => !isLimited(one)).reduce((sum, one) => sum + leftOf(one), 0);
  if (limited.length === 0 || left === 0) return [];
  const numbers = limited.map(({ run }) => run.number).join(', ');
  return [{ code: 'note.shards-left', shards: plural(limited.length, 'shard'), numbers, tokens: left }];
}

function leftOf({ run, batches }: Result): number {
  const { usage } = batches.reduce((sum, { report }) => addMetrics(sum, report.metrics), noMetrics);
  return Math.max(0, run.limits.maxTotalTokens - usage.input - usage.output);
}
