import { type PlacedFinding, places } from '../findings/finding.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { messageSchema } from '../messages/message-schema.ts';
import { anyText, exactly, type Infer, listOf, textOrNull } from '../schema.ts';
import { fileOutputs } from '../settings/files.ts';
import type { Reflection } from './reflect.ts';
import type { Review } from './review.ts';
import type { Verdict } from './verdict.ts';

/** Every place that a review goes to, in the order in which they run. */
const stages = {
  /** They publish findings, side by side. */
  publish: ['plan-file', 'review-file', 'pull request review', 'outdated comments'],
  /** So do these, which get the list of what stands where. */
  follow: ['annotations'],
  /** They tell what became of it, one after the other: outputs name the files that were written before. */
  tell: [
    'transcript-file',
    'approval',
    'labels',
    'description',
    'summary comment',
    'check run',
    ...fileOutputs,
    'answer',
    'job summary',
    'outputs',
    'terminal',
  ],
} as const;
type Stage = keyof typeof stages;
export type DestinationName = (typeof stages)[Stage][number];

export const destinationNames: readonly DestinationName[] = [...new Set(Object.values(stages).flat())];

/** Names a destination, in the middle of a sentence. */
export function sinkLabel(sink: DestinationName): Message {
  return isNamed(sink) ? { code: `sink.${sink}` } : verbatim(sink);
}

const namedSinks = [
  'annotations',
  'answer',
  'approval',
  'check run',
  'description',
  'job summary',
  'labels',
  'outdated comments',
  'outputs',
  'pull request review',
  'summary comment',
] as const;

function isNamed(sink: DestinationName): sink is (typeof namedSinks)[number] {
  return namedSinks.some((name) => name === sink);
}

/** A place that the review goes to. */
export interface Destination {
  readonly name: DestinationName;
  /**
   * Gets what became of the review before. Does not throw for what a server does not permit: that is a `Delivery` with its reason. Those that
   * publish get the review as it was composed, the others as its deliveries left it.
   */
  deliver(record: ReviewRecord): Promise<Delivery>;
  /** Called before anything is published, with what will be. Never throws. */
  announce?(record: ReviewRecord): Promise<void>;
  /** What another process needs to write it in this one's place: a path, the format of what is printed, or nothing ('') more than the review. */
  readonly to?: string;
}

/** In their order. */
export function destinationsAt(stage: Stage, destinations: readonly Destination[]): readonly Destination[] {
  const names: readonly DestinationName[] = stages[stage];
  return destinations
    .filter(({ name }) => names.includes(name))
    .toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

/** Whether it brings findings to people; the others tell what became of that. */
export function publishes({ name }: Pick<Destination, 'name'>): boolean {
  const publishing: readonly DestinationName[] = [...stages.publish, ...stages.follow];
  return publishing.includes(name);
}

/** Whether it changes what a review left on the pull request. */
export function isOnPullRequest(one: Pick<Destination, 'name'>): boolean {
  return publishes(one) || ['approval', 'labels', 'description', 'summary comment', 'check run'].includes(one.name);
}

/** The findings that were delivered so far. */
export function deliveredIn({ deliveries }: Pick<ReviewRecord, 'deliveries'>): readonly Delivered[] {
  return deliveries.flatMap(({ delivered }) => delivered);
}

/** One finding that was delivered. */
export type Delivered = Delivery['delivered'][number];

const deliveredSchema = exactly({
  findingId: anyText,
  place: { enum: places },
  url: { ...textOrNull, pattern: '^https?://' },
});

export const deliverySchema = exactly({
  sink: { enum: destinationNames },
  status: { enum: ['delivered', 'skipped', 'refused', 'failed'] },
  reason: listOf(messageSchema, 'Why it was not delivered, or what a person should know; empty when all went well.'),
  delivered: listOf(deliveredSchema),
  url: { ...textOrNull, description: 'Address of what was written, when it has one.' },
});

export type Delivery = Infer<typeof deliverySchema> & {
  /** The commit that was reviewed stands approved by us. */
  readonly approved?: true;
  /** An approval was not given, and the reason begins with why. */
  readonly withheld?: true;
};

/** A delivery that brought no finding anywhere. `reason` is what a person should know. */
export function deliveryOf(
  sink: DestinationName,
  status: Delivery['status'],
  reason: Message | readonly Message[] | null = null,
  url: string | null = null,
): Delivery {
  return { sink, status, reason: messagesOf(reason), delivered: [], url };
}

/** Joins what there is to say; null is nothing. */
export function messagesOf(...parts: readonly (Message | readonly Message[] | null)[]): readonly Message[] {
  return parts.flatMap((part) => part ?? []);
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
