import { explain } from '../errors.ts';
import { type PlacedFinding, places } from '../findings/finding.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { standsApproved } from './facts.ts';
import type { Reflected } from './reflect.ts';
import type { Review } from './review.ts';
import { verdictOf } from './say-verdict.ts';
import { type Delivery, type Destination, destinationsAt, type ReviewRecord, sinkLabel } from './sink.ts';
import type { Gate } from './verdict.ts';

export type Delivering = {
  readonly destinations: readonly Destination[];
  readonly gate: Gate;
  /** Judges the run once its findings are published. */
  readonly reflect?: (review: Review) => Promise<Reflected>;
};

/** Brings the review to its destinations, stage after stage. One that fails says so and the others still deliver. */
export async function deliver(
  review: Review,
  { destinations, gate, reflect }: Delivering,
  onDelivery: (delivery: Delivery) => void,
): Promise<ReviewRecord> {
  const deliveries: Delivery[] = [];
  const bring = async (destination: Destination, record: ReviewRecord) => {
    const delivery = await guarded(destination, record);
    deliveries.push(delivery);
    onDelivery(delivery);
  };
  const planned = { review, placed: review.findings, deliveries: [], reflection: null };
  const record = { ...planned, verdict: verdictOf(planned, gate) };
  if (hasNews(review)) for (const destination of destinations) await destination.announce?.(record);
  for (const stage of ['publish', 'follow'] as const) {
    const verdict = verdictOf({ review, deliveries }, gate);
    const record = { review, placed: review.findings, deliveries: [...deliveries], verdict, reflection: null };
    await Promise.all(destinationsAt(stage, destinations).map((destination) => bring(destination, record)));
  }
  const placed = whereDelivered(review, deliveries);
  const { reflection, metrics } = (await reflect?.(review)) ?? { reflection: null, metrics: review.metrics };
  const recordNow = () => {
    const whole = { ...review, ...saidOf(review, deliveries), metrics };
    return recordOf(whole, { placed, deliveries: [...deliveries], reflection, gate });
  };
  for (const destination of destinationsAt('tell', destinations)) await bring(destination, recordNow());
  return recordNow();
}

/** Whether anything is to be posted that the next round must know of. */
function hasNews({ event, findings }: Review): boolean {
  return (
    event !== 'COMMENT' || findings.some(({ place }) => place === 'inline' || place === 'file' || place === 'body')
  );
}

/** The record of a review, with the verdict that its deliveries leave. */
export function recordOf(
  review: Review,
  { gate, ...told }: Omit<ReviewRecord, 'review' | 'verdict'> & { readonly gate: Gate },
): ReviewRecord {
  const verdict = verdictOf({ review, deliveries: told.deliveries }, gate);
  // What stands on GitHub is the answer, whatever went wrong after it.
  const isPosted = review.event === 'APPROVE' && told.deliveries.some(({ sink }) => sink === 'pull request review');
  const approved = review.approved && (isPosted ? standsApproved(told.deliveries) : verdict.approves);
  const action = review.action === 'APPROVE' && !approved ? 'COMMENT' : review.action;
  return { review: { ...review, approved, action }, ...told, verdict };
}

/** The headline with what could not be delivered, and why an approval is withheld that everything else supports. */
function saidOf(review: Review, deliveries: readonly Delivery[]): Pick<Review, 'headline' | 'withheld'> {
  const refused = review.withheld === null ? whyRefused(review, deliveries) : null;
  const beside = [refused, undelivered(deliveries)].filter((message) => message !== null);
  return { headline: [...review.headline, ...beside], withheld: review.withheld ?? refused };
}

/** Null where GitHub took the approval, or was not asked. */
function whyRefused({ event }: Review, deliveries: readonly Delivery[]): Message | null {
  const told = deliveries.filter(({ sink }) => sink === 'pull request review' || sink === 'approval');
  if (event !== 'APPROVE' || told.length === 0 || standsApproved(deliveries)) return null;
  const why: Message = { code: 'sentences', of: told.flatMap(({ reason }) => reason) };
  return told.some(({ withheld }) => withheld === true) ? why : { code: 'approval.withheld', why };
}

/** What should have been delivered and could not be, in a sentence; null when there is nothing of the kind. */
export function undelivered(deliveries: readonly Delivery[]): Message | null {
  const sinks = deliveries.filter(({ status }) => status === 'failed').map(({ sink }) => sinkLabel(sink));
  return sinks.length === 0 ? null : { code: 'delivery.lost', sinks };
}

async function guarded({ name, deliver }: Destination, record: ReviewRecord): Promise<Delivery> {
  try {
    return await deliver(record);
  } catch (error) {
    return { sink: name, status: 'failed', reason: [verbatim(explain(error))], delivered: [], url: null };
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
function whyNotThere(deliveries: readonly Delivery[]): (findingId: string) => Message | null {
  const others = deliveries
    .filter(({ status }) => status === 'delivered')
    .map(({ reason, delivered }) => ({ reason, ids: new Set(delivered.map((item) => item.findingId)) }));
  return (findingId) => together(others.flatMap(({ reason, ids }) => (ids.has(findingId) ? [] : reason)));
}

function whyNotPosted(deliveries: readonly Delivery[]): Message | null {
  return together(deliveries.filter(({ status }) => status !== 'delivered').flatMap(({ reason }) => reason));
}

function together(of: readonly Message[]): Message | null {
  return of.length === 0 ? null : { code: 'sentences', of };
}
