import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeOf, readFaults, readSources, withFaults } from '../../scripts/faults/fault.ts';
import { testsOf } from '../../scripts/faults/room-tests.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';

const faults = readFaults();
const sources = readSources();

describe('the faults of scripts/faults', () => {
  // Whoever changes the code of one writes it anew where the decision stands now, and takes it out where there is none any more.
  it('stand in the code as it is', () => {
    expect(withFaults(faults, sources).gone).toEqual([]);
  });

  it('have an id each, and change what stands there', () => {
    expect(faults.map(({ id }) => id).filter((id, index, all) => all.indexOf(id) !== index)).toEqual([]);
    const wrong = faults.filter((fault) => {
      const place = placeOf(fault, sources);
      return place === null || sources.get(place.path)?.startsWith(fault.from, place.at) !== true;
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it('do not overlap, so that all of them can be built in', () => {
    const places = faults.map((fault) => ({ id: fault.id, length: fault.from.length, ...placeOf(fault, sources) }));
    const overlapping = places.filter(({ id, path, at = 0 }) =>
      places.some((other) => {
        const { at: start = 0 } = other;
        return other.id !== id && other.path === path && start <= at && at < start + other.length;
      }),
    );
    expect(overlapping.map(({ id }) => id)).toEqual([]);
  });
});

it('the tests of a room are those in its folder and those that import it; whole runs only where there are no others', () => {
  const folder = temporaryFolder();
  const files = {
    '__tests__/core/one/own.test.ts': '',
    '__tests__/adapters/near.test.ts': "import type { A } from '../../src/core/one/a.ts';",
    '__tests__/adapters/other.test.ts': "import { b } from '../../src/core/one-more/b.ts';",
    '__tests__/scenarios/whole.test.ts':
      "import '../../src/core/one/deep/a.ts';\nawait import('../../src/run/job.ts');",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const rooms = ['core/one', 'core', 'run', 'cli'];
  expect(Object.fromEntries(rooms.map((room) => [room, testsOf(room, folder)]))).toEqual({
    'core/one': ['__tests__/adapters/near.test.ts', '__tests__/core/one/own.test.ts'],
    core: ['__tests__/adapters/near.test.ts', '__tests__/adapters/other.test.ts', '__tests__/core/one/own.test.ts'],
    run: ['__tests__/scenarios/whole.test.ts'],
    cli: [],
  });
});
