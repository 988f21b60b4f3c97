import { minHidden } from '../repository/hide-values.ts';
import type { AddedRun } from './added-runs.ts';
import type { CodeParts } from './code-parts.ts';
import type { ScopedRule } from './line-matcher.ts';
import { masked } from './mask.ts';
import type { CapturedSecret } from './pattern.ts';

export type RunMatch = {
  /** Of its first line in the run. */
  readonly offset: number;
  /** Lines. */
  readonly count: number;
  /** The credentials in it, line by line. */
  readonly secrets: readonly CapturedSecret[];
};

/** Where a rule matches in a run of lines: at most once a line. */
export function matchRun(
  run: AddedRun,
  { rule, find }: Pick<ScopedRule, 'rule' | 'find'>,
  parts: CodeParts | null,
): readonly RunMatch[] {
  const lines = visibleLines(run, { skip: rule.skip, parts });
  const byLine = new Map<
    number,
    { readonly offset: number; readonly count: number; readonly secrets: CapturedSecret[] }
  >();
  const offsetOf = offsets(lines);
  for (const { start, end, secret } of find(lines.join('\n'))) {
    const offset = offsetOf(start);
    const known = byLine.get(offset) ?? { offset, count: 1, secrets: [] };
    const count = Math.max(known.count, offsetOf(Math.max(start, end - 1)) - offset + 1);
    known.secrets.push(...linesOfSecret(secret));
    byLine.set(offset, { offset, count, secrets: known.secrets });
  }
  return [...byLine.values()];
}

type Seeing = { readonly skip: ScopedRule['rule']['skip']; readonly parts: CodeParts | null };

/** The lines without what the rule skips. */
function visibleLines({ lines, line }: AddedRun, { skip, parts }: Seeing): readonly string[] {
  if (parts === null || skip.length === 0) return lines;
  return lines.map((text, offset) => masked(text, parts(line + offset), skip));
}

/** The line that a character of the joined lines stands in; asked by halving. */
function offsets(lines: readonly string[]): (character: number) => number {
  const starts: number[] = [];
  let start = 0;
  for (const { length } of lines) {
    starts.push(start);
    start += length + 1;
  }
  return (character) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= character) low = middle;
      else high = middle - 1;
    }
    return low;
  };
}

function linesOfSecret(secret: CapturedSecret | null): readonly CapturedSecret[] {
  if (secret === null) return [];
  return secret.value
    .split('\n')
    .map((line) => ({ ...secret, value: line.trim() }))
    .filter(({ value }) => value.length >= minHidden);
}
