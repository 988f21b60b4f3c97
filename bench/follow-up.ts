import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from './row.ts';

/** Cora's issue 117 promised that few reviews need a second look. */
const promised = { atMost: 30 } as const;

/**
 * The share of reviewed bundles that asked for lines, over recorded runs with profile `follow-up`: progress files (`progress-file`) in the folder
 * that `POSTIL_RECORDED_RUNS` names. Only a real model's runs say something, so nothing is measured without them.
 */
export async function followUp(): Promise<readonly Row[]> {
  const folder = process.env['POSTIL_RECORDED_RUNS'];
  if (folder === undefined) {
    console.error('follow-up: no recorded runs; POSTIL_RECORDED_RUNS names a folder of progress files.');
    return [];
  }
  const runs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('json'))
    .map((name) => eventsOf(join(folder, name)))
    .filter((events) => events.some(({ type, profile }) => type === 'review-start' && profile === 'follow-up'));
  const events = runs.flat();
  const count = (wanted: string) => events.filter(({ type }) => type === wanted).length;
  const [bundles, asked, answered] = [count('bundle-end'), count('follow_up_requested'), count('follow_up_complete')];
  const share = (part: number) => (bundles === 0 ? 0 : (100 * part) / bundles);
  const of = `${bundles} bundles in ${runs.length} recorded runs`;
  return [
    { measure: `follow-ups asked for, of ${of}`, measured: share(asked), unit: '%', promised },
    { measure: `follow-ups answered, of ${of}`, measured: share(answered), unit: '%', promised: null },
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
