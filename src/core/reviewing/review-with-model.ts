import type { Model } from '../agent/model.ts';
import { shareOut } from '../agent/shares.ts';
import type { Batch } from '../batches/batch.ts';
import { batchesFromList, listBatch } from '../batches/batch-list.ts';
import { fitsOneBatch, tokensPerBatch } from '../batches/plan-batches.ts';
import { importsAmong, noRelations } from '../batches/relations.ts';
import { listedFindings } from '../batches/render-history.ts';
import { type SymbolIndex, symbolIndex } from '../context/symbol-index.ts';
import { UserError } from '../errors.ts';
import type { RecheckItem } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
import type { UnaskedField } from '../findings/submission.ts';
import type { Memory } from '../history/memory.ts';
import type { Standing } from '../history/scope.ts';
import { findDocuments } from '../knowledge/knowledge.ts';
import { verbatim } from '../messages/message.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { type Windowed, windowLongLines } from '../pull-request/line-windows.ts';
import type { Changes } from '../pull-request/pull-request.ts';
import type { Selection } from '../pull-request/select-files.ts';
import type { RunEstimate } from '../review/review.ts';
import type { ShardPlan } from '../review/shards.ts';
import type { Rule } from '../rules/rule.ts';
import { priceOf } from '../settings/formats.ts';
import { deadlines } from '../settings/settings.ts';
import { readTeamWords, type TeamWords } from '../team/team-words.ts';
import { askBatches } from './earlier.ts';
import { estimateRun } from './estimate-run.ts';
import { countFocuses, divide, isFocused, type Plan, shareDiff } from './focus.ts';
import { followUpOf } from './instructions.ts';
import type { ReviewingParts, Shard } from './parts.ts';
import { shareOutShards } from './plan-shards.ts';
import { type BatchesContext, commonOpening } from './review-batch.ts';
import { type ReviewedBatches, reviewBatches } from './review-batches.ts';
import { reviewingAgent } from './reviewing-agent.ts';
import type { Vision } from './vision.ts';

/** What the model is to review. */
type ModelReview = {
  readonly model: Model;
  readonly changes: Changes;
  readonly selection: Selection;
  readonly rules: readonly Rule[];
  readonly ruleFindings: readonly Finding[];
  /** Earlier findings whose code changed. */
  readonly asked: readonly RecheckItem[];
  readonly nextId: () => string;
  readonly isDenied: (path: string) => string | null;
  readonly memory: Memory;
  readonly standing: Standing;
  readonly vision: Vision | null;
};

export type ModelReviewed = ReviewedBatches & Pick<Windowed, 'cut'> & { readonly estimate: RunEstimate };

/** Everything that the model does in a run: the plan, what it sees, one review of each batch, and the bill. Of a shard its own batches alone. */
export async function reviewWithModel(parts: ReviewingParts, review: ModelReview): Promise<ModelReviewed> {
  const {
    settings,
    code: { repository },
    output: { report, onFinding },
  } = parts;
  const symbols = symbolsOf(parts, review);
  const { plan, cut, notes, words, told, estimate, estimating } = await prepareReview(parts, review, symbols);
  const { agent, verifier, fence, common, shared } = estimating;
  const batches = ownBatches(plan, parts);
  const { needs, ...own } = parts.trigger.shard === undefined ? estimate : estimateRun(batches, estimating);
  const { maxTotalTokens, maxCost } = settings;
  report({ type: 'run-estimate', ...own, maxTotalTokens, maxCost });
  const shares = shareOut(agent.budget, { needs, price: agent.price });
  if (shares.limit !== null) {
    const { sure, likely, limit } = shares;
    report({ type: 'shares-plan', batches: batches.length, sure, likely, limit });
  }
  const reviewed = await reviewBatches(batches, {
    ...review,
    ...{ settings, repository, report, onFinding },
    ...{
      agent,
      toolsOver: agent.toolsOver,
      shares,
      fence,
      common,
      shared,
      verifier,
      words,
      symbols,
      files: review.changes.files,
    },
    ruleIds: new Set(review.rules.map(({ id }) => id)),
    unasked: unaskedFields(words, review.memory),
    askedOf: askBatches(plan.batches, review.asked),
    planned: plan.batches.flatMap((batch) => batch.files.map(({ file }) => file)),
    followUp: followUpOf(settings),
    head: parts.pullRequest.head.sha,
  });
  const milliseconds = parts.run.clock.now() - parts.run.startedAt;
  report({ type: 'run-bill', metrics: agent.meter.metrics, maxTotalTokens, maxCost, milliseconds });
  return { ...reviewed, cut, notes: [...notes.map(verbatim), ...reviewed.notes, ...told.map(verbatim)], estimate: own };
}

/** Divides over jobs what a run like this would review. No model is asked. */
export async function planShards(
  parts: ReviewingParts,
  review: ModelReview,
): Promise<ModelReviewed & { readonly plan: ShardPlan }> {
  const {
    settings,
    output: { report },
  } = parts;
  const { plan, cut, notes, estimate } = await prepareReview(parts, review, symbolsOf(parts, review));
  const { needs, ...told } = estimate;
  const { maxTotalTokens, maxCost } = settings;
  report({ type: 'run-estimate', ...told, maxTotalTokens, maxCost });
  const shards = shareOutShards(needs, { limits: settings, cost: told.cost });
  const listed = { isShared: plan.isShared, batches: plan.batches.map(listBatch), shards };
  return { reviews: [], cut, notes: notes.map(verbatim), estimate: told, plan: listed };
}

/** What comes before the first call: the plan, what the team says, and what it will take. */
async function prepareReview(parts: ReviewingParts, review: ModelReview, symbols: SymbolIndex | null) {
  const {
    settings,
    output: { report },
  } = parts;
  const { files: windowed, cut } = windowLongLines(review.selection.kept);
  const reviewable = windowed.filter((file) => file.hunks.length > 0 || review.vision?.changed.has(file.path));
  if (symbols !== null) parseAhead(symbols, reviewable);
  const [plan, { words, notes }, documents] = await Promise.all([
    parts.trigger.shard === undefined
      ? planReview(reviewable, parts, { vision: review.vision, symbols })
      : madeAgain(reviewable, parts.trigger.shard),
    readTeamWords(parts.code.repository, { ...review, settings, changedPaths: reviewable.map(({ path }) => path) }),
    findDocuments(parts.code.repository, { globs: settings.knowledge, isDenied: review.isDenied }),
  ]);
  const { batches, isShared } = plan;
  const told: string[] = [];
  const tell = (text: string) => {
    told.push(text);
    report({ type: 'warning', text });
  };
  const agent = reviewingAgent(parts, review, { offerDiff: batches.length > 1, symbols, documents, tell });
  const verifier = verifierOf(parts, review.model);
  const { fence, common } = commonOpening(parts.pullRequest, review.changes.files, { ...review, words });
  const shared = isShared ? await shareDiff(batches, { symbols, fence, meter: agent.meter }) : null;
  const estimating = { agent, settings, verifier, words, common, shared, fence };
  return { plan, cut, notes, words, told, estimating, estimate: estimateRun(batches, estimating) };
}

/** The batches of a plan that another job made of the same commits. @throws UserError for a plan of something else. */
function madeAgain(files: readonly ChangedFile[], { plan }: Shard): Plan {
  const batches = batchesFromList(files, plan.batches);
  if (batches !== null) return { batches, isShared: plan.isShared };
  throw new UserError('The plan (`plan-file`) names code that is not in this change.', {
    hint: 'Give the jobs with a `shard` the same version of Postil and the same inputs as the job with `mode: plan`.',
  });
}

function ownBatches({ batches }: Plan, { trigger: { shard } }: ReviewingParts): readonly Batch[] {
  if (shard === undefined) return batches;
  return (shard.plan.shards[shard.number - 1]?.batches ?? []).flatMap((index) => batches[index] ?? []);
}

/** What nothing in the prompts gives a value for is not asked for: every finding would say null. */
function unaskedFields({ rules }: TeamWords, { prior }: Memory): readonly UnaskedField[] {
  const none = listedFindings(prior).length === 0;
  return [...(rules.length === 0 ? (['rule_id'] as const) : []), ...(none ? (['same_as'] as const) : [])];
}

export function symbolsOf(parts: ReviewingParts, { isDenied }: Pick<ModelReview, 'isDenied'>): SymbolIndex | null {
  const {
    code: { syntax, repository, search },
    run: { clock, startedAt },
    settings,
  } = parts;
  if (syntax === null) return null;
  const deadline = deadlines(startedAt, settings.timeoutMinutes).soft;
  return symbolIndex({ syntax, repository, search, isDenied, now: clock.now, deadline });
}

/** The first batches' files, as far as one can tell before there are any: of a large change most are never reviewed. */
const parsedAhead = 30;
const mostToParseAhead = 100;

/** The parser has a thread of its own: it may begin while the plan is made. What it finds is asked for again, and known then. */
function parseAhead(symbols: SymbolIndex, files: readonly ChangedFile[]): void {
  symbols.paths().catch(() => undefined);
  if (files.length > mostToParseAhead) return;
  for (const { path, status } of files.slice(0, parsedAhead)) {
    if (status !== 'deleted' && symbols.knows(path)) symbols.file(path).catch(() => undefined);
  }
}

function verifierOf({ settings, models: { verifyModel } }: ReviewingParts, model: Model): BatchesContext['verifier'] {
  if (!settings.verify) return null;
  const name = verifyModel === null ? settings.model : settings.verifyModel;
  return { model: verifyModel ?? model, price: priceOf(settings.pricing, name) };
}

/** Divides the files into batches, and reports the plan. Imports are looked at only when there is something to divide. */
async function planReview(
  files: readonly ChangedFile[],
  parts: ReviewingParts,
  { vision, symbols }: Pick<ModelReview, 'vision'> & { readonly symbols: SymbolIndex | null },
): Promise<Plan> {
  const {
    settings,
    code: { search },
    run: { signal },
    output: { report },
  } = parts;
  const { maxTotalTokens, profile } = settings;
  const limits = {
    maxFiles: settings.filesPerBatch,
    maxTokens: tokensPerBatch(settings),
    extraTokens: vision?.tokens ?? new Map(),
  };
  const focuses = isFocused(profile) ? countFocuses(files) : 1;
  // Over GitHub's API there is no search, and every file that is read is a request.
  const isDivided = (focuses > 1 || !fitsOneBatch(files, limits)) && limits.maxFiles !== 1 && search !== null;
  const relations = isDivided && symbols !== null ? await importsAmong(files, { symbols, signal }) : noRelations;
  const plan = divide(files, { limits: { ...limits, relations }, focuses, maxTotalTokens });
  report({
    type: 'batches-plan',
    batches: plan.batches.map(({ name, files: planned, estimatedTokens }) => ({
      name,
      paths: planned.map(({ file }) => file.path),
      estimatedTokens,
    })),
  });
  return plan;
}
