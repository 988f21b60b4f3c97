import { overlaps } from '../findings/similarity.ts';
import { hasEnded, isOpen } from './life.ts';
import type { MarkedLines } from './mark.ts';
import { isAlike } from './match.ts';
import { findingId, type Memory, type PriorFinding, pathNow } from './memory.ts';

/**
 * Findings that two runs at once made of one: the older thread stays, and the other one is closed, unless it holds another place, too. What ended and
 * stands as another finding, or comes back as an older one, does not come back.
 */
export function withoutTwins(
  all: readonly PriorFinding[],
): Pick<Memory, 'prior'> & { readonly twins: readonly PriorFinding[] } {
  const oldestFirst = all.filter(mayCount).toSorted((one, other) => ageOf(one) - ageOf(other));
  const standing = oldestFirst.filter(({ life }) => isOpen(life));
  const doubles = new Set<PriorFinding>();
  for (const [index, one] of standing.entries()) {
    if (standing.slice(0, index).some((other) => !doubles.has(other) && isMadeTwice(one, other))) doubles.add(one);
  }
  const left = new Set(all.filter((one) => isOpen(one.life) && !doubles.has(one)).map(findingId));
  const twins = new Set([...doubles].map(findingId).filter((id) => !left.has(id)));
  const isTwin = (one: PriorFinding) => one.signed && twins.has(findingId(one));
  const ended = oldestFirst.filter(({ life }) => hasEnded(life));
  const echoes = new Set(
    ended.filter((one, index) => [...standing, ...ended.slice(0, index)].some((other) => meets(one, other))),
  );
  return {
    prior: all
      .filter((one) => !doubles.has(one) && !isTwin(one))
      .map((one) => (echoes.has(one) ? { ...one, present: { kind: 'gone' }, isBack: false } : one)),
    twins: all.filter(isTwin),
  };
}

/** Who names two things on one line means two: it takes two runs to make one twice. */
function isMadeTwice(one: PriorFinding, other: PriorFinding): boolean {
  const isOne = one.mark.id === other.mark.id || one.mark.run === other.mark.run;
  return !isOne && isSame(one, other);
}

function mayCount({ signed, declined }: PriorFinding): boolean {
  return signed && !declined;
}

function ageOf({ held }: PriorFinding): number {
  return held.in === 'thread' ? (held.comment.restId ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
}

function isSame(one: PriorFinding, other: PriorFinding): boolean {
  return meets(one, other) || (wasMadeAtOnePlace(one, other) && isAlike(one.mark, other.mark));
}

function meets(one: PriorFinding, other: PriorFinding): boolean {
  return isAtOnePlace(one, other) && isAlike(one.mark, other.mark);
}

function isAtOnePlace(one: PriorFinding, other: PriorFinding): boolean {
  if (one.present.kind !== 'here' || other.present.kind !== 'here') return false;
  return pathNow(one) === pathNow(other) && overlaps(one.present.anchor, other.present.anchor);
}

/** Both counted at one commit: the lines may be gone since. */
function wasMadeAtOnePlace({ mark: one }: PriorFinding, { mark: other }: PriorFinding): boolean {
  if (one.commit !== other.commit || one.path !== other.path) return false;
  if (one.lines === null || other.lines === null) return one.lines === other.lines;
  return overlaps(anchorOf(one.lines), anchorOf(other.lines));
}

function anchorOf({ side, startLine, endLine }: MarkedLines) {
  return { kind: 'lines', side, startLine, endLine, quote: '' } as const;
}
