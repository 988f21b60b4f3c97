import { type Phase, phases } from '../agent/event.ts';
import type { PhaseUse } from '../agent/meter.ts';
import type { Finding, PlacedFinding } from '../findings/finding.ts';
import { lifeWord } from '../memory/life.ts';
import { nothingLinked, type PullRequest } from '../pull-request/pull-request.ts';
import { emptyReview } from '../review/empty-review.ts';
import type { BatchReport, Metrics, Review } from '../review/review.ts';
import { verdictOf } from '../review/say-verdict.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { openGate } from '../review/verdict.ts';
import { plural } from '../text.ts';
import type { ReviewReport } from './json-schema.ts';
import type { RenderContext } from './wording.ts';

/** What a report file tells of a review, as the renderers take it: as much as they show. */
export function fromReport(report: ReviewReport): {
  readonly record: ReviewRecord;
  readonly context: Pick<RenderContext, 'serverUrl' | 'repository'>;
} {
  const placed = report.files_review.map(placedOf);
  const pullRequest = pullRequestOf(report);
  const { batches, metrics, estimate, limits } = report;
  const review: Review = {
    ...emptyReview(
      { reason: 'skipped', why: '' },
      { pullRequest, milliseconds: report.milliseconds, earlier: 'unknown' },
    ),
    outcome: report.outcome,
    headline: report.headline,
    ...report.approval,
    findings: placed.map(asPlanned),
    nonSpecific: report.non_specific_review === null ? [] : [report.non_specific_review],
    rawFreeText: report.raw_free_text,
    coverage: report.coverage,
    walkthrough: report.walkthrough,
    batches: batches.map(batchOf),
    metrics: metricsOf(metrics),
    estimate: estimate === null ? null : estimateOf(estimate),
    limits: {
      profile: report.profile,
      model: report.model,
      maxIterations: limits.max_iterations,
      maxTotalTokens: limits.max_total_tokens,
      timeoutMinutes: limits.timeout_minutes,
      maxComments: limits.max_comments,
      maxCost: limits.max_cost,
    },
    notes: [...report.notes, ...endedIn(report)],
  };
  const deliveries = report.deliveries.map(({ findings: _, ...one }) => ({ ...one, delivered: [] }));
  const context = { serverUrl: pullRequest?.serverUrl ?? null, repository: pullRequest?.repository ?? null };
  const verdict = verdictOf({ review, deliveries }, openGate);
  return { record: { review, placed, deliveries, reflection: report.reflection, verdict }, context };
}

/** Such as `2 earlier findings: fixed.` */
function endedIn({ outdated, ended }: ReviewReport): readonly string[] {
  const all = ended ?? outdated.map((title) => ({ title, life: 'fixed' as const }));
  return (['fixed', 'gone'] as const).flatMap((life) => {
    const count = all.filter((one) => one.life === life).length;
    return count === 0 ? [] : [`${plural(count, 'earlier finding')}: ${lifeWord(life)}.`];
  });
}

type ReportedFinding = ReviewReport['files_review'][number];

function placedOf(reported: ReportedFinding): PlacedFinding {
  const { place, reason, url, life, batch, hunk, below_threshold: belowThreshold } = reported;
  return {
    ...findingOf(reported),
    ...(batch === null ? {} : { batch }),
    ...(hunk === null ? {} : { hunk }),
    ...{ place, reason, url },
    ...(belowThreshold === undefined ? {} : { belowThreshold }),
    ...(life === undefined ? {} : { life }),
  };
}

/** Without what is known of it only once it is placed. */
export function findingOf(reported: ReportedFinding): Finding {
  const { start_line: startLine, line: endLine, side, quote, suppressed_by: by, proof } = reported;
  const { id, path, title, review, evidence, severity, category, suggestion, confidence, source } = reported;
  return {
    ...{ id, path, title, review, evidence, severity, category, suggestion, confidence, source },
    anchor:
      startLine === null || endLine === null
        ? { kind: 'file' }
        : { kind: 'lines', side, startLine, endLine, quote: quote ?? '' },
    ...(reported.narrowed ? { narrowed: true } : {}),
    ruleId: reported.rule_id,
    ...(reported.verification === null ? {} : { verification: reported.verification }),
    ...(reported.same_as === null ? {} : { sameAs: reported.same_as }),
    alsoAt: reported.also_at,
    ...(reported.unplaced === null ? {} : { unplaced: reported.unplaced }),
    ...(by === null ? {} : { suppressed: { by, reason: reported.reason ?? '', ...(proof === null ? {} : { proof }) } }),
  };
}

/** On a laptop no comments are posted, so what was found stands in the summary without a reason. */
function asPlanned(finding: PlacedFinding): PlacedFinding {
  const { place, reason } = finding;
  if (place === 'standing') return { ...finding, held: 'thread' };
  return place === 'annotation' || (place === 'summary' && reason === null) ? { ...finding, place: 'body' } : finding;
}

function pullRequestOf({ pull_request: known }: ReviewReport): PullRequest | null {
  if (known === null) return null;
  return {
    repository: known.repository,
    serverUrl: known.server_url,
    number: known.number,
    title: known.title,
    base: { ref: '', sha: known.base },
    head: { ref: '', sha: known.head },
    mergeBase: known.merge_base,
    ...{ body: '', author: '', state: 'open', draft: false, labels: [], fromFork: false, commits: [] },
    ...{ linked: nothingLinked, conversation: [], threads: [], reviews: [], discussionRead: true, missing: [] },
  };
}

function batchOf(batch: ReviewReport['batches'][number]): BatchReport {
  const { name, paths, reviewed, gap, stop, metrics, follow_up: asked } = batch;
  const said = { approval: null, walkthrough: [], nonSpecificReview: null, rawFreeText: null };
  const followUp = asked === null ? null : followUpOf(asked);
  return { name, paths, reviewed, gap, stop, ...said, followUp, metrics: metricsOf(metrics) };
}

function followUpOf({
  extra_tokens: extraTokens,
  ...asked
}: NonNullable<ReviewReport['batches'][number]['follow_up']>): NonNullable<BatchReport['followUp']> {
  return { ...asked, extraTokens };
}

function metricsOf(known: ReviewReport['metrics']): Metrics {
  return {
    usage: {
      input: known.input_tokens,
      cached: known.cached_tokens,
      output: known.output_tokens,
      thinking: known.thinking_tokens,
      estimated: known.estimated,
    },
    cost: known.cost,
    modelCalls: known.model_calls,
    iterations: known.iterations,
    toolCalls: known.tool_calls,
    tools: known.tools,
    phases: Object.fromEntries(phases.flatMap((phase) => phaseOf(phase, known.phases[phase]))),
  };
}

function phaseOf(
  phase: Phase,
  use: ReviewReport['metrics']['phases'][string] | undefined,
): readonly (readonly [Phase, PhaseUse])[] {
  if (use === undefined) return [];
  const usage = { input: use.input_tokens, cached: use.cached_tokens, output: use.output_tokens };
  return [[phase, { modelCalls: use.model_calls, cost: use.cost, usage: { ...usage, thinking: 0, estimated: false } }]];
}

function estimateOf(known: NonNullable<ReviewReport['estimate']>): NonNullable<Review['estimate']> {
  return { modelCalls: known.model_calls, input: known.input_tokens, output: known.output_tokens, cost: known.cost };
}
