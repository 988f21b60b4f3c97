import type { Price } from '../agent/price.ts';
import type { FileKindName } from '../pull-request/unreviewable.ts';
import type { PathInstruction } from './path-instructions.ts';
import type { Severity } from './severity.ts';

export const profileNames = ['offline', 'follow-up', 'quick', 'balanced', 'thorough', 'deep'] as const;
export type ProfileName = (typeof profileNames)[number];

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
export type Pricing = { readonly [model: string]: Price };

/** Kept apart from the settings, so that they are never printed or recorded with them. */
export type Secrets = {
  readonly githubToken: string;
  readonly apiKey: string;
  /** One key per line. */
  readonly stateKey: string;
};
