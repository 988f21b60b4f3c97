import type { Place, PlacedFinding } from '../findings/finding.ts';
import type { Reflection } from './reflect.ts';
import type { Review } from './review.ts';
import type { Verdict } from './verdict.ts';

/** One finding that a sink delivered. */
export type Delivered = { readonly findingId: string; readonly place: Place; readonly url: string | null };

export type Delivery = {
  readonly sink: string;
  readonly status: 'delivered' | 'skipped' | 'refused' | 'failed';
  /** Why it was not delivered, or what a person should know; null when all went well. */
  readonly reason: string | null;
  readonly delivered: readonly Delivered[];
  /** Address of what was written, when it has one. */
  readonly url: string | null;
  /** The commit that was reviewed stands approved by us. */
  readonly approved?: true;
};

/** Publishes findings to people. Does not throw for what a server refuses: that is a `Delivery` with its reason. */
export interface Sink {
  readonly name: string;
  /** It runs after the others, which tell it what they delivered. */
  readonly follows?: true;
  deliver(review: Review, before?: readonly Delivered[]): Promise<Delivery>;
}

/** Runs after the sinks and records what became of it: summary, outputs, report file. */
export interface Recorder {
  readonly name: string;
  record(record: ReviewRecord): Promise<Delivery>;
}

export type ReviewRecord = {
  readonly review: Review;
  readonly placed: readonly PlacedFinding[];
  readonly deliveries: readonly Delivery[];
  /** As far as deliveries are known. */
  readonly verdict: Verdict;
  /** How the model judges the run; null when it was not asked or did not answer. */
  readonly reflection: Reflection | null;
};
