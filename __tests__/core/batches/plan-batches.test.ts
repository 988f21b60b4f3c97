import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Batch, halveBatch } from '../../../src/core/batches/batch.ts';
import { batchTokens, planBatches } from '../../../src/core/batches/plan-batches.ts';
import { importsAmong } from '../../../src/core/batches/relations.ts';
import { hunkLines } from '../../../src/core/pull-request/changed-file.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { addedHunk, changedFile } from '../pull-request/changed-files.ts';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i} of some length`);

describe('a batch that is halved', () => {
  it('is divided between its files', () => {
    const halves = halveBatch(batchOf({ 'src/a.ts': 10, 'src/b.ts': 10, 'src/c.ts': 30 }));
    expect(halves?.map(({ name, files }) => [name, ...files.map(({ file }) => file.path)])).toEqual([
      ['src (half 1)', 'src/a.ts', 'src/b.ts'],
      ['src (half 2)', 'src/c.ts'],
    ]);
  });

  it('is divided within its only file, each part saying that there is another', () => {
    const halves = halveBatch(batchOf({ 'src/a.ts': 20 }));
    expect(halves?.map(({ files }) => files.map(({ part, hunks }) => [part, hunks[0]?.newStart]))).toEqual([
      [[{ index: 1, of: 2 }, 1]],
      [[{ index: 2, of: 2 }, 11]],
    ]);
  });

  it('stays whole when it is a single line', () => {
    expect(halveBatch(batchOf({ 'src/a.ts': 1 }))).toBeNull();
  });

  it('has every line once, and no half is as large as the whole', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 9 }), (counts) => {
        const whole = batchOf(Object.fromEntries(counts.map((count, index) => [`src/f${index}.ts`, count])));
        const halves = halveBatch(whole) ?? [whole];
        const smaller = halves.every((half) => half === whole || linesOf(half).length < linesOf(whole).length);
        expect([halves.flatMap(linesOf), smaller]).toEqual([linesOf(whole), true]);
      }),
    );
  });
});

function batchOf(counts: Readonly<Record<string, number>>): Batch {
  const files = Object.entries(counts).map(([path, count]) => changedFile(path, { hunks: [addedHunk(lines(count))] }));
  const [batch] = planBatches(files, { maxFiles: 10, maxTokens: 20_000 });
  if (batch === undefined) throw new Error('There is no batch.');
  return batch;
}

function linesOf(batch: Batch): readonly string[] {
  return batch.files.flatMap(({ file, hunks }) => hunks.flatMap((hunk) => hunk.lines.map((line) => file.path + line)));
}

describe('plan batches', () => {
  it('reviews fifteen files that fit together in one conversation, translations among them', () => {
    const names = [
      ...Array.from({ length: 13 }, (_, index) => `src/${index}/a.ts`),
      'locales/de.json',
      'locales/fr.json',
    ];
    const files = names.map((path) => changedFile(path, { hunks: [addedHunk(lines(30))] }));
    const batches = planBatches(files, { maxFiles: 30, maxTokens: 24_000 });
    expect(batches.map(({ files: own, trivial }) => [own.length, trivial])).toEqual([[15, undefined]]);
  });

  it('puts what is trivial of a large change in a batch of its own, whatever its folders', () => {
    const code = Array.from({ length: 4 }, (_, index) =>
      changedFile(`src/${index}.ts`, { hunks: [addedHunk(lines(200))] }),
    );
    const texts = ['a', 'b', 'c'].map((name) =>
      changedFile(`${name}/locales/de.json`, { hunks: [addedHunk(lines(30))] }),
    );
    const batches = planBatches([...texts, ...code], { maxFiles: 30, maxTokens: 6_000 });
    expect(batches.map(({ files: own, trivial }) => [own.length, trivial ?? false])).toEqual([
      [2, false],
      [2, false],
      [3, true],
    ]);
  });

  const limits = { maxFiles: 10, maxTokens: 20_000 };
  const paths = (batches: ReturnType<typeof planBatches>) =>
    batches.map(({ files }) => files.map(({ file }) => file.path));
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i} of some length`);

  describe('the plan of batches', () => {
    it('keeps a small change together, most valuable first', () => {
      const files = ['README.md', 'package.json', 'test/b.test.ts', 'src/b.ts', 'src/a.ts'].map((path) =>
        changedFile(path),
      );
      expect(paths(planBatches(files, limits))).toEqual([
        ['src/a.ts', 'src/b.ts', 'test/b.test.ts', 'README.md', 'package.json'],
      ]);
    });

    it('keeps tests beside their subject when it has to divide', () => {
      const files = [
        'src/a/one.ts',
        'src/a/two.ts',
        'src/b/three.ts',
        '__tests__/a/one.test.ts',
        '__tests__/b/three.test.ts',
      ];
      expect(
        paths(
          planBatches(
            files.map((path) => changedFile(path)),
            { ...limits, maxFiles: 3 },
          ),
        ),
      ).toEqual([
        ['src/a/one.ts', '__tests__/a/one.test.ts', 'src/a/two.ts'],
        ['src/b/three.ts', '__tests__/b/three.test.ts'],
      ]);
    });

    it('keeps files together that import each other, before their neighbours in a folder', () => {
      const files = ['src/a.ts', 'src/b.ts', 'src/c.ts', 'web/cart.ts', 'web/zoo.ts'].map((path) => changedFile(path));
      const relations = new Map([
        ['src/a.ts', new Set(['web/cart.ts'])],
        ['web/cart.ts', new Set(['src/a.ts', 'web/zoo.ts'])],
        ['web/zoo.ts', new Set(['web/cart.ts'])],
      ]);
      expect(paths(planBatches(files, { ...limits, maxFiles: 3, relations }))).toEqual([
        ['src/a.ts', 'web/cart.ts', 'web/zoo.ts'],
        ['src/b.ts', 'src/c.ts'],
      ]);
      expect(paths(planBatches(files, { ...limits, maxFiles: 2, relations }))).toEqual([
        ['src/a.ts', 'web/cart.ts'],
        ['src/b.ts', 'src/c.ts'],
        ['web/zoo.ts'],
      ]);
    });

    it('reviews what claims to be generated last', () => {
      const claims = changedFile('src/a.ts', { status: 'added', hunks: [addedHunk(['// @generated', 'evil()'])] });
      expect(paths(planBatches([claims, changedFile('docs/x.md')], limits))).toEqual([['docs/x.md', 'src/a.ts']]);
    });

    it('reviews built output after its source', () => {
      const files = ['dist/index.js', 'src/index.ts', 'README.md'].map((path) => changedFile(path));
      expect(paths(planBatches(files, limits))).toEqual([['src/index.ts', 'README.md', 'dist/index.js']]);
    });

    it('splits a file too large for one batch, and drops no line', () => {
      const file = changedFile('src/huge.ts', { hunks: [addedHunk(lines(5_000)), addedHunk(lines(10), 9_000)] });
      const batches = planBatches([file], { maxFiles: 10, maxTokens: 8_000 });
      const numbers = batches.flatMap(({ files }) =>
        files.flatMap(({ hunks }) => hunks.flatMap((hunk) => [...hunkLines(hunk)].map((line) => line.newLine))),
      );
      expect(batches.length).toBeGreaterThan(5);
      expect(batches.every((batch) => batch.estimatedTokens <= 8_100)).toBe(true);
      expect(numbers).toEqual([
        ...Array.from({ length: 5_000 }, (_, i) => i + 1),
        ...Array.from({ length: 10 }, (_, i) => 9_000 + i),
      ]);
      expect(batches[1]?.files[0]?.part).toEqual({ index: 2, of: batches.length });
    });

    it('gives the same plan in whatever order the files come, within the limits, with every line once', () => {
      const folder = fc.constantFrom('src', 'src/a', 'test', 'docs', '.github/workflows');
      const name = fc.constantFrom('a.ts', 'b.py', 'a.test.ts', 'test_b.py', 'c.md', 'd.json', 'e.go');
      const file = fc.record({ folder, name, size: fc.integer({ min: 1, max: 400 }) });
      const change = fc.uniqueArray(file, {
        selector: (one) => `${one.folder}/${one.name}`,
        minLength: 1,
        maxLength: 25,
      });
      fc.assert(
        fc.property(
          change,
          fc.integer({ min: 1, max: 12 }),
          fc.integer({ min: 500, max: 5_000 }),
          fc.array(fc.tuple(fc.nat(24), fc.nat(24)), { maxLength: 30 }),
          (chosen, maxFiles, maxTokens, pairs) => {
            const files = chosen.map((one) =>
              changedFile(`${one.folder}/${one.name}`, { hunks: [addedHunk(lines(one.size))] }),
            );
            const relations = new Map<string, Set<string>>();
            for (const [one, other] of pairs) {
              const [from, to] = [files[one]?.path, files[other]?.path];
              if (from === undefined || to === undefined) continue;
              relations.set(from, (relations.get(from) ?? new Set()).add(to));
              relations.set(to, (relations.get(to) ?? new Set()).add(from));
            }
            const plan = planBatches(files, { maxFiles, maxTokens, relations });
            const again = planBatches([...files].reverse(), { maxFiles, maxTokens, relations });
            const count = plan.flatMap(({ files: parts }) =>
              parts.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines)),
            ).length;
            expect(again).toEqual(plan);
            expect(plan.every((batch) => batch.files.length <= maxFiles)).toBe(true);
            expect(plan.every((batch) => batch.files.length === 1 || batch.estimatedTokens <= maxTokens)).toBe(true);
            expect(count).toBe(chosen.reduce((sum, one) => sum + one.size, 0));
          },
        ),
        { numRuns: 60 },
      );
    });

    it('gives a batch a share of the budget, since every iteration sends the diff again', () => {
      expect([batchTokens(10_000), batchTokens(200_000), batchTokens(500_000), batchTokens(5_000_000)]).toEqual([
        2_000, 10_000, 24_000, 24_000,
      ]);
    });
  });
});

const files = {
  'src/cart.ts': "import { tax } from './tax.ts';\nimport { far } from './far.ts';\n",
  'src/tax.ts': 'export const tax = 1;\n',
  'src/far.ts': 'export const far = 1;\n',
  'shop/order.py': 'from .price import total\n',
  'shop/price.py': 'def total(): pass\n',
  'secret/key.ts': "import { tax } from '../src/tax.ts';\n",
};

function related(paths: readonly string[]) {
  return importsAmong(
    paths.map((path) => changedFile(path)),
    {
      repository: new MemoryRepository(files),
      isDenied: (path) => (path.startsWith('secret/') ? 'denied' : null),
      signal: new AbortController().signal,
    },
  );
}

describe('the imports among changed files', () => {
  it('relate both ways, and only what is changed', async () => {
    const relations = await related(['src/cart.ts', 'src/tax.ts', 'shop/order.py', 'shop/price.py']);
    expect([...relations].map(([path, others]) => `${path}: ${[...others].join()}`)).toEqual([
      'src/cart.ts: src/tax.ts',
      'src/tax.ts: src/cart.ts',
      'shop/order.py: shop/price.py',
      'shop/price.py: shop/order.py',
    ]);
  });

  it('are not read from files that may not be read', async () => {
    expect([...(await related(['secret/key.ts', 'src/tax.ts']))]).toEqual([]);
  });

  it('are left alone above a thousand files', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => `src/f${index}.ts`);
    expect([...(await related([...many, 'src/cart.ts', 'src/tax.ts']))]).toEqual([]);
  });
});
