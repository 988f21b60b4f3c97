import type { Model } from '../agent/model.ts';
import { shareOut } from '../agent/shares.ts';
import { findDocuments } from '../context/knowledge.ts';
import { type SymbolIndex, symbolIndex } from '../context/symbol-index.ts';
import type { Finding } from '../findings/finding.ts';
import type { Memory } from '../memory/memory.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { type Windowed, windowLongLines } from '../pull-request/line-windows.ts';
import type { Selection } from '../pull-request/select-files.ts';
import type { Changes } from '../pull-request/source.ts';
import type { Rule } from '../rules/rule.ts';
import { deadlines } from '../settings/deadlines.ts';
import { priceOf } from '../settings/pricing.ts';
import { commonOpening } from './bundle-opening.ts';
import type { BundlesContext } from './bundles-context.ts';
import { followUpOf } from './instructions.ts';
import { addMetrics, noMetrics } from './metrics.ts';
import { planReview } from './plan-review.ts';
import type { RunEstimate } from './review.ts';
import { type ReviewedBundles, reviewBundles } from './review-bundles.ts';
import { reviewingAgent } from './reviewing-agent.ts';
import type { ReviewingParts } from './reviewing-parts.ts';
import { estimateRun } from './run-estimate.ts';
import { readTeamWords } from './team-words.ts';
import type { Vision } from './vision.ts';

/** What the model is to review. */
export type ModelReview = {
  readonly model: Model;
  readonly changes: Changes;
  readonly selection: Selection;
  readonly rules: readonly Rule[];
  readonly ruleFindings: readonly Finding[];
  readonly nextId: () => string;
  readonly isDenied: (path: string) => string | null;
  readonly memory: Memory;
  readonly vision: Vision | null;
};

/** Everything that the model does in a run: the plan, what it sees, one review of each bundle, and the bill. */
export async function reviewWithModel(
  parts: ReviewingParts,
  review: ModelReview,
): Promise<ReviewedBundles & Pick<Windowed, 'cut'> & { readonly estimate: RunEstimate }> {
  const { settings, report } = parts;
  const { files: windowed, cut } = windowLongLines(review.selection.kept);
  const reviewable = windowed.filter((file) => file.hunks.length > 0 || review.vision?.changed.has(file.path));
  const symbols = symbolsOf(parts, review);
  if (symbols !== null) parseAhead(symbols, reviewable);
  const bundles = await planReview(reviewable, {
    ...parts,
    isDenied: review.isDenied,
    ...(review.vision === null ? {} : { extraTokens: review.vision.tokens }),
  });
  const changedPaths = reviewable.map(({ path }) => path);
  const { words, notes } = await readTeamWords(parts.repository, { ...review, settings, changedPaths });
  const documents = await findDocuments(parts.repository, { globs: settings.knowledge, isDenied: review.isDenied });
  const told: string[] = [];
  const tell = (text: string) => {
    told.push(text);
    report({ type: 'warning', text });
  };
  const sources = { symbols, documents, tell };
  const agent = reviewingAgent(parts, { ...review, files: review.changes.files, bundles: bundles.length, ...sources });
  const verifier = verifierOf(parts, review.model);
  const { pullRequest } = parts;
  const { fence, common } = commonOpening({ ...review, pullRequest, files: review.changes.files, words });
  const { needs, ...estimate } = estimateRun(bundles, { agent, settings, verifier, words, common });
  const { maxTotalTokens, maxCost } = settings;
  report({ type: 'run-estimate', ...estimate, maxTotalTokens, maxCost });
  const shares = shareOut(agent.budget, { needs, price: agent.price });
  if (shares.limit !== null) {
    const { sure, likely, limit } = shares;
    report({ type: 'shares-plan', bundles: bundles.length, sure, likely, limit });
  }
  const reviewed = await reviewBundles(bundles, {
    ...review,
    agent,
    shares,
    fence,
    common,
    verifier,
    words,
    symbols,
    ruleIds: new Set(review.rules.map(({ id }) => id)),
    passes: settings.passes,
    followUp: followUpOf(settings),
    pullRequest,
    files: review.changes.files,
    repository: parts.repository,
    language: settings.language,
    concurrency: settings.concurrency,
    report,
    onFinding: parts.onFinding,
  });
  const metrics = reviewed.reviews.reduce((sum, one) => addMetrics(sum, one.report.metrics), noMetrics);
  report({ type: 'run-bill', metrics, maxTotalTokens, maxCost });
  return { ...reviewed, cut, notes: [...notes, ...reviewed.notes, ...told], estimate };
}

function symbolsOf(parts: ReviewingParts, { isDenied }: Pick<ModelReview, 'isDenied'>): SymbolIndex | null {
  const { syntax, repository, search, clock, startedAt, settings } = parts;
  if (syntax === null) return null;
  const deadline = deadlines(startedAt, settings.timeoutMinutes).soft;
  return symbolIndex({ syntax, repository, search, isDenied, now: clock.now, deadline });
}

/** The first bundles' files, as far as one can tell before there are any: of a large change most are never reviewed. */
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

function verifierOf({ settings, verifyModel }: ReviewingParts, model: Model): BundlesContext['verifier'] {
  if (!settings.verify) return null;
  const name = verifyModel === null ? settings.model : settings.verifyModel;
  return { model: verifyModel ?? model, price: priceOf(settings.pricing, name) };
}
