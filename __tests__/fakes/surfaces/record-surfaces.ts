import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, type RunnerTestCase, TestRunner } from 'vitest';
import { normalise } from './normalise.ts';
import { renderSurfaces, type SurfaceGroup, type SurfaceRun, type SurfaceWrite } from './render-surfaces.ts';

type CurrentTest = {
  /** Below `__tests__`. */
  readonly file: string;
  readonly name: string;
  /** Tests of one file may share a name. */
  readonly id: string;
};

type TestSurfaces = { readonly path: string; readonly groups: SurfaceGroup[]; readonly active: Set<SurfaceRun> };

/** Each test's file is written again with everything that is added to it, so one that hangs has its file, too. */
export function recordSurfaces(folder: string, currentTest: () => CurrentTest = vitestTest) {
  const tests = new Map<string, TestSurfaces>();
  const taken = new Set<string>();
  const finished = new WeakMap<object, { readonly test: TestSurfaces; readonly run: SurfaceRun }>();

  function openTest(): TestSurfaces {
    const { file, name, id } = currentTest();
    const known = tests.get(`${file} ${id}`);
    if (known !== undefined) return known;
    const base = join(file.replace(/\.test\.ts$/, ''), fileNameOf(normalise(name)));
    let path = base;
    for (let count = 2; taken.has(path.toLowerCase()); count += 1) path = `${base}-${count}`;
    taken.add(path.toLowerCase());
    const test = { path: join(folder, `${path}.txt`), groups: [], active: new Set<SurfaceRun>() };
    tests.set(`${file} ${id}`, test);
    return test;
  }

  function save({ path, groups }: TestSurfaces): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, renderSurfaces(groups));
  }

  return {
    /** A run of Postil, with what is written to GitHub meanwhile. `shown` gives how it ended, and what it showed by headings. */
    run: async <Output extends object>(
      title: string,
      work: () => Promise<Output>,
      shown: (output: Output) => Pick<SurfaceRun, 'end' | 'sections'>,
    ): Promise<Output> => {
      const test = openTest();
      const run: SurfaceRun = { title: title.split('\n')[0] ?? '', end: 'no end', sections: {} };
      const together = test.groups.find(({ runs }) => runs.some((other) => test.active.has(other)));
      if (together === undefined) test.groups.push({ runs: [run], writes: [] });
      else together.runs.push(run);
      test.active.add(run);
      try {
        const output = await work();
        Object.assign(run, shown(output));
        finished.set(output, { test, run });
        return output;
      } finally {
        test.active.delete(run);
        save(test);
      }
    },
    /** What else the run left behind that gave this. */
    add: (output: object, sections: SurfaceRun['sections']): void => {
      const known = finished.get(output);
      if (known === undefined) throw new Error('No recorded run gave this.');
      Object.assign(known.run.sections, sections);
      save(known.test);
    },
    /** What comes from no such run. */
    show: (title: string, shown: unknown): void => {
      const test = openTest();
      test.groups.push({ runs: [{ title, end: null, sections: { shown } }], writes: [] });
      save(test);
    },
    /** A request that changes something on GitHub, or tries to. */
    write: (write: SurfaceWrite): void => {
      const test = openTest();
      const last = test.groups.at(-1);
      const running = test.groups.find(({ runs }) => runs.some((run) => test.active.has(run)));
      const group = running ?? (last?.runs.length === 0 ? last : { runs: [], writes: [] });
      if (!test.groups.includes(group)) test.groups.push(group);
      group.writes.push(write);
      save(test);
    },
  };
}

const testsFolder = fileURLToPath(new URL('../..', import.meta.url));

function vitestTest(): CurrentTest {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const test = TestRunner.getCurrentTest<RunnerTestCase | undefined>();
  const name = test === undefined ? 'outside-of-a-test' : currentTestName;
  return { file: relative(testsFolder, testPath), name, id: test?.id ?? '' };
}

const longestName = 100;

/** Of letters that every file system and shell takes; a name that is cut ends in a hash of all of it. */
function fileNameOf(name: string): string {
  const plain = name.replace(/[^\w.=+]+/g, '-').replace(/^-|-$/g, '');
  if (plain.length <= longestName) return plain;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${plain.slice(0, longestName).replace(/-$/, '')}-${hash}`;
}
