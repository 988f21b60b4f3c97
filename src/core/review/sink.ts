import { type PlacedFinding, places } from '../findings/finding.ts';
import { anyText, exactly, type Infer, listOf, textOrNull } from '../schema.ts';
import type { Reflection } from './reflect.ts';
import type { Review } from './review.ts';
import type { Verdict } from './verdict.ts';

/** One finding that a sink delivered. */
export type Delivered = Delivery['delivered'][number];

const deliveredSchema = exactly({
  findingId: anyText,
  place: { enum: places },
  url: { ...textOrNull, pattern: '^https?://' },
});

export const deliverySchema = exactly({
  sink: anyText,
  status: { enum: ['delivered', 'skipped', 'refused', 'failed'] },
  reason: {
    ...textOrNull,
    description: 'Why it was not delivered, or what a person should know; null when all went well.',
  },
  delivered: listOf(deliveredSchema),
  url: { ...textOrNull, description: 'Address of what was written, when it has one.' },
});

export type Delivery = Infer<typeof deliverySchema> & {
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
