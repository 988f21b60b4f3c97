import type { Severity } from './severity.ts';

export const profileNames = ['offline', 'quick', 'balanced', 'thorough', 'deep'] as const;
export type ProfileName = (typeof profileNames)[number];

/** Everything that decides a review, apart from secrets. Printed, recorded, compared between runs. */
export type Settings = {
  readonly model: string;
  readonly baseUrl: string;
  readonly api: 'auto' | 'responses' | 'chat';
  readonly profile: ProfileName;
  /** Iterations a bundle; the profile's number already applied. */
  readonly maxIterations: number;
  /** Output tokens a call; null means by API and phase. */
  readonly maxTokens: number | null;
  readonly maxTotalTokens: number;
  readonly timeoutMinutes: number;
  /** Null: 0.2 on Chat Completions to hosts other than OpenAI's, else not sent. */
  readonly temperature: number | null;
  readonly concurrency: number;
  readonly filesPerBatch: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly skipAuthors: readonly string[];
  readonly reviewDrafts: boolean;
  readonly minSeverity: Severity;
  readonly minConfidence: number;
  readonly maxComments: number;
  readonly failOn: 'never' | Severity;
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
  readonly denyPaths: readonly string[];
  readonly reportFile: string;
  readonly sarifFile: string;
  readonly progressFile: string;
  readonly pullRequest: number | null;
  readonly config: string;
};

/** Kept apart from the settings, so that they are never printed or recorded with them. */
export type Secrets = { readonly githubToken: string; readonly apiKey: string };
