import { utf8ToBytes } from '@noble/hashes/utils.js';
import { readJsonText } from '../bounded.ts';
import { UserError } from '../errors.ts';
import type { EarlierAnswer, SubmittedEarlier } from '../findings/earlier.ts';
import type { Finding, PlacedFinding } from '../findings/finding.ts';
import type { ReviewedScope, RunIdentity } from '../memory/memory.ts';
import { findingOf, fromReport } from '../report/from-report.ts';
import { renderReport } from '../report/json.ts';
import { parseReviewReport, type ReviewReport, reviewReportSchema } from '../report/json-schema.ts';
import type { RenderContext } from '../report/wording.ts';
import { recordOf, whereDelivered } from '../review/deliver.ts';
import type { BatchReview, ReviewDraft, StoppedDraft } from '../review/draft.ts';
import { whyOf } from '../review/headline.ts';
import type { Review } from '../review/review.ts';
import { openGate } from '../review/verdict.ts';
import { type Parsed, parserFor, type Schema } from '../schema.ts';

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
};

/** What a review file may hold, at most; texts in UTF-16 units. */
export const reviewFileLimits = {
  bytes: 5_000_000,
  findings: 1_000,
  sentences: 1_000,
  files: 100_000,
  text: 20_000,
} as const;

type Made = { readonly draft: ReviewDraft; readonly review: Review };
type By = { readonly identity: RunIdentity; readonly context: RenderContext };
type Room = { readonly text: number; readonly findings: number };

/**
 * The file's text: the report with its origin, without secrets, of at most 5,000,000 bytes. Where it would be larger, texts are cut and the
 * findings of least weight are left out, and the report says so.
 *
 * @throws UserError when even that does not fit.
 */
export function renderReviewFile(made: Made, by: By): string {
  let problems: readonly string[] = [];
  for (const room of rooms) {
    const text = `${JSON.stringify(handedOver(made, by, room))}\n`;
    // What the other job would refuse is better reported here.
    const parsed = parseReviewFile(text);
    if (parsed.ok) return text;
    problems = parsed.problems;
  }
  throw new UserError(`The review does not fit into a review file: ${problems.join('; ')}.`, {
    hint: 'Narrow what is reviewed with `include` and `exclude`.',
  });
}

const rooms: readonly Room[] = [
  { text: reviewFileLimits.text, findings: reviewFileLimits.findings },
  { text: 1_000, findings: reviewFileLimits.findings },
  { text: 1_000, findings: 100 },
];

/** Others can download it: beside what is to be posted it holds no lines of the diff, and not what the model asked for. */
function handedOver({ draft, review }: Made, { identity, context }: By, room: Room): ReviewReport {
  const cut = (text: string) => {
    const redacted = context.redact(text);
    return redacted.length <= room.text ? redacted : `${redacted.slice(0, room.text - 1)}…`;
  };
  const found = new Set(draft.kind === 'stopped' ? [] : foundIn(draft));
  const all = whereDelivered(review, []);
  const placed = all.slice(0, room.findings);
  const run = context.run === undefined ? {} : { run: { ...context.run, timeline: () => [] } };
  const report = renderReport(recordOf(review, { placed, deliveries: [], reflection: null, gate: openGate }), {
    ...context,
    ...run,
    redact: cut,
  });
  const dropped =
    placed.length === all.length ? [] : [`The review file had room for ${placed.length} of ${all.length} findings.`];
  const uncut = ({ anchor, suggestion }: PlacedFinding) => ({
    // Line by line, as the source was rendered; what is longer is compared as far as it goes.
    quote:
      anchor.kind === 'file'
        ? null
        : anchor.quote.split('\n').map(context.redact).join('\n').slice(0, reviewFileLimits.text),
    // A suggestion that is cut would be another one.
    suggestion: suggestion === null || suggestion.length > room.text ? null : context.redact(suggestion),
  });
  const most = <T>(list: readonly T[]) => list.slice(0, reviewFileLimits.sentences);
  const textOrNull = (text: string | null) => (text === null ? null : cut(text));
  return {
    ...report,
    files_review: placed.flatMap((entry, index) =>
      report.files_review.slice(index, index + 1).map((one) => ({ ...one, ...uncut(entry), hunk: null })),
    ),
    coverage: { ...report.coverage, missing: most([...dropped, ...report.coverage.missing]) },
    outdated: most(report.outdated),
    notes: most(report.notes),
    origin: {
      ...identity,
      found: placed.map(({ id }) => id).filter((id) => found.has(id)),
      incomplete: draft.kind === 'stopped' ? [] : draft.incomplete.map(cut),
      earlier: draft.kind === 'stopped' ? [] : most(draft.earlier.flatMap((one) => claimOf(one, cut))),
      batches: review.batches.map(({ approval, nonSpecificReview, rawFreeText }) => ({
        approval: approval === null ? null : { ...approval, rationale: cut(approval.rationale) },
        non_specific_review: textOrNull(nonSpecificReview),
        raw_free_text: textOrNull(rawFreeText),
      })),
      stopped: draft.kind === 'reviewed' ? null : { reason: wordOf(draft.stop), why: cut(whyOf(draft.stop)) },
    },
  };
}

/** What rules say of their own findings the other job finds out itself. */
function claimOf(answer: EarlierAnswer, cut: (text: string) => string): NonNullable<Origin['earlier']> {
  const { id, state } = answer;
  if (state === 'unsure') return [{ id, state, path: null, quote: null }];
  if (state === 'fixed') {
    return answer.proof === null ? [] : [{ id, state, path: answer.proof.path, quote: cut(answer.proof.quote) }];
  }
  const { path, anchor } = answer;
  return [{ id, state, path, quote: anchor.kind === 'file' ? null : cut(anchor.quote) }];
}

function foundIn({ ruleFindings, batches, ignored }: Extract<ReviewDraft, { kind: 'reviewed' }>): readonly string[] {
  const listed = [...ignored, ...batches.flatMap(({ disproved }) => disproved)];
  return [...ruleFindings, ...batches.flatMap(({ findings }) => findings), ...listed].map(({ id }) => id);
}

function wordOf(stop: StoppedDraft['stop']): StopWord {
  return stop.reason === 'skipped' && stop.nothing === true ? 'nothing' : stop.reason;
}

type Origin = NonNullable<ReviewReport['origin']>;
type StopWord = NonNullable<Origin['stopped']>['reason'];

/** Reads what `renderReviewFile` wrote, or what somebody made of it: only the form is sure afterwards, nothing that it says. Never throws. */
export function parseReviewFile(text: string): Parsed<ReviewFile> {
  if (text.length > reviewFileLimits.bytes || utf8ToBytes(text).length > reviewFileLimits.bytes) {
    return refuse(`it is larger than ${reviewFileLimits.bytes / 1_000_000} MB`);
  }
  const read = readJsonText(text);
  if (!read.ok) return refuse('it is not JSON that can be read');
  if (isOfOlderVersion(read.value)) return refuse('an older version of Postil wrote it');
  const parsed = parseReviewReport(read.value);
  if (!parsed.ok) return parsed;
  const { origin, pull_request: pull } = parsed.value;
  if (origin === undefined) return refuse('it is a report without the `origin` that `mode: review` writes');
  const limited = parseLimited(read.value);
  if (!limited.ok) return limited;
  if (pull === null || pull.repository === null || pull.number === null) return refuse('it names no pull request');
  const draft = draftFrom(parsed.value, origin);
  if (draft === null) return refuse('it must hold either a review or the reason why there is none');
  const { repository, number, head, merge_base: mergeBase } = pull;
  const { name, run, settings } = origin;
  const { earlier = [] } = origin;
  return {
    ok: true,
    value: { repository, number, head, mergeBase, identity: { name, run, settings }, draft, earlier },
  };
}

function refuse(problem: string): Parsed<never> {
  return { ok: false, problems: [problem] };
}

/** Such a file held a draft of its own form. */
function isOfOlderVersion(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'reviewed' in value && 'stopped' in value;
}

/** As long as a pull request has files; all others are of findings and sentences. */
const listsOfFiles: ReadonlySet<string> = new Set([
  ...['reviewed', 'skipped', 'unread', 'unreviewed', 'earlier', 'incomplete', 'walkthrough'],
  ...['batches', 'paths'],
]);

/** The schema with an end to each text, list and number: without one `1e999` would be a number. */
function limited({ properties, items, additionalProperties, ...schema }: Schema, name = ''): Schema {
  const maxItems = listsOfFiles.has(name) ? reviewFileLimits.files : reviewFileLimits.sentences;
  return {
    ...{ maxLength: reviewFileLimits.text, maxItems, minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, limited(one, key)])) }),
    ...(items === undefined ? {} : { items: limited(items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: limited(additionalProperties) } : {}),
  };
}

const parseLimited = parserFor(limited(reviewReportSchema), { firstProblem: true });

/** Null when the file holds neither a review nor why there is none, or both. Ids of findings are given anew. */
function draftFrom(report: ReviewReport, { found, incomplete, batches, stopped }: Origin): ReviewDraft | null {
  if ((report.scope === null) === (stopped === null)) return null;
  const { milliseconds, limits, coverage, estimate, ...review } = fromReport(report).record.review;
  const run = { milliseconds, limits, notes: report.notes };
  if (stopped !== null) return { kind: 'stopped', stop: stopFrom(stopped), skipped: coverage.skipped, ...run };
  const ours = new Set(found);
  const names = review.batches.map(({ name }) => name);
  const own = report.files_review
    .filter(({ id }) => ours.has(id))
    .map((one, index) => ({
      finding: { ...findingOf(one), id: `f${index + 1}` },
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
    scope: scopeFrom(report.scope),
    batches: review.batches.map((read, index): BatchReview => {
      const { approval = null, non_specific_review = null, raw_free_text = null } = batches[index] ?? {};
      const said = { approval, nonSpecificReview: non_specific_review, rawFreeText: raw_free_text };
      // By path and not by batch: the first one has it all.
      const report = { ...read, ...said, walkthrough: index === 0 ? review.walkthrough : [] };
      const disproved = of(kept, index).filter((finding) => !isIgnored(finding));
      return { report, findings: of(raised, index), disproved };
    }),
    ruleFindings: of(raised, -1),
    earlier: [],
    ignored: kept.map(({ finding }) => finding).filter(isIgnored),
    coverage,
    incomplete,
    cancelled: report.stop_reason === 'cancelled',
    withoutKey: report.stop_reason === 'no-key',
    estimate,
    ...run,
  };
}

function scopeFrom(scope: ReviewReport['scope']): ReviewedScope {
  const { since, why } = scope ?? { since: null, why: null };
  return since === null ? { kind: 'full', why: why ?? 'first review' } : { kind: 'incremental', since };
}

function stopFrom({ reason, why }: NonNullable<Origin['stopped']>): StoppedDraft['stop'] {
  switch (reason) {
    case 'skipped':
      return { reason, why };
    case 'nothing':
      return { reason: 'skipped', why, nothing: true };
    case 'failed':
      return { reason, message: why, hint: '' };
    case 'cancelled':
      return { reason };
  }
}
