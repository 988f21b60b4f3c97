import type { Finding } from '../../src/core/findings/finding.ts';
import { finding } from '../fakes/review-record.ts';

/** Something that a pull request, or the model that reads it, can multiply. */
export type Growing = {
  readonly name: string;
  /** How many the small input has; the large one has ten times as many. */
  readonly size: number;
  /** Makes an input of a size; what it returns is measured. */
  readonly prepare: (size: number) => () => unknown;
};

export function growing(name: string, size: number, prepare: Growing['prepare']): Growing {
  return { name, size, prepare };
}

/** The time that a text of so many repetitions takes. */
export function growingText(
  name: string,
  { size, part, read }: { readonly size: number; readonly part: string; readonly read: (text: string) => unknown },
): Growing {
  return growing(name, size, (count) => {
    const text = part.repeat(count);
    return () => read(text);
  });
}

export function many<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function counter(): () => string {
  let count = 0;
  return () => `f${++count}`;
}

/** A finding on one line. */
export function findingAt(line: number, changes: Partial<Finding> = {}): Finding {
  const anchor = { kind: 'lines', side: 'RIGHT', startLine: line, endLine: line, quote: 'x' } as const;
  return finding({ id: `f${line}`, title: `Title ${line}`, anchor, ...changes });
}
