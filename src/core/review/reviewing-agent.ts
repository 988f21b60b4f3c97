import { Budget } from '../agent/budget.ts';
import type { Clock } from '../agent/clock.ts';
import { estimateTokens } from '../agent/estimate.ts';
import type { Model } from '../agent/model.ts';
import type { Agent } from '../agent/run-agent.ts';
import type { Embedding } from '../context/embed-texts.ts';
import type { Embedder } from '../context/embedder.ts';
import { type KnowledgeDocuments, openKnowledge } from '../context/knowledge.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { History, Repository, TextSearch } from '../repository/repository.ts';
import { deadlines } from '../settings/deadlines.ts';
import { outputTokens } from '../settings/output-tokens.ts';
import { ownPriceOf, priceOf } from '../settings/pricing.ts';
import type { Settings } from '../settings/settings.ts';
import { defaultPolicy } from '../tools/default-policy.ts';
import { readingTools } from '../tools/reading-tools.ts';
import type { Vision } from './vision.ts';

export type AgentPorts = {
  readonly settings: Settings;
  readonly repository: Repository;
  readonly search: TextSearch | null;
  readonly history: History | null;
  readonly clock: Clock;
  readonly random: () => number;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** Null where documents are searched by words alone. */
  readonly embedder: Embedder | null;
};

/** Longest time for one attempt of one call, in milliseconds: a server that hangs must not take the run with it (FAILURES M19). */
const callMilliseconds = 300_000;

/** What the agents of all bundles share: model, tools, policy, and one budget of tokens and time for the whole run. */
export function reviewingAgent(
  ports: AgentPorts,
  review: {
    readonly model: Model;
    readonly files: readonly ChangedFile[];
    readonly bundles: number;
    /** Null where nothing is parsed. */
    readonly symbols: SymbolIndex | null;
    /** Null where there are no documents. */
    readonly documents: KnowledgeDocuments | null;
    /** Null where nothing is shown. */
    readonly vision: Vision | null;
    /** Told what a person should know. */
    readonly tell: (note: string) => void;
    /** Why a path may not be read; null when it may. */
    readonly isDenied: (path: string) => string | null;
  },
): Omit<Agent, 'finish' | 'emit' | 'isUnfinished'> & { readonly budget: Budget } {
  const { settings, clock, repository, search, history, random, signal } = ports;
  const { denyPaths, maxTotalTokens: maxTokens, maxCost, maxIterations } = settings;
  const { soft, hard } = deadlines(ports.startedAt, settings.timeoutMinutes);
  const tokens = outputTokens(settings);
  const budget = new Budget({ maxTokens, maxCost, softDeadline: soft, hardDeadline: hard, now: clock.now });
  const { documents, tell } = review;
  const meaning = meaningSearch(ports, budget);
  return {
    model: review.model,
    price: priceOf(settings.pricing, settings.model),
    tools:
      settings.profile === 'follow-up'
        ? []
        : readingTools({
            repository,
            search,
            history,
            files: review.files,
            offerDiff: review.bundles > 1,
            isDenied: review.isDenied,
            ...(review.symbols === null ? {} : { symbols: review.symbols }),
            ...(documents === null ? {} : { knowledge: openKnowledge(documents, { meaning, tell }) }),
            ...(review.vision === null ? {} : { images: review.vision.parts }),
          }),
    policy: defaultPolicy({ denyPaths, files: review.files }),
    budget,
    limits: {
      maxSteps: maxIterations,
      stepOutputTokens: tokens.step,
      lastOutputTokens: tokens.last,
      callMilliseconds,
    },
    clock,
    random,
    estimateTokens,
    signal,
    ...(review.vision === null ? {} : { onImagesSeen: review.vision.noteSeen }),
  };
}

function meaningSearch({ embedder, settings, clock, random, signal }: AgentPorts, budget: Budget): Embedding | null {
  if (embedder === null) return null;
  return { budget, embedder, clock, random, signal, price: ownPriceOf(settings.pricing, settings.embeddingsModel) };
}
