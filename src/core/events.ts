import type { AgentEvent } from './agent/event.ts';
import type { AgentMetrics } from './agent/meter.ts';
import type { PlacedFinding, SuppressedBy } from './findings/finding.ts';
import type { Message } from './messages/message.ts';
import type { RunEstimate, SkippedFile } from './review/review.ts';
import type { Delivery } from './review/sink.ts';
import type { Outcome } from './review/verdict.ts';
import type { Severity } from './settings/setting.ts';

/** What a model's server makes us change, or a person. */
export type ModelStep =
  | 'without-images'
  | 'responses-api'
  | 'chat-completions'
  | 'reasoning-none'
  | 'no-reasoning-effort'
  | 'no-stream-usage'
  | 'no-stream'
  | 'fewer-output-tokens'
  | 'max-tokens'
  | 'no-temperature'
  | 'no-parallel-calls'
  | 'no-cache-breakpoint'
  | 'no-cache-key'
  | 'no-encrypted-reasoning'
  | 'plain-replay'
  | 'no-store'
  | 'no-strict'
  | 'loose-schemas'
  | 'text-calls'
  | 'free-choice'
  | 'cut-prompt';

/** What a run tells while it goes on. Text in it may come from the model or the pull request: reporters neutralise it. */
export type ReviewEvent =
  | {
      readonly type: 'review-start';
      readonly version: string;
      readonly model: string | null;
      readonly profile: string;
      readonly subject: string;
      /** True where another job has reviewed it. */
      readonly posting?: boolean | undefined;
      /** True where a comment is answered. */
      readonly answering?: boolean | undefined;
      /** True where other jobs review it. */
      readonly planning?: boolean | undefined;
      /** The part that this job reviews, such as `3/8`. */
      readonly shard?: string | undefined;
    }
  | { readonly type: 'note' | 'warning'; readonly text: string }
  | {
      readonly type: 'files-select';
      readonly kept: readonly string[];
      readonly skipped: readonly SkippedFile[];
      /** Not left out by the workflow, yet not read. */
      readonly unread: readonly SkippedFile[];
      readonly changedLines: number;
    }
  | { readonly type: 'batches-plan'; readonly batches: readonly BatchPlanLine[] }
  /** Before the first model call. */
  | (RunEstimate & {
      readonly type: 'run-estimate';
      readonly maxTotalTokens: number;
      readonly maxCost: number | null;
    })
  /** Before the first model call, when a limit may leave some out: the most valuable come first. */
  | {
      readonly type: 'shares-plan';
      readonly batches: number;
      /** So many of the first are sure of their share. */
      readonly sure: number;
      /** So many start when each takes what is usual. */
      readonly likely: number;
      readonly limit: 'tokens' | 'cost';
    }
  /** Batches that never started, for one reason. */
  | { readonly type: 'batches-skip'; readonly count: number; readonly of: number; readonly sentence: string }
  /** After the last one. */
  | {
      readonly type: 'run-bill';
      readonly metrics: AgentMetrics;
      readonly maxTotalTokens: number;
      readonly maxCost: number | null;
      /** Since the run began. */
      readonly milliseconds: number;
    }
  | {
      readonly type: 'finding-dismiss';
      readonly batch: string;
      readonly id: string;
      readonly title: string;
      readonly place: string;
      readonly reason: string;
      readonly by: SuppressedBy;
    }
  | {
      readonly type: 'verification-end';
      readonly batch: string;
      readonly confirmed: number;
      /** Disproved. */
      readonly dismissed: number;
      /** True, and older than the change. */
      readonly already: number;
      readonly adjusted: number;
      readonly note: string | null;
    }
  | {
      readonly type: 'reflection-end';
      readonly confidence: number;
      readonly quality: number;
      readonly issues: readonly string[];
    }
  /** The names of these three are what other programs read in the progress file. */
  | {
      readonly type: 'follow_up_requested' | 'follow_up_refused';
      readonly batch: string;
      readonly file: string;
      /** Such as `10-25`. */
      readonly lines: string;
      readonly reason: string;
    }
  | {
      readonly type: 'follow_up_complete';
      readonly batch: string;
      readonly issues_confirmed: number;
      readonly issues_removed: number;
      readonly issues_added: number;
      /** Input and output of the second call. */
      readonly extra_tokens: number;
    }
  | { readonly type: 'batch-start'; readonly batch: string }
  | { readonly type: 'agent-event'; readonly batch: string; readonly event: AgentEvent }
  | {
      readonly type: 'finding-accept';
      readonly batch: string;
      /** As the report has it. */
      readonly id: string;
      readonly title: string;
      readonly place: string;
      readonly severity: string;
    }
  | {
      readonly type: 'finding-refuse';
      readonly batch: string;
      readonly title: string;
      readonly path: string;
      readonly reason: string;
    }
  | {
      readonly type: 'batch-end';
      readonly batch: string;
      readonly sentence: string;
      readonly result: Message;
      readonly findings: number;
    }
  | { readonly type: 'model-adjust'; readonly step: ModelStep; readonly change: string; readonly because: string }
  | { readonly type: 'delivery-end'; readonly delivery: Delivery }
  /** What the review comes to, most important first: what people declined is not among it. */
  | { readonly type: 'findings-list'; readonly findings: readonly ListedFinding[] }
  /** After everything was delivered: how many findings stand where. */
  | {
      readonly type: 'findings-post';
      readonly places: { readonly [place in PlacedFinding['place']]?: number };
      /** Of what was posted; null when nothing was. */
      readonly url: string | null;
    }
  | {
      readonly type: 'review-end';
      readonly outcome: Outcome;
      readonly headline: string;
      readonly milliseconds: number;
    };

type ListedFinding = {
  readonly title: string;
  /** Such as `src/a.ts:4`. */
  readonly place: string;
  readonly severity: Severity;
  /** Raised by an earlier run. */
  readonly standing: boolean;
  /** Whether its lines changed unchecked, or it was fixed and came back. */
  readonly life?: 'changed' | 'returned';
};

type BatchPlanLine = {
  readonly name: string;
  readonly paths: readonly string[];
  readonly estimatedTokens: number;
};

/** Events go in, log lines or nothing come out. A reporter never throws. */
export type Reporter = (event: ReviewEvent) => void;

/** One reporter that tells all of them. It never throws: what one cannot write must not stop the review or the others. */
export function combineReporters(...reporters: readonly Reporter[]): Reporter {
  return (event) => {
    for (const report of reporters) tell(report, event);
  };
}

function tell(report: Reporter, event: ReviewEvent): void {
  try {
    report(event);
  } catch {
    // A reporter promises not to throw, and a review is worth more than its log.
  }
}
