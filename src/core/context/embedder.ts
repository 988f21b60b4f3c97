import type { Usage } from '../agent/usage.ts';

/** A direction in signed bytes: scaled so that the largest component is 127. A quarter of the size, and as good to compare by. */
export type Vector = Int8Array;

export type Embedded = {
  /** One for each text, in their order. */
  readonly vectors: readonly Vector[];
  /** Null when the server did not report it. */
  readonly usage: Usage | null;
};

/** Turns texts into vectors that lie near each other when the texts mean alike. One request, one attempt. */
export interface Embedder {
  /** @throws ModelError for everything that a server or the connection can do wrong, an answer that cannot be used too. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

/** Null for what has no direction: nothing, zeros, or what is no number. */
export function vectorOf(components: readonly number[]): Vector | null {
  const largest = components.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  if (!Number.isFinite(largest) || largest === 0 || components.some(Number.isNaN)) return null;
  return Int8Array.from(components, (each) => Math.round((each / largest) * 127));
}

/** The cosine of the angle between two vectors of the same length: 1 for the same direction. */
export function similarity(one: Vector, other: Vector): number {
  let product = 0;
  let length = 0;
  let otherLength = 0;
  for (let at = 0; at < one.length; at += 1) {
    const [a, b] = [one[at] ?? 0, other[at] ?? 0];
    product += a * b;
    length += a * a;
    otherLength += b * b;
  }
  return product === 0 ? 0 : product / Math.sqrt(length * otherLength);
}
