import { firstFitting } from '../bounded.ts';
import { encode, type WriteText } from '../codec.ts';
import type { PlacedFinding } from '../findings/finding.ts';
import { toldLine, type WalkthroughLine } from '../findings/walkthrough.ts';
import { lifeMessage } from '../history/life.ts';
import { inEnglish } from '../messages/languages.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { nothingLinked, type PullRequest } from '../pull-request/pull-request.ts';
import { emptyReview } from '../review/empty-review.ts';
import { countReviewed } from '../review/headline.ts';
import {
  parseReport,
  type ReportedFinding,
  type ReviewReport,
  reportSchema,
  writtenAsTheyAre,
} from '../review/record.ts';
import type { Review } from '../review/review.ts';
import { verdictOf } from '../review/say-verdict.ts';
import type { Delivery, ReviewRecord } from '../review/sink.ts';
import { stopWord } from '../review/stops.ts';
import { openGate } from '../review/verdict.ts';
import { type FileOutput, fileOutputs } from '../settings/files.ts';
import { shardMatrix } from '../settings/formats.ts';
import { severities } from '../settings/setting.ts';
import { characters, cutText, visibleLine } from './text.ts';
import { linesOf, type RenderContext } from './wording.ts';

/** The content of the report file: all texts as they were written, apart from secrets. */
export function renderReport(record: ReviewRecord, { redact, run }: Pick<RenderContext, 'redact' | 'run'>): unknown {
  return encode(reportSchema, reportOf(record, run), redactedBy(redact));
}

/** The same as a value, for what shows a report. */
export function shownReport(record: ReviewRecord, context: Pick<RenderContext, 'redact' | 'run'>): ReviewReport {
  const read = parseReport(renderReport(record, context));
  if (!read.ok) throw new Error(`The report does not keep its own schema: ${read.problems.join('; ')}`);
  return read.value;
}

export function redactedBy(redact: (text: string) => string): WriteText {
  return (text, place) => (Object.hasOwn(writtenAsTheyAre, place) ? text : redact(text));
}

/** What a report tells of a review, with its secrets. */
export function reportOf(
  { review, placed, deliveries, reflection }: ReviewRecord,
  run: RenderContext['run'],
): ReviewReport {
  const { pullRequest, nonSpecific, approved, rationale, action, gone } = review;
  return {
    ...review,
    schemaVersion: 4,
    postil: run?.version ?? '',
    startedAt: run?.startedAt() ?? null,
    runUrl: run?.url ?? null,
    headline: inEnglish.sentences(review.headline),
    headlineMessages: review.headline,
    stopReason: stopWord(review.stop),
    pullRequest:
      pullRequest === null ? null : { ...pullRequest, base: pullRequest.base.sha, head: pullRequest.head.sha },
    filesReview: placed.map(reported),
    nonSpecificReview: nonSpecific.length === 0 ? null : nonSpecific.join('\n\n'),
    approval: { approved, rationale, action },
    walkthrough: review.walkthrough.map(toldLine),
    ended: gone.map(({ mark, life }) => ({ title: mark.title, life: life === 'gone' ? life : 'fixed' })),
    deliveries,
    timeline: run?.timeline() ?? [],
    reflection,
  };
}

/** What a report file tells of a review, as the renderers take it: as much as they show. */
export function recordFrom(report: ReviewReport): {
  readonly record: ReviewRecord;
  readonly context: Pick<RenderContext, 'serverUrl' | 'repository'>;
} {
  const placed = report.filesReview.map(placedFrom);
  const {
    outcome,
    headlineMessages: headline,
    stop,
    rawFreeText,
    coverage,
    walkthrough,
    metrics,
    estimate,
    limits,
  } = report;
  const { deliveries, reflection, milliseconds, nonSpecificReview: general } = report;
  const pullRequest = pullRequestFrom(report);
  const review: Review = {
    ...emptyReview({ reason: 'cancelled' }, { pullRequest, milliseconds, limits, earlier: 'unknown' }),
    ...{ outcome, headline, stop, rawFreeText, coverage, walkthrough, metrics, estimate },
    ...report.approval,
    findings: placed.map(asPlanned),
    nonSpecific: general === null ? [] : [general],
    batches: report.batches.map((batch) => ({ ...batch, walkthrough: [] })),
    notes: [...report.notes, ...endedIn(report)],
  };
  const context = { serverUrl: pullRequest?.serverUrl ?? null, repository: pullRequest?.repository ?? null };
  const verdict = verdictOf({ review, deliveries }, openGate);
  return { record: { review, placed, deliveries, reflection, verdict }, context };
}

function reported({ anchor, suppressed, ...known }: PlacedFinding): ReportedFinding {
  const lines = anchor.kind === 'lines' ? anchor : null;
  return {
    ...known,
    quote: lines?.quote ?? null,
    lines: linesOf(anchor),
    side: lines?.side ?? 'RIGHT',
    startLine: lines?.startLine ?? null,
    line: lines?.endLine ?? null,
    ...(lines?.columns === undefined ? {} : { columns: lines.columns }),
    ...(suppressed === undefined ? {} : { suppressedBy: suppressed.by }),
    ...(suppressed?.proof === undefined ? {} : { proof: suppressed.proof }),
  };
}

export function placedFrom(finding: ReportedFinding): PlacedFinding {
  const { quote, lines: _, side, startLine, line, columns, suppressedBy: by, proof, ...known } = finding;
  const isOnLines = startLine !== null && line !== null;
  const suppressed = { reason: known.reason ?? verbatim(''), ...(proof === undefined ? {} : { proof }) };
  return {
    ...known,
    anchor: isOnLines
      ? {
          kind: 'lines',
          side,
          startLine,
          endLine: line,
          quote: quote ?? '',
          ...(columns === undefined ? {} : { columns }),
        }
      : { kind: 'file' },
    ...(by === undefined ? {} : { suppressed: { by, ...suppressed } }),
  };
}

/** On a laptop no comments are posted, so what was found stands in the summary without a reason. */
function asPlanned(finding: PlacedFinding): PlacedFinding {
  const { place, reason } = finding;
  if (place === 'standing') return { ...finding, held: 'thread' };
  return place === 'annotation' || (place === 'summary' && reason === null) ? { ...finding, place: 'body' } : finding;
}

function pullRequestFrom({ pullRequest: known }: ReviewReport): PullRequest | null {
  if (known === null) return null;
  return {
    ...known,
    base: { ref: '', sha: known.base },
    head: { ref: '', sha: known.head },
    ...{ body: '', author: '', state: 'open', draft: false, labels: [], fromFork: false, commits: [] },
    ...{ linked: nothingLinked, conversation: [], threads: [], reviews: [], discussionRead: true, missing: [] },
  };
}

/** Such as `2 earlier findings: fixed.` */
function endedIn({ ended }: ReviewReport): readonly Message[] {
  return (['fixed', 'gone'] as const).flatMap((life) => {
    const count = ended.filter((one) => one.life === life).length;
    return count === 0 ? [] : [{ code: 'note.ended', count, state: lifeMessage(life) }];
  });
}

/** The path of the file that was written; null when there is none. */
export function pathOf(deliveries: readonly Delivery[], file: FileOutput): string | null {
  return deliveries.find(({ sink, status }) => sink === file && status === 'delivered')?.url ?? null;
}

/** Characters of the `walkthrough` output: a job's outputs are 1 MB together. */
const walkthroughCharacters = 200_000;

/** JSON, without the lines that do not fit; empty where there is none. */
function walkthroughOutput(lines: readonly WalkthroughLine[], redact: (text: string) => string): string {
  const told = lines.map(({ paths, changes, checked }) =>
    toldLine({ paths: paths.map(redact), changes: redact(changes), checked: redact(checked) }),
  );
  const fitting = firstFitting(told, walkthroughCharacters - 1, (line) => JSON.stringify(line).length + 1);
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
  const address = deliveries.find((delivery) => delivery.url !== null && delivery.sink === 'pull request review');
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
    walkthrough: walkthroughOutput(review.walkthrough, redact),
    unread: String(whole - reviewed),
    'review-url': address?.url ?? '',
    ...Object.fromEntries(fileOutputs.map((name) => [name, pathOf(deliveries, name) ?? ''])),
    'input-tokens': String(review.metrics.usage.input),
    'output-tokens': String(review.metrics.usage.output),
    'cached-tokens': String(review.metrics.usage.cached),
    cost: review.metrics.cost === null ? '' : review.metrics.cost.toFixed(4),
    'stop-reason': stopWord(review.stop),
    shards: shardMatrix(review.shards ?? 1),
  };
}
