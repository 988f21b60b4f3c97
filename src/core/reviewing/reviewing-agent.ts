import { Budget } from '../agent/budget.ts';
import { estimateTokens } from '../agent/estimate.ts';
import { Meter } from '../agent/meter.ts';
import type { Model } from '../agent/model.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import type { Embedding } from '../knowledge/by-meaning.ts';
import { type KnowledgeDocuments, openKnowledge } from '../knowledge/knowledge.ts';
import type { Changes } from '../pull-request/pull-request.ts';
import { ownPriceOf, priceOf } from '../settings/formats.ts';
import { outputTokens } from '../settings/problems.ts';
import { deadlines } from '../settings/settings.ts';
import { defaultPolicy } from '../tools/policy.ts';
import { readingTools } from '../tools/reading-tools.ts';
import type { ReviewingParts } from './parts.ts';
import type { BatchesContext } from './review-batch.ts';
import type { Vision } from './vision.ts';

/** Longest time for one attempt of one call, in milliseconds: a server that hangs must not take the run with it. */
const callMilliseconds = 300_000;

/** What the agents of all batches share: model, tools, policy, and one budget of tokens and time for the whole run. */
export function reviewingAgent(
  parts: ReviewingParts,
  {
    model,
    changes: { files },
    isDenied,
    vision,
  }: {
    model: Model;
    changes: Pick<Changes, 'files'>;
    isDenied: (path: string) => string | null;
    vision: Vision | null;
  },
  {
    offerDiff,
    symbols,
    documents,
    tell,
  }: {
    /** Whether there are diffs that a conversation is not shown. */
    offerDiff: boolean;
    /** Null where nothing is parsed. */
    symbols: SymbolIndex | null;
    /** Null where there are no documents. */
    documents: KnowledgeDocuments | null;
    /** Called with what a person should know. */
    tell: (note: string) => void;
  },
): BatchesContext['agent'] & Pick<BatchesContext, 'toolsOver'> & { readonly budget: Budget } {
  const {
    settings,
    run: { clock, random, signal },
    code: { repository, search, history },
  } = parts;
  const { maxTotalTokens: maxTokens, maxCost, maxIterations } = settings;
  const { soft, hard } = deadlines(parts.run.startedAt, settings.timeoutMinutes);
  const tokens = outputTokens(settings);
  const budget = new Budget({ maxTokens, maxCost, softDeadline: soft, hardDeadline: hard, now: clock.now });
  const meaning = meaningSearch(parts, budget);
  const sources = {
    ...{ repository, search, history, files, offerDiff, isDenied },
    ...(symbols === null ? {} : { symbols }),
    ...(documents === null ? {} : { knowledge: openKnowledge(documents, { meaning, tell }) }),
    ...(vision === null ? {} : { images: vision.parts }),
  };
  const toolsOver: BatchesContext['toolsOver'] = (noting) =>
    settings.profile === 'follow-up' ? [] : readingTools({ ...sources, ...noting });
  return {
    model,
    price: priceOf(settings.pricing, settings.model),
    tools: toolsOver({}),
    toolsOver,
    policy: defaultPolicy(isDenied),
    budget,
    meter: new Meter(),
    limits: { maxSteps: maxIterations, stepOutputTokens: tokens.step, lastOutputTokens: tokens.last, callMilliseconds },
    clock,
    random,
    estimateTokens,
    signal,
    ...(vision === null ? {} : { onImagesSeen: vision.noteSeen }),
  };
}

function meaningSearch(parts: ReviewingParts, budget: Budget): Embedding | null {
  const {
    models: { embedder },
    settings,
    run: { clock, random, signal },
  } = parts;
  if (embedder === null) return null;
  return { budget, embedder, clock, random, signal, price: ownPriceOf(settings.pricing, settings.embeddingsModel) };
}
