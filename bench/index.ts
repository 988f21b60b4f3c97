/** Prints the numbers that Postil is held to beside the measured ones. `node bench/index.ts start sizes` runs those alone; packages for `context` are kept in `--cache=<folder>`. */
import { availableParallelism, loadavg } from 'node:os';
import { resolve } from 'node:path';
import { batches } from './batches.ts';
import { context } from './context.ts';
import { followUp } from './follow-up.ts';
import { growth } from './growth.ts';
import { latency } from './latency.ts';
import { plan } from './plan.ts';
import { posting } from './posting.ts';
import { prefix } from './prefix.ts';
import { qualityPlanted } from './quality-planted.ts';
import { receipts } from './receipts.ts';
import { round } from './round.ts';
import { type Row, verdictOf } from './row.ts';
import { scale } from './scale.ts';
import { search } from './search.ts';
import { sizes } from './sizes.ts';
import { start } from './start.ts';
import { renderTable } from './table.ts';
import { tokens } from './tokens.ts';

const measures: ReadonlyMap<string, () => Promise<readonly Row[]>> = new Map([
  ['start', start],
  ['round', round],
  ['batches', batches],
  ['latency', latency],
  ['plan', plan],
  ['scale', scale],
  ['growth', growth],
  ['receipts', receipts],
  ['search', search],
  ['tokens', tokens],
  ['prefix', prefix],
  ['context', context],
  ['follow-up', followUp],
  ['posting', posting],
  ['quality-planted', qualityPlanted],
  ['sizes', sizes],
]);

const words = process.argv.slice(2);
const cache = words.find((word) => word.startsWith('--cache='))?.slice('--cache='.length);
if (cache !== undefined) process.env['POSTIL_BENCH_CACHE'] = resolve(cache);
process.exitCode = await bench(words.filter((word) => !word.startsWith('--cache=')));

/** The exit code: 0 when every promise is kept, 1 when one is broken, 2 for a name that is no measure. */
async function bench(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !measures.has(name));
  if (unknown.length > 0) {
    console.error(`${unknown.join(', ')}: no such measure. There are ${[...measures.keys()].join(', ')}.`);
    return 2;
  }
  const rows: Row[] = [];
  for (const [name, measure] of measures) {
    if (names.length > 0 && !names.includes(name)) continue;
    console.error(`${name} …`);
    rows.push(...(await measure()));
  }
  const load = loadavg()[0]?.toFixed(1);
  console.log(`Node ${process.version}, ${availableParallelism()} cores, load ${load}\n\n${renderTable(rows)}`);
  return rows.some((row) => verdictOf(row) === 'no') ? 1 : 0;
}
