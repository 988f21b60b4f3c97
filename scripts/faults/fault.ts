import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A small mistake in one expression or statement of the sources. It is found by its text, so it survives a move to another file. */
export type Fault = {
  /** The room that it was chosen in and a number, such as `core/history-3`, or what it is about, such as `run-failure-language`. */
  readonly id: string;
  readonly file: string;
  /** The line or lines around it, as they stand in the file. */
  readonly lines: string;
  /** Characters of `lines` before what is changed. */
  readonly offset: number;
  readonly from: string;
  /** What stands there instead; null for a statement that is left out. */
  readonly to: string | null;
};

export const root = fileURLToPath(new URL('../..', import.meta.url));
const file = join(root, 'scripts/faults/faults.json');

export function readFaults(): readonly Fault[] {
  return JSON.parse(readFileSync(file, 'utf8'));
}

export function writeFaults(faults: readonly Fault[]): void {
  writeFileSync(file, `${JSON.stringify(faults, null, 2)}\n`);
}

/** All sources below a root, by their path there. */
export function readSources(folder = root): Map<string, string> {
  const read = ['src', 'eval'].flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.startsWith('cases/'))
      .map((path) => `${part}/${path}`),
  );
  return new Map(read.toSorted().map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const));
}

/** Where a fault stands today: in its file, or in the one other file that has its lines; null where the code is gone. */
export function placeOf({ file, lines, offset }: Fault, sources: ReadonlyMap<string, string>) {
  const has = (path: string) => sources.get(path)?.split(lines).length === 2;
  const holders = has(file) ? [file] : [...sources.keys()].filter(has);
  const [path = '', ...others] = holders;
  const at = sources.get(path)?.indexOf(lines);
  return at === undefined || others.length > 0 ? null : { path, at: at + offset };
}

/** The folder of a source, without `src`: `core/history`. */
export function roomOf(path: string): string {
  return dirname(path).replace(/^src(?:\/|$)/, '');
}

export function isInRoom(path: string, room: string): boolean {
  return `${roomOf(path)}/`.startsWith(`${room}/`);
}

/** The sources with the faults built in, each asleep until its number is the active one. */
export function withFaults(faults: readonly Fault[], sources: ReadonlyMap<string, string>) {
  const places = faults.map((fault, number) => ({ fault, number, place: placeOf(fault, sources) }));
  const edited = new Map<string, string>();
  for (const [path, text] of sources) {
    const here = places.flatMap(({ fault, number, place }) =>
      place?.path === path ? [{ fault, number, ...place }] : [],
    );
    let result = text;
    // From the end on, so that what stands before keeps its place.
    for (const { fault, number, at } of here.toSorted((one, other) => other.at - one.at)) {
      const { from, to } = fault;
      const active = `globalThis.postilFault(${number})`;
      const asleep = to === null ? `if (!${active}) { ${from} }` : `(${active} ? (${to}) : (${from}))`;
      result = result.slice(0, at) + asleep + result.slice(at + from.length);
    }
    if (here.length > 0) edited.set(path, result);
  }
  return { edited, gone: places.flatMap(({ fault, place }) => (place === null ? [fault.id] : [])) };
}
