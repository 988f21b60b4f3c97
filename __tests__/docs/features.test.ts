import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { actionInputs } from '../../scripts/action-inputs.ts';

const root = new URL('../../', import.meta.url);
const short: Readonly<Record<string, string>> = {
  's/': '__tests__/scenarios/',
  'c/': '__tests__/core/',
  'a/': '__tests__/adapters/',
};

it('every path in the table of origins exists, and every feature has a proof', () => {
  const rows = readFileSync(new URL('docs/origins.md', root), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| feature'));
  const paths = rows.flatMap((row) => [...row.matchAll(/`([\w@.-]+\/[\w@./-]*)`/g)].map(([, path]) => path ?? ''));
  const whole = paths.map((path) => path.replace(/^[sca]\//, (start) => short[start] ?? start));
  expect(whole.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  expect(rows.filter((row) => !/\.test\.ts`|`npm run bench /.test(row))).toEqual([]);
  expect(rows.length).toBeGreaterThan(40);
});

it('the table of features sets inputs that exist', () => {
  const names = Object.keys(actionInputs());
  const rows = readFileSync(new URL('docs/features.md', root), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const set = rows.flatMap((row) =>
    [...(row.split(' | ').at(-1) ?? '').matchAll(/`([a-z-]+):[ [][^`]*`/g)].map(([, name]) => name ?? ''),
  );
  expect([set.length > 15, set.filter((name) => !names.includes(name))]).toEqual([true, []]);
});
