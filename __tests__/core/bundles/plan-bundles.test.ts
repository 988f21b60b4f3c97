import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bundleTokens, planBundles } from '../../../src/core/bundles/plan-bundles.ts';
import { hunkLines } from '../../../src/core/pull-request/changed-file.ts';
import { addedHunk, changedFile } from '../pull-request/changed-files.ts';

const limits = { maxFiles: 10, maxTokens: 20_000 };
const paths = (bundles: ReturnType<typeof planBundles>) =>
  bundles.map(({ files }) => files.map(({ file }) => file.path));
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i} of some length`);

describe('the plan of bundles', () => {
  it('keeps a small change together, most valuable first', () => {
    const files = ['README.md', 'package.json', 'test/b.test.ts', 'src/b.ts', 'src/a.ts'].map((path) =>
      changedFile(path),
    );
    expect(paths(planBundles(files, limits))).toEqual([
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
        planBundles(
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
    expect(paths(planBundles(files, { ...limits, maxFiles: 3, relations }))).toEqual([
      ['src/a.ts', 'web/cart.ts', 'web/zoo.ts'],
      ['src/b.ts', 'src/c.ts'],
    ]);
    expect(paths(planBundles(files, { ...limits, maxFiles: 2, relations }))).toEqual([
      ['src/a.ts', 'web/cart.ts'],
      ['src/b.ts', 'src/c.ts'],
      ['web/zoo.ts'],
    ]);
  });

  it('reviews what claims to be generated last', () => {
    const claims = changedFile('src/a.ts', { status: 'added', hunks: [addedHunk(['// @generated', 'evil()'])] });
    expect(paths(planBundles([claims, changedFile('docs/x.md')], limits))).toEqual([['docs/x.md', 'src/a.ts']]);
  });

  it('reviews built output after its source', () => {
    const files = ['dist/index.js', 'src/index.ts', 'README.md'].map((path) => changedFile(path));
    expect(paths(planBundles(files, limits))).toEqual([['src/index.ts', 'README.md', 'dist/index.js']]);
  });

  it('splits a file too large for one bundle, and drops no line', () => {
    const file = changedFile('src/huge.ts', { hunks: [addedHunk(lines(5_000)), addedHunk(lines(10), 9_000)] });
    const bundles = planBundles([file], { maxFiles: 10, maxTokens: 8_000 });
    const numbers = bundles.flatMap(({ files }) =>
      files.flatMap(({ hunks }) => hunks.flatMap((hunk) => [...hunkLines(hunk)].map((line) => line.newLine))),
    );
    expect(bundles.length).toBeGreaterThan(5);
    expect(bundles.every((bundle) => bundle.estimatedTokens <= 8_100)).toBe(true);
    expect(numbers).toEqual([
      ...Array.from({ length: 5_000 }, (_, i) => i + 1),
      ...Array.from({ length: 10 }, (_, i) => 9_000 + i),
    ]);
    expect(bundles[1]?.files[0]?.part).toEqual({ index: 2, of: bundles.length });
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
          const plan = planBundles(files, { maxFiles, maxTokens, relations });
          const again = planBundles([...files].reverse(), { maxFiles, maxTokens, relations });
          const count = plan.flatMap(({ files: parts }) =>
            parts.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines)),
          ).length;
          expect(again).toEqual(plan);
          expect(plan.every((bundle) => bundle.files.length <= maxFiles)).toBe(true);
          expect(plan.every((bundle) => bundle.files.length === 1 || bundle.estimatedTokens <= maxTokens)).toBe(true);
          expect(count).toBe(chosen.reduce((sum, one) => sum + one.size, 0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('gives a bundle a share of the budget, since every iteration sends the diff again', () => {
    expect([bundleTokens(10_000), bundleTokens(200_000), bundleTokens(500_000), bundleTokens(5_000_000)]).toEqual([
      2_000, 8_000, 20_000, 20_000,
    ]);
  });
});
