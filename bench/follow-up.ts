import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './row.ts';

/** Cora's issue 117 promised that few reviews need a second look. */
const promised = { atMost: 30 } as const;

/**
 * The share of reviews in which the model asked for lines, over recorded runs with profile `follow-up`: progress files (`progress-file`) in the folder
 * that `POSTIL_RECORDED_RUNS` names. Only a real model's runs say something, so nothing is measured without them.
 */
export async function followUp(): Promise<readonly Row[]> {
  const folder = process.env['POSTIL_RECORDED_RUNS'];
  if (folder === undefined) {
    console.error('follow-up: no recorded runs; POSTIL_RECORDED_RUNS names a folder of progress files.');
    return [];
  }
  const runs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:json|ndjson|jsonl)$/.test(name))
    .map((name) => eventsOf(join(folder, name)))
    .filter((events) => events.some(({ type, profile }) => type === 'review-start' && profile === 'follow-up'));
  const events = runs.flat();
  const count = (wanted: string) => events.filter(({ type }) => type === wanted).length;
  const batches = count('batch-end');
  if (batches === 0) {
    console.error(`follow-up: no run with profile follow-up is recorded in ${folder}.`);
    return [];
  }
  const share = (part: number, whole: number) => (100 * part) / whole;
  const asking = runs.filter((run) => run.some(({ type }) => type === 'follow_up_requested')).length;
  return [
    {
      measure: `reviews with a follow-up, of ${runs.length}`,
      measured: share(asking, runs.length),
      unit: '%',
      promised,
    },
    {
      measure: `  batches that asked for lines, of ${batches}`,
      measured: share(count('follow_up_requested'), batches),
      unit: '%',
      promised: null,
    },
    {
      measure: '  of them: refused',
      measured: share(count('follow_up_refused'), Math.max(1, count('follow_up_requested'))),
      unit: '%',
      promised: null,
    },
  ];
}

type Event = { readonly type?: unknown; readonly profile?: unknown };

function eventsOf(path: string): readonly Event[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return typeof value === 'object' && value !== null ? [value] : [];
    } catch {
      return [];
    }
  });
}
