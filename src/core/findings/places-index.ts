import type { Anchor } from './finding.ts';
import { limits } from './limits.ts';

type Placed = { readonly path: string; readonly anchor: Anchor };

/**
 * What may be at the same place as something else, in the order that it was given: to compare thousands of findings with each other would take
 * the square of their number. At most `limits.samePlace` at one line, and of a file as a whole.
 */
export function placesIndex<T>(
  items: readonly T[],
  placeOf: (item: T) => Placed | null,
): (place: Placed) => readonly T[] {
  const byLine = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const place = placeOf(item);
    for (const key of place === null ? [] : keysOf(place)) {
      const known = byLine.get(key) ?? [];
      byLine.set(key, known);
      if (known.length < limits.samePlace) known.push(index);
    }
  }
  return (place) => {
    const found = new Set<number>();
    for (const key of keysOf(place)) for (const index of byLine.get(key) ?? []) found.add(index);
    const inOrder = [...found].sort((one, other) => one - other);
    return inOrder.flatMap((index) => items.slice(index, index + 1));
  };
}

/** Lines that differ in less than this share a key, so that a place of many lines has few. */
const linesAKey = 32;

function* keysOf({ path, anchor }: Placed): Generator<string> {
  if (anchor.kind === 'file') {
    yield path;
    return;
  }
  const first = Math.floor(anchor.startLine / linesAKey);
  const last = Math.min(Math.floor(anchor.endLine / linesAKey), first + limits.placeLines / linesAKey);
  for (let block = first; block <= last; block += 1) yield `${anchor.side} ${block} ${path}`;
}
