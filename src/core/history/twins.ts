import { overlaps } from '../findings/similarity.ts';
import { hasEnded, isOpen } from './life.ts';
import { isAlike } from './match.ts';
import { type Memory, type PriorFinding, pathNow } from './memory.ts';

/**
 * Findings that two runs at once made of one: the older thread stays, and the other one is closed. What ended and stands as another finding does not
 * come back.
 */
export function withoutTwins(
  all: readonly PriorFinding[],
): Pick<Memory, 'prior'> & { readonly twins: readonly PriorFinding[] } {
  const standing = all
    .filter((one) => mayCount(one) && isOpen(one.life))
    .toSorted((one, other) => ageOf(one) - ageOf(other));
  const twins = new Set<string>();
  for (const [index, one] of standing.entries()) {
    const isTwin = standing.slice(0, index).some((other) => !twins.has(other.mark.id) && isMadeTwice(one, other));
    if (isTwin) twins.add(one.mark.id);
  }
  const isEcho = (one: PriorFinding) =>
    mayCount(one) && hasEnded(one.life) && standing.some((other) => isSame(one, other));
  return {
    prior: all
      .filter((one) => !one.signed || !twins.has(one.mark.id))
      .map((one) => (isEcho(one) ? { ...one, present: { kind: 'gone' }, isBack: false } : one)),
    twins: all.filter((one) => one.signed && twins.has(one.mark.id)),
  };
}

/** Who names two things on one line means two: it takes two runs to make one twice. */
function isMadeTwice(one: PriorFinding, other: PriorFinding): boolean {
  const isOne = one.mark.id === other.mark.id || one.mark.run === other.mark.run;
  return !isOne && isSame(one, other);
}

function mayCount(one: PriorFinding): boolean {
  return one.signed && !one.declined && one.present.kind === 'here';
}

function ageOf({ held }: PriorFinding): number {
  return held.in === 'thread' ? (held.comment.restId ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
}

function isSame(one: PriorFinding, other: PriorFinding): boolean {
  if (one.present.kind !== 'here' || other.present.kind !== 'here' || pathNow(one) !== pathNow(other)) return false;
  return overlaps(one.present.anchor, other.present.anchor) && isAlike(one.mark, other.mark);
}
