import type { Price } from '../agent/usage.ts';
import type { FileKindName } from '../pull-request/file-kinds.ts';
import type { PathInstruction } from './formats.ts';
import type { Severity } from './setting.ts';

export const profileNames = ['offline', 'follow-up', 'quick', 'balanced', 'thorough', 'deep'] as const;
type ProfileName = (typeof profileNames)[number];

/** Everything that decides a review, apart from secrets. Printed, recorded, compared between runs. */
export type Settings = {
  readonly model: string;
  readonly baseUrl: string;
  readonly api: 'auto' | 'responses' | 'chat';
  readonly profile: ProfileName;
  /** Iterations a batch; the profile's number already applied. */
  readonly maxIterations: number;
  /** Output tokens a call; null means by API and phase. */
  readonly maxTokens: number | null;
  readonly maxTotalTokens: number;
  readonly timeoutMinutes: number;
  /** Null: 0.2 on Chat Completions to hosts other than OpenAI's, else not sent. */
  readonly temperature: number | null;
  /** Sent as it is; empty is not sent. */
  readonly reasoningEffort: string;
  /** US$ of the whole run; null is no limit. */
  readonly maxCost: number | null;
  readonly pricing: Pricing;
  readonly stream: boolean;
  /** The profile's choice already applied. */
  readonly verify: boolean;
  /** Empty: `model`. */
  readonly verifyModel: string;
  readonly passes: number;
  readonly reflect: boolean;
  /** Values may be secrets: never printed nor recorded. */
  readonly extraHeaders: { readonly [name: string]: string };
  readonly extraQuery: { readonly [name: string]: string };
  readonly extraBody: { readonly [name: string]: unknown };
  /** Of the `follow-up` profile. */
  readonly allowFollowUp: boolean;
  /** Tokens of source that a follow-up shows. */
  readonly maxFollowUpTokens: number;
  readonly concurrency: number;
  readonly filesPerBatch: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Kinds that the workflow leaves out. */
  readonly skipKinds: readonly FileKindName[];
  readonly skipAuthors: readonly string[];
  readonly reviewDrafts: boolean;
  readonly minSeverity: Severity;
  readonly minConfidence: number;
  readonly maxComments: number;
  readonly failOn: 'never' | Severity;
  readonly requireComplete: boolean;
  readonly reviewEvent: 'comment' | 'request-changes' | 'approve';
  /** Empty: the workflow's name. */
  readonly name: string;
  readonly mode: 'review-and-post' | 'review' | 'post';
  readonly reviewFile: string;
  readonly comments: boolean;
  readonly annotations: boolean;
  readonly checkRun: boolean;
  readonly stickyComment: boolean;
  readonly incremental: boolean;
  readonly dryRun: boolean;
  readonly language: string;
  readonly guidance: readonly string[];
  readonly pathInstructions: readonly PathInstruction[];
  readonly memory: boolean;
  readonly knowledge: readonly string[];
  readonly vision: boolean;
  readonly imageDetail: 'low' | 'high';
  /** Empty: documents are searched by words alone. */
  readonly embeddingsModel: string;
  readonly denyPaths: readonly string[];
  readonly reportFile: string;
  readonly sarifFile: string;
  readonly progressFile: string;
  readonly transcriptFile: string;
  readonly pullRequest: number | null;
  readonly config: string;
};

/** By the model's name; '*' is every other model. */
type Pricing = { readonly [model: string]: Price };

/** Kept apart from the settings, so that they are never printed or recorded with them. */
export type Secrets = {
  readonly githubToken: string;
  readonly apiKey: string;
  /** One key per line. */
  readonly stateKey: string;
};

/** What a profile decides. `offline` makes no model call; `follow-up` one per batch without reading tools, and at most one more. */
type Profile = {
  readonly maxIterations: number;
  /** Whether findings are checked in a call of their own. */
  readonly verify: boolean;
  /** Independent reviews of everything. */
  readonly passes: number;
};

export const profiles: { readonly [name in ProfileName]: Profile } = {
  offline: { maxIterations: 0, verify: false, passes: 1 },
  'follow-up': { maxIterations: 0, verify: false, passes: 1 },
  quick: { maxIterations: 3, verify: false, passes: 1 },
  balanced: { maxIterations: 8, verify: true, passes: 1 },
  thorough: { maxIterations: 15, verify: true, passes: 1 },
  deep: { maxIterations: 25, verify: true, passes: 3 },
};

/** Stands for every model without a line of its own. */
const everyModel = '*';

type ParsedPricing = { readonly pricing: Pricing; readonly problems: readonly string[] };

/** Lines such as `input=1.25,cached=0.125,output=10`, US$ per million tokens, each with a model's name and a colon before it or for all models. */
export function parsePricing(lines: readonly string[]): ParsedPricing {
  const pricing = new Map<string, Price>();
  const problems: string[] = [];
  for (const line of lines) {
    const { model = everyModel, parts = '' } = linePattern.exec(line)?.groups ?? {};
    const price = parsePrice(parts);
    if (typeof price === 'string') problems.push(`${JSON.stringify(line)}: ${price}`);
    else pricing.set(model.trim(), price);
  }
  return { pricing: Object.fromEntries(pricing), problems };
}

/** What a model costs; null when no line says it. */
export function priceOf(pricing: Pricing, model: string): Price | null {
  const named = Object.entries(pricing).find(([name]) => name === model);
  return named?.[1] ?? Object.entries(pricing).find(([name]) => name === everyModel)?.[1] ?? null;
}

/** What a model costs by a line of its own: one for all models would be far off for a model of another kind. */
export function ownPriceOf(pricing: Pricing, model: string): Price | null {
  return Object.entries(pricing).find(([name]) => name === model)?.[1] ?? null;
}

// The name of a model may hold a colon itself, as at Ollama.
const linePattern = /^(?:(?<model>.+?)\s*:\s*)?(?<parts>[a-z]+\s*=.*)$/i;
const names = ['input', 'cached', 'output'];

/** A price, or what is wrong with it. */
function parsePrice(text: string): Price | string {
  const parts = new Map<string, number>();
  for (const part of text.split(',')) {
    const { name = '', amount = '' } =
      /^\s*(?<name>[a-z]+)\s*=\s*\$?(?<amount>\d+(?:\.\d+)?|\.\d+)\s*$/i.exec(part)?.groups ?? {};
    if (!names.includes(name.toLowerCase()))
      return `${JSON.stringify(part.trim())} is not input=…, cached=… or output=… with a number`;
    parts.set(name.toLowerCase(), Number(amount));
  }
  const input = parts.get('input');
  const output = parts.get('output');
  if (input === undefined || output === undefined) return 'input=… and output=… are both needed';
  return { input, cached: parts.get('cached') ?? input, output };
}

/**
 * Milliseconds of the clock. At `soft` no new iteration starts and the last calls run; at `hard` everything stops, and the
 * rest of the time is for delivering, to other servers until `delivery` and to files until `end`. Soft is the timeout minus the larger of
 * 60 s and 15 %, or half of a very short one.
 */
export function deadlines(
  startedAt: number,
  timeoutMinutes: number,
): { readonly soft: number; readonly hard: number; readonly delivery: number; readonly end: number } {
  const whole = timeoutMinutes * 60_000;
  const end = startedAt + whole;
  const margin = Math.min(Math.max(60_000, whole * 0.15), whole / 2);
  return { soft: end - margin, hard: end - margin / 3, delivery: end - Math.min(5_000, margin / 10), end };
}
