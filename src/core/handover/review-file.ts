import { utf8ToBytes } from '@noble/hashes/utils.js';
import { type StopReason, sentenceFor } from '../agent/event.ts';
import { readJsonText } from '../bounded.ts';
import { encode, givenOf, readerFor, type WriteText } from '../codec.ts';
import { UserError } from '../errors.ts';
import type { EarlierAnswer, SubmittedEarlier } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
import type { RunIdentity } from '../history/memory.ts';
import type { MarkKeys } from '../history/signed-marks.ts';
import { inEnglish } from '../messages/languages.ts';
import { placedFrom, redactedBy, reportOf } from '../report/json.ts';
import type { RenderContext } from '../report/wording.ts';
import { recordOf, whereDelivered } from '../review/deliver.ts';
import type { BatchReview, ReviewDraft, StoppedDraft } from '../review/draft.ts';
import { stopMessages } from '../review/headline.ts';
import { parseReport, type ReportedFinding, type ReviewReport, reportSchema } from '../review/record.ts';
import type { Review, RunStop } from '../review/review.ts';
import { noShards, type ShardPlan } from '../review/shards.ts';
import { openGate } from '../review/verdict.ts';
import type { Parsed, Schema } from '../schema.ts';
import { signFile } from './signed-file.ts';

/** A review on its way from the job that has the key to the job that may write. */
export type ReviewFile = {
  /** `owner/name`. */
  readonly repository: string;
  readonly number: number;
  /** Full hashes. */
  readonly head: string;
  readonly mergeBase: string;
  readonly identity: RunIdentity;
  readonly draft: ReviewDraft;
  /** What the model says became of earlier findings: nothing of it is proven before it is looked up again. */
  readonly earlier: readonly SubmittedEarlier[];
  /** What the other jobs are to review; null when this is no plan. */
  readonly plan: ShardPlan | null;
  /** Which part of which plan it is; null for a whole review. */
  readonly shard: ShardOrigin | null;
  /** Whether a key of the job that reads it signed it: only then the next run may go on from it. */
  readonly isSigned: boolean;
};

export type ShardOrigin = {
  /** From 1 on. */
  readonly number: number;
  /** Digest of the plan's file. */
  readonly plan: string;
};

/** What a review file may hold, at most; texts in UTF-16 units. */
export const reviewFileLimits = {
  bytes: 5_000_000,
  /** A plan names every changed file twice. */
  planBytes: 30_000_000,
  findings: 1_000,
  sentences: 1_000,
  files: 100_000,
  text: 20_000,
} as const;

type FinishedReview = { readonly draft: ReviewDraft; readonly review: Review };
type FileAuthor = {
  readonly identity: RunIdentity;
  readonly context: RenderContext;
  readonly keys: MarkKeys;
  readonly shard: ShardOrigin | null;
  readonly plans: boolean;
};
type SizeLimits = { readonly text: number; readonly findings: number };

/**
 * The file's text: the report with its origin, without secrets, of at most 5,000,000 bytes. Where it would be larger, texts are cut and the
 * findings of least weight are left out, and the report says so.
 *
 * @throws UserError when even that does not fit.
 */
export function renderReviewFile(made: FinishedReview, by: FileAuthor): string {
  let problems: readonly string[] = [];
  for (const room of rooms) {
    const text = signFile(JSON.stringify(handedOver(made, by, room)), by.keys);
    // What the other job would refuse is better reported here.
    const parsed = parseReviewFile(text, { isPlan: by.plans });
    if (parsed.ok) return text;
    problems = parsed.problems;
  }
  throw new UserError(`The review does not fit into a review file: ${problems.join('; ')}.`, {
    hint: 'Narrow what is reviewed with `include` and `exclude`.',
  });
}

const rooms: readonly SizeLimits[] = [
  { text: reviewFileLimits.text, findings: reviewFileLimits.findings },
  { text: 1_000, findings: reviewFileLimits.findings },
  { text: 1_000, findings: 100 },
];

/** Others can download it: beside what is to be posted it holds no lines of the diff, and not what the model asked for. */
function handedOver({ draft, review }: FinishedReview, author: FileAuthor, room: SizeLimits): unknown {
  const { identity, context, shard, plans } = author;
  const plan = draft.kind === 'stopped' ? noShards : (draft.plan ?? noShards);
  const found = new Set(draft.kind === 'stopped' ? [] : foundIn(draft));
  const all = whereDelivered(review, []);
  const placed = all.slice(0, room.findings);
  const record = recordOf(review, { placed, deliveries: [], reflection: null, gate: openGate });
  const report = reportOf(record, context.run);
  const { coverage } = report;
  const dropped =
    placed.length === all.length
      ? []
      : [{ code: 'missing.file-room', placed: placed.length, count: all.length } as const];
  const isUncut = ({ suggestion }: ReportedFinding) => suggestion === null || suggestion.length <= room.text;
  const most = <T>(list: readonly T[]) => list.slice(0, reviewFileLimits.sentences);
  const value: ReviewReport = {
    ...report,
    // A suggestion that is cut would be another one.
    filesReview: report.filesReview.map(({ hunk: _, ...one }) => (isUncut(one) ? one : { ...one, suggestion: null })),
    coverage: { ...coverage, missing: most([...dropped, ...coverage.missing]) },
    ended: most(report.ended),
    notes: most(report.notes),
    timeline: [],
    origin: {
      ...identity,
      found: placed.map(({ id }) => id).filter((id) => found.has(id)),
      incomplete: draft.kind === 'stopped' ? [] : draft.incomplete,
      earlier: draft.kind === 'stopped' ? [] : most(draft.earlier.flatMap(claimOf)),
      narrowed: draft.kind === 'stopped' ? [] : draft.narrowed,
      read: draft.kind === 'stopped' ? [] : draft.batches.map(({ read }) => most(read)),
      ...givenOf({ plan: plans ? plan : null, shard, basis: draft.kind === 'stopped' ? null : draft.basis }),
    },
  };
  return encode(reportSchema, value, cutTo(room, context));
}

/** What the other job compares with the source is not cut where it can be compared. */
function cutTo({ text: most }: SizeLimits, { redact }: RenderContext): WriteText {
  const whole = redactedBy(redact);
  const cut = redactedBy((text) => {
    const redacted = redact(text);
    return redacted.length <= most ? redacted : `${redacted.slice(0, most - 1)}…`;
  });
  return (text, place) => {
    if (place === 'filesReview.suggestion') return whole(text, place);
    if (place !== 'filesReview.quote') return cut(text, place);
    // Line by line, as the source was rendered; what is longer is compared as far as it goes.
    return text.split('\n').map(redact).join('\n').slice(0, reviewFileLimits.text);
  };
}

/** What rules say of their own findings the other job finds out itself. */
function claimOf(answer: EarlierAnswer): Origin['earlier'] {
  const { id, state } = answer;
  if (state === 'unsure') return [{ id, state, path: null, quote: null }];
  if (state === 'fixed') return answer.proof === null ? [] : [{ id, state, ...answer.proof }];
  const { path, anchor } = answer;
  return [{ id, state, path, quote: anchor.kind === 'file' ? null : anchor.quote }];
}

function foundIn({ ruleFindings, batches, ignored }: Extract<ReviewDraft, { kind: 'reviewed' }>): readonly string[] {
  const listed = [...ignored, ...batches.flatMap(({ disproved }) => disproved)];
  return [...ruleFindings, ...batches.flatMap(({ findings }) => findings), ...listed].map(({ id }) => id);
}

type Origin = NonNullable<ReviewReport['origin']>;

/** Reads what `renderReviewFile` wrote, or what somebody made of it: only the form is sure afterwards, nothing that it says. Never throws. */
export function parseReviewFile(text: string, { isPlan = false }: { isPlan?: boolean } = {}): Parsed<ReviewFile> {
  const bytes = isPlan ? reviewFileLimits.planBytes : reviewFileLimits.bytes;
  if (text.length > bytes || utf8ToBytes(text).length > bytes)
    return refuse(`it is larger than ${bytes / 1_000_000} MB`);
  const read = readJsonText(text);
  if (!read.ok) return refuse('it is not JSON that can be read');
  const parsed = parseReport(read.value);
  if (!parsed.ok) return parsed;
  const { origin, pullRequest: pull } = parsed.value;
  if (origin === undefined) return refuse('it is a report without the `origin` that `mode: review` writes');
  const limited = readLimited(read.value);
  if (!limited.ok) return limited;
  if (pull === null || pull.repository === null || pull.number === null) return refuse('it names no pull request');
  const draft = draftFrom(parsed.value, origin);
  if (draft === null) return refuse('it must hold either a review or the reason why there is none');
  const { repository, number, head, mergeBase } = pull;
  const { name, run, settings, earlier, plan = null, shard = null } = origin;
  if (isPlan !== (plan !== null)) return refuse(isPlan ? 'it is a review and no plan' : 'it is a plan and no review');
  // Of no shards none is missing.
  if (plan?.shards.length === 0) return refuse('it is a plan without shards');
  return {
    ok: true,
    value: {
      ...{ repository, number, head, mergeBase, identity: { name, run, settings }, draft, earlier, plan, shard },
      isSigned: false,
    },
  };
}

function refuse(problem: string): Parsed<never> {
  return { ok: false, problems: [problem] };
}

/** As long as a pull request has files; all others are of findings and sentences. */
const listsOfFiles: ReadonlySet<string> = new Set([
  ...['reviewed', 'skipped', 'unread', 'unreviewed', 'earlier', 'incomplete', 'walkthrough'],
  ...['batches', 'paths', 'files', 'hunks', 'narrowed', 'read'],
]);

/** The schema with an end to each text, list and number: without one `1e999` would be a number. */
function limited({ properties, items, oneOf, additionalProperties, ...schema }: Schema, name = ''): Schema {
  const maxItems = listsOfFiles.has(name) ? reviewFileLimits.files : reviewFileLimits.sentences;
  return {
    ...{ maxLength: reviewFileLimits.text, maxItems, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    ...schema,
    properties:
      properties && Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, limited(one, key)])),
    items: items && limited(items),
    oneOf: oneOf?.map((branch) => limited(branch)),
    additionalProperties: additionalProperties && limitedRest(additionalProperties),
  };
}

function limitedRest(rest: boolean | Schema): boolean | Schema {
  return typeof rest === 'boolean' ? rest : limited(rest);
}

const readLimited = readerFor(limited(reportSchema));

/** Null when the file holds neither a review nor why there is none. Ids of findings are given anew. */
function draftFrom(report: ReviewReport, origin: Origin): ReviewDraft | null {
  const { found, incomplete, basis = null, narrowed, read } = origin;
  const { milliseconds, limits, notes, coverage, estimate, scope, stop } = report;
  const run = { milliseconds, limits, notes };
  if (scope === null) {
    const why = whyStopped(stop);
    return why === null ? null : { kind: 'stopped', stop: why, skipped: coverage.skipped, ...run };
  }
  const ours = new Set(found);
  const names = report.batches.map(({ name }) => name);
  const own = report.filesReview
    .filter(({ id }) => ours.has(id))
    .map((one, index) => ({
      finding: { ...unplacedAgain(one), id: `f${index + 1}` },
      batch: names.indexOf(one.batch ?? ''),
    }));
  // What people declined is found out again.
  const raised = own.flatMap(({ finding: { suppressed, ...finding }, batch }) =>
    suppressed === undefined || suppressed.by === 'people' ? [{ finding, batch }] : [],
  );
  const kept = own.filter(({ finding: { suppressed } }) => suppressed !== undefined && suppressed.by !== 'people');
  const isIgnored = ({ suppressed }: Finding) => suppressed?.by === 'rule-comment';
  const of = (list: typeof own, index: number) =>
    list.filter(({ batch }) => batch === index).map(({ finding }) => finding);
  return {
    kind: 'reviewed',
    // Without what each conversation read nobody goes on from it.
    ...{ scope, basis: read.length === report.batches.length ? basis : null, narrowed },
    batches: report.batches.map((batch, index): BatchReview => {
      const disproved = of(kept, index).filter((finding) => !isIgnored(finding));
      // By path and not by batch: the first one has it all.
      const walkthrough = index === 0 ? report.walkthrough.map(({ path: _, ...line }) => line) : [];
      return {
        report: { ...batch, stop: inWordsAlone(batch.stop), walkthrough },
        findings: of(raised, index),
        disproved,
        read: read[index] ?? [],
      };
    }),
    ruleFindings: of(raised, -1),
    earlier: [],
    ignored: kept.map(({ finding }) => finding).filter(isIgnored),
    coverage,
    incomplete,
    cancelled: stop.reason === 'cancelled',
    withoutKey: stop.reason === 'no-key',
    estimate,
    ...run,
  };
}

/** Where people see it is decided by the job that posts. */
function unplacedAgain(one: ReportedFinding): Finding {
  const { place, reason, url, life, belowThreshold, batch, hunk, ...finding } = placedFrom(one);
  return finding;
}

function whyStopped(stop: RunStop): StoppedDraft['stop'] | null {
  if (stop.reason === 'skipped' || stop.reason === 'cancelled') return stop;
  return stop.reason === 'failed'
    ? { reason: 'failed', message: inEnglish.sentences(stopMessages(stop)), hint: '' }
    : null;
}

/** Titles print the few words of a failed model as ours: these are a stranger's. */
function inWordsAlone(stop: StopReason): StopReason {
  return stop.reason === 'model-failed' ? { reason: 'model-failed', message: sentenceFor(stop), hint: '' } : stop;
}
