import { hasEnded, lifeOfAll } from './life.ts';
import type { Readings } from './receipts.ts';
import { type KnownFinding, type State, withReceipts } from './state.ts';

/**
 * What two runs at once know together: findings by their ids, of one that both know the worse state, and receipts, each with the findings of its own
 * reading. Head, words and settings are those of `ours`.
 */
export function joinStates(ours: State, theirs: State): State {
  const findings = new Map(theirs.findings.map((finding) => [finding.id, finding]));
  for (const finding of ours.findings) {
    const other = findings.get(finding.id);
    findings.set(finding.id, other === undefined || !isWorse(other, finding) ? finding : other);
  }
  const all = [...findings.values()].toSorted((one, other) => Number(isOver(one)) - Number(isOver(other)));
  const { readings, ...rest } = ours;
  const joined = { ...rest, findings: all, beyond: ours.beyond.length > 0 ? ours.beyond : theirs.beyond };
  const receipts =
    readings === undefined || theirs.readings === undefined ? readings : joinReadings(readings, theirs.readings);
  return {
    ...joined,
    number: Math.max(ours.number, theirs.number + 1),
    reviews: Math.max(ours.reviews, theirs.reviews),
    twins: [...new Set([...(ours.twins ?? []), ...(theirs.twins ?? [])])],
    ...(receipts === undefined ? {} : { readings: receipts }),
  };
}

function isOver({ places }: KnownFinding): boolean {
  return hasEnded(lifeOfAll(places.map(({ life }) => life)));
}

const bestLast = ['returned', 'open', 'changed', 'withdrawn', 'declined', 'fixed', 'gone'] as const;

function isWorse(one: KnownFinding, other: KnownFinding): boolean {
  const rank = ({ places }: KnownFinding) => bestLast.indexOf(lifeOfAll(places.map(({ life }) => life)));
  return rank(one) < rank(other);
}

function joinReadings(ours: Readings, theirs: Readings): Readings {
  if (ours.basis !== theirs.basis) return ours;
  const known = new Set(ours.receipts.map(({ key }) => key));
  const others = theirs.receipts.filter(({ key }) => !known.has(key));
  const read = [...new Set([...ours.read, ...theirs.read])];
  const place = new Map(read.map((seal, index) => [seal, index]));
  const moved = theirs.conversations.map((each) => each.flatMap((index) => place.get(theirs.read[index] ?? '') ?? []));
  const receipts = [
    ...ours.receipts,
    ...others.map((one) => ({ ...one, conversation: one.conversation + ours.conversations.length })),
  ];
  return withReceipts({ ...ours, receipts, read, conversations: [...ours.conversations, ...moved] }, receipts);
}
