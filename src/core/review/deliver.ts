import { explain } from '../errors.ts';
import { type PlacedFinding, places } from '../findings/finding.ts';
import { approvalRecorder, reviewSinkName, standsApproved } from './facts.ts';
import type { Reflected } from './reflect.ts';
import type { Review } from './review.ts';
import { verdictOf } from './say-verdict.ts';
import type { Delivery, Recorder, ReviewRecord, Sink } from './sink.ts';
import type { Gate } from './verdict.ts';

/** The name under which a review is handed to the job that posts it. */
export const handOverName = 'review-file';

export type Destinations = {
  readonly sinks: readonly Sink[];
  readonly recorders: readonly Recorder[];
  readonly gate: Gate;
  /** Judges the run once the sinks have delivered. */
  readonly reflect?: (review: Review) => Promise<Reflected>;
};

/**
 * Runs the sinks side by side, then those that follow them, then the recorders with the list of what went where. One that fails says so and the
 * others still deliver.
 */
export async function deliver(
  review: Review,
  to: Destinations,
  onDelivery: (delivery: Delivery) => void,
): Promise<ReviewRecord> {
  const deliveries: Delivery[] = [];
  const keep = (delivery: Delivery) => {
    deliveries.push(delivery);
    onDelivery(delivery);
  };
  const run = async (sinks: readonly Sink[]) => {
    const before = deliveries.flatMap(({ delivered }) => delivered);
    await Promise.all(sinks.map(async (sink) => keep(await guarded(sink.name, () => sink.deliver(review, before)))));
  };
  await run(to.sinks.filter(({ follows }) => follows !== true));
  await run(to.sinks.filter(({ follows }) => follows === true));
  const placed = whereDelivered(review, deliveries);
  const { reflection, metrics } = (await to.reflect?.(review)) ?? { reflection: null, metrics: review.metrics };
  const recordNow = () => {
    const whole = { ...review, ...saidOf(review, deliveries), metrics };
    return recordOf(whole, { placed, deliveries: [...deliveries], reflection, gate: to.gate });
  };
  // Each recorder knows what the ones before it did: outputs name the report that was written.
  for (const recorder of to.recorders) keep(await guarded(recorder.name, () => recorder.record(recordNow())));
  return recordNow();
}

/** The record of a review, with the verdict that its deliveries leave. */
export function recordOf(
  review: Review,
  { gate, ...told }: Omit<ReviewRecord, 'review' | 'verdict'> & { readonly gate: Gate },
): ReviewRecord {
  const verdict = verdictOf({ review, deliveries: told.deliveries }, gate);
  // What stands on GitHub is the answer, whatever went wrong after it.
  const isPosted = review.event === 'APPROVE' && told.deliveries.some(({ sink }) => sink === reviewSinkName);
  const approved = review.approved && (isPosted ? standsApproved(told.deliveries) : verdict.approves);
  const action = review.action === 'APPROVE' && !approved ? 'COMMENT' : review.action;
  return { review: { ...review, approved, action }, ...told, verdict };
}

/** The headline with what could not be delivered, and why an approval is withheld that everything else supports. */
function saidOf(review: Review, deliveries: readonly Delivery[]): Pick<Review, 'headline' | 'withheld'> {
  const refused = review.withheld === null ? whyRefused(review, deliveries) : null;
  const sentences = [review.headline, refused, undelivered(deliveries)];
  return {
    headline: sentences.filter((sentence) => sentence !== null).join(' '),
    withheld: review.withheld ?? refused,
  };
}

/** Null where GitHub took the approval, or was not asked. */
function whyRefused({ event }: Review, deliveries: readonly Delivery[]): string | null {
  const told = deliveries.filter(({ sink }) => sink === reviewSinkName || sink === approvalRecorder);
  if (event !== 'APPROVE' || told.length === 0 || standsApproved(deliveries)) return null;
  const why = told.flatMap(({ reason }) => reason ?? []).join(' ');
  return why.startsWith(notApproved) ? why : `${notApproved} ${why}`;
}

const notApproved = 'Not approved:';

/** What should have been delivered and could not be, in a sentence; null when there is nothing of the kind. */
export function undelivered(deliveries: readonly Delivery[]): string | null {
  const names = deliveries.filter(({ status }) => status === 'failed').map(({ sink }) => sink);
  return names.length === 0 ? null : `Not delivered: ${names.join(', ')}.`;
}

async function guarded(sink: string, run: () => Promise<Delivery>): Promise<Delivery> {
  try {
    return await run();
  } catch (error) {
    return { sink, status: 'failed', reason: explain(error), delivered: [], url: null };
  }
}

/** Every finding once, at the best place where it was delivered; what an earlier comment says stays there. What no sink took is in the summary. */
export function whereDelivered(review: Review, deliveries: readonly Delivery[]): readonly PlacedFinding[] {
  const best = bestPlaces(deliveries);
  const notThere = whyNotThere(deliveries);
  return review.findings.map((planned) => {
    const { id, place, reason, life } = planned;
    if (place === 'suppressed') return planned;
    const at = best.get(id);
    // What came back is posted anew where its thread cannot be opened again.
    const isAnew = life === 'returned' && at?.place !== 'annotation';
    if (place === 'standing')
      return at === undefined || !isAnew ? planned : { ...planned, place: at.place, url: at.url };
    if (at === undefined) return { ...planned, place: 'summary', reason: reason ?? whyNotPosted(deliveries) };
    const worse = places.indexOf(at.place) > places.indexOf(place);
    return { ...planned, place: at.place, reason: reason ?? (worse ? notThere(id) : null), url: at.url };
  });
}

type Delivered = Delivery['delivered'][number];

/** The best place of each finding, by its id. */
function bestPlaces(deliveries: readonly Delivery[]): ReadonlyMap<string, Delivered> {
  const best = new Map<string, Delivered>();
  for (const item of deliveries.flatMap((delivery) => delivery.delivered)) {
    const known = best.get(item.findingId);
    if (known === undefined || places.indexOf(item.place) < places.indexOf(known.place)) best.set(item.findingId, item);
  }
  return best;
}

/** What a sink that delivered others says of this one. A sink that delivered nothing is reported once, not at every finding. */
function whyNotThere(deliveries: readonly Delivery[]): (findingId: string) => string | null {
  const others = deliveries
    .filter(({ status }) => status === 'delivered')
    .map(({ reason, delivered }) => ({ reason, ids: new Set(delivered.map((item) => item.findingId)) }));
  return (findingId) =>
    others.flatMap(({ reason, ids }) => (ids.has(findingId) ? [] : (reason ?? []))).join(' ') || null;
}

function whyNotPosted(deliveries: readonly Delivery[]): string | null {
  const reasons = deliveries
    .filter((delivery) => delivery.status !== 'delivered')
    .flatMap((delivery) => delivery.reason ?? []);
  return reasons.length === 0 ? null : reasons.join(' ');
}
