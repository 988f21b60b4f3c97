import type { Funds } from './budget.ts';
import type { AgentEvent, StopReason } from './event.ts';
import type { ImagePart, Message } from './message.ts';
import type { AgentMetrics, Meter } from './meter.ts';
import type { Model, Price } from './model.ts';
import type { FinishingTool, Tool } from './tool.ts';
/** Everything that one run of the loop needs, handed in. */
export type Agent = {
  readonly model: Model;
  /** Reading tools, in the order that the model sees. Without any, the run is its last call alone. */
  readonly tools: readonly Tool[];
  readonly finish: FinishingTool;
  readonly policy: Policy;
  /** Of the model; null when it is not known: then cost is not counted. */
  readonly price: Price | null;
  /** Of the whole run, shared by all that go on at once, or a share of it. */
  readonly budget: Funds;
  /** Counts what this run takes along with those before and beside it. */
  readonly meter: Meter;
  readonly limits: AgentLimits;
  readonly clock: Clock;
  /** 0 inclusive to 1 exclusive; spreads the retries. */
  readonly random: () => number;
  readonly emit: (event: AgentEvent) => void;
  /** What its requests are recorded under. */
  readonly conversation?: string;
  readonly estimateTokens: (text: string) => number;
  /** Cancels the run: no further model call starts. */
  readonly signal: AbortSignal;
  /** True for a text that announces work instead of doing it: the model is then asked once more. */
  readonly isUnfinished?: (text: string) => boolean;
  /** Called with the images that an answered call had before it: what was removed or refused before is not among them. */
  readonly onImagesSeen?: (images: readonly ImagePart[]) => void;
};

export type AgentLimits = {
  /** Iterations: answered model calls that offered a reading tool. */
  readonly maxSteps: number;
  /** Tokens that the model may write in an iteration. */
  readonly stepOutputTokens: number;
  /** Tokens that the model may write in a last call and in an extraction. */
  readonly lastOutputTokens: number;
  /** Longest time for one attempt of one call. */
  readonly callMilliseconds: number;
};

export type AgentRun = {
  /** The whole history: every tool call in it has exactly one answer. */
  readonly messages: readonly Message[];
  /** A limit stays the reason when the last call delivered: see `submitted`. */
  readonly stop: StopReason;
  /** True when the finishing tool accepted. */
  readonly submitted: boolean;
  /** The last answer that was text without tool calls. Untrusted. */
  readonly text: string | null;
  /** Of this conversation alone. */
  readonly metrics: AgentMetrics;
};

export type PolicyDecision =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      /** After `calls` no later call can be allowed either: the run goes to its last call. `policy`: it could not decide, or allows nothing. */
      readonly because: 'path' | 'calls' | 'policy';
      /** Goes to the model. */
      readonly reason: string;
    };

/** Asked before every tool call, with the path that the call names; null where it names none. One that throws denies. */
export type Policy = (path: string | null) => PolicyDecision;

/** Time as the loop sees it. Milliseconds; the origin does not matter, but a budget's deadlines share it. */
export type Clock = {
  now(): number;
  /** Resolves after `milliseconds`, or as soon as the signal aborts. Never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
};
