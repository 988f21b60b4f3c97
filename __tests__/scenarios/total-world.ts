import type { WorldOptions } from '../fakes/world/create-world.ts';

const before = `/** Sum of all prices, in cents. */
export function total(prices: readonly number[]): number {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}
`;

/** Reads one past the end. */
export const wrongLine = '  for (let i = 0; i <= prices.length; i += 1) sum += prices[i] ?? Number.NaN;';

/** The line that `wrongLine` is on, at head. */
export const wrongLineNumber = 4;

/** One changed file with one true defect. */
export const totalWorld = {
  base: { 'src/total.ts': before, 'README.md': '# Spoon\n' },
  head: { 'src/total.ts': before.replace('  for (const price of prices) sum += price;', wrongLine) },
} as const satisfies WorldOptions;

/** What a good reviewer says of it. */
export const wrongLineFinding = {
  path: 'src/total.ts',
  quote: wrongLine,
  title: 'The loop reads one past the end',
  review: 'With `<=` the last round reads `prices[prices.length]`, so every total is `NaN`.',
  severity: 'critical',
} as const;
