import type { Clock } from './agent/clock.ts';
import type { Model } from './agent/model.ts';
import { bundleTokens, planBundles } from './bundles/plan-bundles.ts';
import type { Finding } from './findings/finding.ts';
import type { PullRequest } from './pull-request/pull-request.ts';
import { type Selection, selectFiles, withhold } from './pull-request/select-files.ts';
import type { Changes } from './pull-request/source.ts';
import type { Reporter } from './reporter.ts';
import type { History, Repository, TextSearch } from './repository/repository.ts';
import { composeReview, emptyReview } from './review/compose-review.ts';
import { deliver } from './review/deliver.ts';
import { longLineNotes } from './review/long-lines.ts';
import { nothingToReview, reasonToSkip } from './review/reason-to-skip.ts';
import type { Review } from './review/review.ts';
import type { BundleReview } from './review/review-bundle.ts';
import { reviewBundles } from './review/review-bundles.ts';
import { reviewingAgent } from './review/reviewing-agent.ts';
import type { Recorder, ReviewRecord, Sink } from './review/sink.ts';
import { loadRules } from './rules/load-rules.ts';
import type { Rule } from './rules/rule.ts';
import { runRules } from './rules/run-rules.ts';
import type { Settings } from './settings/settings.ts';
import { isDeniedPath } from './tools/default-policy.ts';

/** Everything a review needs of the world. `model` is null without a key and in the `offline` profile. */
export type ReviewParts = {
  readonly settings: Settings;
  readonly notes: readonly string[];
  readonly pullRequest: PullRequest;
  readonly changes: () => Promise<Changes>;
  readonly repository: Repository;
  readonly search: TextSearch | null;
  readonly history: History | null;
  readonly model: Model | null;
  readonly report: Reporter;
  readonly sinks: readonly Sink[];
  readonly recorders: readonly Recorder[];
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds of the clock when the run began: the timeout counts from here. */
  readonly startedAt: number;
  /** Aborted when the job or the person cancels. */
  readonly signal: AbortSignal;
};

/** The recipe: decide what to review, run the rules and the model over it, compose one review, deliver it. */
export async function reviewPullRequest(parts: ReviewParts): Promise<ReviewRecord> {
  const review = await makeReview(parts);
  parts.report({
    type: 'review-end',
    outcome: review.outcome,
    headline: review.headline,
    milliseconds: review.milliseconds,
  });
  // A cancelled run writes its files, and nothing to GitHub (FAILURES R3).
  const sinks = parts.signal.aborted ? [] : parts.sinks;
  return deliver(review, { sinks, recorders: parts.recorders }, (delivery) =>
    parts.report({ type: 'delivery-end', delivery }),
  );
}

async function makeReview(parts: ReviewParts): Promise<Review> {
  const { pullRequest, settings } = parts;
  const skip = reasonToSkip(pullRequest, settings);
  if (skip !== null) return notReviewed(parts, skip);
  const changes = await parts.changes();
  const selection = selectFiles(changes.files, settings);
  parts.report({
    type: 'files-select',
    kept: selection.kept.map((file) => file.path),
    skipped: selection.skipped,
    changedLines: selection.kept.reduce((sum, file) => sum + file.additions + file.deletions, 0),
  });
  if (selection.kept.length === 0 && changes.missing.length === 0) {
    return notReviewed(parts, nothingToReview(changes.files.length, selection), selection);
  }
  return reviewSelection(parts, { changes, found: selection });
}

async function reviewSelection(
  parts: ReviewParts,
  { changes, found }: { changes: Changes; found: Selection },
): Promise<Review> {
  const { rules, problems } = await loadRules(parts.repository);
  for (const problem of problems) parts.report({ type: 'warning', text: problem });
  let count = 0;
  const nextId = () => `f${++count}`;
  const ruleFindings = runRules(rules, found.kept, nextId);
  const { model, settings } = parts;
  const isDenied = (path: string) => isDeniedPath(path, settings.denyPaths);
  const selection = model === null ? found : withhold(found, isDenied);
  if (selection.kept.length === 0 && ruleFindings.length === 0 && changes.missing.length === 0) {
    return notReviewed(parts, nothingToReview(changes.files.length, selection), selection);
  }
  const bundles =
    model === null
      ? []
      : await reviewWithModel(parts, { model, changes, selection, rules, ruleFindings, nextId, isDenied });
  return composeReview({
    pullRequest: parts.pullRequest,
    settings,
    files: changes.files,
    selection,
    missing: changes.missing,
    bundles,
    ruleFindings,
    cancelled: parts.signal.aborted,
    withoutKey: model === null && settings.profile !== 'offline',
    milliseconds: parts.clock.now() - parts.startedAt,
    notes: [
      ...parts.notes,
      ...parts.pullRequest.missing,
      ...problems,
      ...(model === null ? [] : longLineNotes(selection.kept)),
    ],
  });
}

type ModelReview = {
  readonly model: Model;
  readonly changes: Changes;
  readonly selection: Selection;
  readonly rules: readonly Rule[];
  readonly ruleFindings: readonly Finding[];
  readonly nextId: () => string;
  readonly isDenied: (path: string) => string | null;
};

async function reviewWithModel(parts: ReviewParts, review: ModelReview): Promise<readonly BundleReview[]> {
  const { settings, report } = parts;
  const reviewable = review.selection.kept.filter((file) => file.hunks.length > 0);
  const bundles = planBundles(reviewable, {
    maxFiles: settings.filesPerBatch,
    maxTokens: bundleTokens(settings.maxTotalTokens),
  });
  report({
    type: 'bundles-plan',
    bundles: bundles.map(({ name, files, estimatedTokens }) => ({
      name,
      paths: files.map(({ file }) => file.path),
      estimatedTokens,
    })),
  });
  return reviewBundles(bundles, {
    ...review,
    agent: reviewingAgent(parts, { ...review, files: review.changes.files, bundles: bundles.length }),
    pullRequest: parts.pullRequest,
    files: review.changes.files,
    repository: parts.repository,
    language: settings.language,
    concurrency: settings.concurrency,
    report,
  });
}

function notReviewed(parts: ReviewParts, why: string, selection?: Selection): Review {
  return emptyReview(
    { reason: 'skipped', why },
    {
      pullRequest: parts.pullRequest,
      settings: parts.settings,
      milliseconds: parts.clock.now() - parts.startedAt,
      skipped: selection?.skipped ?? [],
      notes: parts.notes,
    },
  );
}
