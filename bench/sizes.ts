import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.ts';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const promised = { batch: { atMost: 4 }, whole: { atMost: 12 } } as const;

/** What every job of every user downloads. */
export async function sizes(): Promise<readonly Row[]> {
  if (!existsSync(dist)) throw new Error('dist/ is not built yet: run `npm run build`.');
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path, bytes: statSync(join(dist, path)) }))
    .flatMap(({ path, bytes }) => (bytes.isFile() ? [{ path, megabytes: bytes.size / 1_000_000 }] : []));
  const batches = files.filter(({ path }) => /(^|\/)index\.js$/.test(path));
  return [
    ...batches.map(
      ({ path, megabytes }): Row => ({
        measure: `size of dist/${path}`,
        measured: megabytes,
        unit: 'MB',
        promised: promised.batch,
      }),
    ),
    {
      measure: 'size of dist/, maps included',
      measured: files.reduce((sum, { megabytes }) => sum + megabytes, 0),
      unit: 'MB',
      promised: promised.whole,
    },
  ];
}
