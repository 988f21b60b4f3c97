import type { StopReason } from '../agent/event.ts';
import type { PhaseUse } from '../agent/meter.ts';
import { firstFitting } from '../bounded.ts';
import type { PlacedFinding } from '../findings/finding.ts';
import type { FileNote } from '../findings/submission.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { reviewSinkName } from '../review/facts.ts';
import { countReviewed, stopWord } from '../review/headline.ts';
import type { BatchReport, Coverage, FollowUpReport, Metrics, Review, SkippedFile } from '../review/review.ts';
import type { Delivery, ReviewRecord } from '../review/sink.ts';
import { severities } from '../settings/setting.ts';
import type { ReviewReport, TimelineEntry } from './json-schema.ts';
import { characters, cutText, visibleLine } from './text.ts';
import { linesOf, type RenderContext } from './wording.ts';

/** The content of the report file: all texts as they were written, apart from secrets. */
export function renderReport(
  { review, placed, deliveries, reflection }: ReviewRecord,
  { redact, run }: RenderContext,
): ReviewReport {
  return {
    schema_version: 2,
    postil: run?.version ?? '',
    started_at: run?.startedAt() ?? null,
    run_url: run?.url ?? null,
    outcome: review.outcome,
    headline: redact(review.headline),
    stop_reason: stopWord(review.stop),
    pull_request: review.pullRequest === null ? null : commits(review.pullRequest, redact),
    files_review: placed.map((finding) => reportFinding(finding, redact)),
    non_specific_review: review.nonSpecific.length === 0 ? null : redact(review.nonSpecific.join('\n\n')),
    approval: { approved: review.approved, rationale: redact(review.rationale), action: review.action },
    raw_free_text: review.rawFreeText === null ? null : redact(review.rawFreeText),
    scope: scope(review.scope),
    outdated: review.gone.map(({ mark }) => redact(mark.title)),
    ended: review.gone.map(({ mark, life }) => ({ title: redact(mark.title), life: life === 'gone' ? life : 'fixed' })),
    coverage: coverage(review.coverage, redact),
    walkthrough: review.walkthrough.map((note) => redactedNote(note, redact)),
    deliveries: deliveries.map((one) => delivery(one, redact)),
    batches: review.batches.map((one) => batch(one, redact)),
    metrics: metrics(review.metrics),
    estimate: estimate(review.estimate),
    limits: limits(review.limits),
    timeline: (run?.timeline() ?? []).map((entry) => redacted(entry, redact)),
    reflection: reflection === null ? null : { ...reflection, issues: reflection.issues.map((issue) => redact(issue)) },
    milliseconds: Math.round(review.milliseconds),
    model: review.limits.model === null ? null : redact(review.limits.model),
    profile: review.limits.profile,
    notes: review.notes.map(redact),
  };
}

/** An entry of the delivery in the words of the wire, with its secrets taken out. */
function reportFinding(finding: PlacedFinding, redact: Redact): ReviewReport['files_review'][number] {
  const { unplaced = null, batch = null, hunk = null, suppressed } = finding;
  const { proof = null } = suppressed ?? {};
  const lines = finding.anchor.kind === 'lines' ? finding.anchor : null;
  return {
    path: redact(finding.path),
    quote: lines === null ? null : redact(lines.quote),
    lines: linesOf(finding.anchor),
    side: lines?.side ?? 'RIGHT',
    evidence: redact(finding.evidence),
    title: redact(finding.title),
    review: redact(finding.review),
    severity: finding.severity,
    category: finding.category,
    suggestion: finding.suggestion === null ? null : redact(finding.suggestion),
    rule_id: finding.ruleId === null ? null : redact(finding.ruleId),
    same_as: finding.sameAs === undefined ? null : redact(finding.sameAs),
    confidence: finding.confidence,
    id: finding.id,
    start_line: lines?.startLine ?? null,
    line: lines?.endLine ?? null,
    place: finding.place,
    reason: finding.reason === null ? null : redact(finding.reason),
    url: finding.url,
    source: finding.source,
    also_at: finding.alsoAt.map(redact),
    narrowed: finding.narrowed === true,
    batch: batch === null ? null : redact(batch),
    hunk: hunk === null ? null : redact(hunk),
    verification: finding.verification ?? null,
    suppressed_by: suppressed?.by ?? null,
    proof: proof === null ? null : { path: redact(proof.path), quote: redact(proof.quote) },
    unplaced: unplaced && {
      ...unplaced,
      quote: unplaced.quote === null ? null : redact(unplaced.quote),
      reason: redact(unplaced.reason),
    },
    ...(finding.belowThreshold === undefined ? {} : { below_threshold: finding.belowThreshold }),
    ...(finding.life === undefined ? {} : { life: finding.life }),
  };
}

function redactedNote({ path, changes, checked }: FileNote, redact: Redact): FileNote {
  return { path: redact(path), changes: redact(changes), checked: redact(checked) };
}

function estimate(known: Review['estimate']): ReviewReport['estimate'] {
  if (known === null) return null;
  return { model_calls: known.modelCalls, input_tokens: known.input, output_tokens: known.output, cost: known.cost };
}

function limits(known: Review['limits']): ReviewReport['limits'] {
  return {
    max_iterations: known.maxIterations,
    max_total_tokens: known.maxTotalTokens,
    max_cost: known.maxCost,
    timeout_minutes: known.timeoutMinutes,
    max_comments: known.maxComments,
  };
}

function redacted(entry: TimelineEntry, redact: Redact): TimelineEntry {
  const asked = entry.asked === null ? null : redact(entry.asked);
  return { ...entry, batch: redact(entry.batch), name: redact(entry.name), outcome: redact(entry.outcome), asked };
}

function scope(known: Review['scope']): ReviewReport['scope'] {
  if (known === null) return null;
  return known.kind === 'full'
    ? { kind: 'full', since: null, why: known.why }
    : { kind: 'incremental', since: known.since, why: null };
}

type Redact = RenderContext['redact'];

function commits(
  { repository, number, serverUrl, title, base, mergeBase, head }: PullRequest,
  redact: Redact,
): ReviewReport['pull_request'] {
  const named = { repository, number, server_url: serverUrl, title: redact(title) };
  return { ...named, base: base.sha, merge_base: mergeBase, head: head.sha };
}

function coverage(known: Coverage, redact: Redact): ReviewReport['coverage'] {
  const files = (list: readonly SkippedFile[]) =>
    list.map(({ path, reason }) => ({ path: redact(path), reason: redact(reason) }));
  return {
    reviewed: known.reviewed.map(redact),
    skipped: files(known.skipped),
    unread: known.unread.map(({ path, reason, code }) => ({ path: redact(path), reason: redact(reason), code })),
    unreviewed: files(known.unreviewed),
    earlier: known.earlier.map(redact),
    missing: known.missing.map(redact),
  };
}

function delivery(one: Delivery, redact: Redact): ReviewReport['deliveries'][number] {
  return {
    sink: one.sink,
    status: one.status,
    reason: one.reason === null ? null : redact(one.reason),
    url: one.url,
    findings: one.delivered.map((delivered) => delivered.findingId),
  };
}

function batch(one: BatchReport, redact: Redact): ReviewReport['batches'][number] {
  return {
    name: redact(one.name),
    paths: one.paths.map(redact),
    reviewed: one.reviewed,
    gap: one.gap === null ? null : redact(one.gap),
    stop: stop(one.stop, redact),
    follow_up: one.followUp === null ? null : followUp(one.followUp, redact),
    metrics: metrics(one.metrics),
  };
}

function stop(known: StopReason, redact: Redact): StopReason {
  if (known.reason !== 'model-failed') return known;
  return { reason: known.reason, message: redact(known.message), hint: redact(known.hint) };
}

function followUp(
  { extraTokens, ...one }: FollowUpReport,
  redact: Redact,
): ReviewReport['batches'][number]['follow_up'] {
  const refused = one.refused === null ? null : redact(one.refused);
  return { ...one, file: redact(one.file), lines: redact(one.lines), refused, extra_tokens: extraTokens };
}

function metrics(known: Metrics): ReviewReport['metrics'] {
  const { usage, tools, phases } = known;
  return {
    input_tokens: usage.input,
    cached_tokens: usage.cached,
    output_tokens: usage.output,
    thinking_tokens: usage.thinking,
    total_tokens: usage.input + usage.output,
    estimated: usage.estimated,
    model_calls: known.modelCalls,
    iterations: known.iterations,
    tool_calls: known.toolCalls,
    tool_calls_by_name: Object.fromEntries(Object.entries(tools).map(([name, { calls }]) => [name, calls])),
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, use]) => [name, { ...use, milliseconds: Math.round(use.milliseconds) }]),
    ),
    phases: Object.fromEntries(Object.entries(phases).map(([phase, use]) => [phase, phaseUse(use)])),
    cost: known.cost,
  };
}

function phaseUse({ modelCalls, usage, cost }: PhaseUse) {
  const { input, cached, output } = usage;
  return { model_calls: modelCalls, input_tokens: input, cached_tokens: cached, output_tokens: output, cost };
}

/** The names under which the recorders of these files deliver; `url` of a delivery is the file's path. */
export const reportFileRecorder = 'report-file';
export const reportHtmlRecorder = 'report-html';
export const sarifFileRecorder = 'sarif-file';
export const transcriptFileRecorder = 'transcript-file';

/** The path of the file that a recorder wrote; null when it wrote none. */
export function fileWrittenBy(deliveries: readonly Delivery[], recorder: string): string | null {
  return deliveries.find(({ sink, status }) => sink === recorder && status === 'delivered')?.url ?? null;
}

/** Characters of the `walkthrough` output: a job's outputs are 1 MB together. */
const walkthroughCharacters = 200_000;

/** JSON, without the files that do not fit; empty where there is none. */
function walkthroughOutput(notes: readonly FileNote[]): string {
  const fitting = firstFitting(notes, walkthroughCharacters - 1, (note) => JSON.stringify(note).length + 1);
  return fitting.length === 0 ? '' : JSON.stringify(fitting);
}

/** The action's outputs: counts, words and paths, never the findings themselves. */
export function renderOutputs(
  { review, placed, deliveries }: ReviewRecord,
  redact: (text: string) => string = (text) => text,
): Readonly<Record<string, string>> {
  const findings = placed.filter(({ place }) => place !== 'suppressed');
  const { reviewed, whole } = countReviewed(review.coverage);
  const posted = placed.filter(({ place }) => place === 'inline' || place === 'file' || place === 'body');
  const written = (sink: string) => fileWrittenBy(deliveries, sink) ?? '';
  const address = deliveries.find((delivery) => delivery.url !== null && delivery.sink === reviewSinkName);
  return {
    outcome: review.outcome,
    action: review.action,
    approved: String(review.approved),
    rationale: cutText(visibleLine(redact(review.rationale)), { max: 4_000, measure: characters }),
    findings: String(findings.length),
    ...Object.fromEntries(
      severities.map((severity) => [severity, String(findings.filter((one) => one.severity === severity).length)]),
    ),
    posted: String(posted.length),
    walkthrough: walkthroughOutput(review.walkthrough.map((note) => redactedNote(note, redact))),
    unread: String(whole - reviewed),
    'review-url': address?.url ?? '',
    'report-file': written(reportFileRecorder),
    'report-html': written(reportHtmlRecorder),
    'sarif-file': written(sarifFileRecorder),
    'transcript-file': written(transcriptFileRecorder),
    'input-tokens': String(review.metrics.usage.input),
    'output-tokens': String(review.metrics.usage.output),
    'cached-tokens': String(review.metrics.usage.cached),
    cost: review.metrics.cost === null ? '' : review.metrics.cost.toFixed(4),
    'stop-reason': stopWord(review.stop),
  };
}
