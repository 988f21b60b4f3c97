import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const short: Readonly<Record<string, string>> = {
  's/': '__tests__/scenarios/',
  'c/': '__tests__/core/',
  'a/': '__tests__/adapters/',
};

it('every path in the table of features exists, and every feature has a proof', () => {
  const rows = readFileSync(new URL('docs/features.md', root), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| feature'));
  const paths = rows.flatMap((row) => [...row.matchAll(/`([\w@.-]+\/[\w@./-]*)`/g)].map(([, path]) => path ?? ''));
  const whole = paths.map((path) => path.replace(/^[sca]\//, (start) => short[start] ?? start));
  expect(whole.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  expect(rows.filter((row) => !/\.test\.ts`|`npm run bench /.test(row))).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});
