import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bundle } from '../../../src/core/bundles/bundle.ts';
import { halveBundle } from '../../../src/core/bundles/halve-bundle.ts';
import { planBundles } from '../../../src/core/bundles/plan-bundles.ts';
import { addedHunk, changedFile } from '../pull-request/changed-files.ts';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i} of some length`);

describe('a bundle that is halved', () => {
  it('is divided between its files', () => {
    const halves = halveBundle(bundleOf({ 'src/a.ts': 10, 'src/b.ts': 10, 'src/c.ts': 30 }));
    expect(halves?.map(({ name, files }) => [name, ...files.map(({ file }) => file.path)])).toEqual([
      ['src (half 1)', 'src/a.ts', 'src/b.ts'],
      ['src (half 2)', 'src/c.ts'],
    ]);
  });

  it('is divided within its only file, each part saying that there is another', () => {
    const halves = halveBundle(bundleOf({ 'src/a.ts': 20 }));
    expect(halves?.map(({ files }) => files.map(({ part, hunks }) => [part, hunks[0]?.newStart]))).toEqual([
      [[{ index: 1, of: 2 }, 1]],
      [[{ index: 2, of: 2 }, 11]],
    ]);
  });

  it('stays whole when it is a single line', () => {
    expect(halveBundle(bundleOf({ 'src/a.ts': 1 }))).toBeNull();
  });

  it('has every line once, and no half is as large as the whole', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 9 }), (counts) => {
        const whole = bundleOf(Object.fromEntries(counts.map((count, index) => [`src/f${index}.ts`, count])));
        const halves = halveBundle(whole) ?? [whole];
        const smaller = halves.every((half) => half === whole || linesOf(half).length < linesOf(whole).length);
        expect([halves.flatMap(linesOf), smaller]).toEqual([linesOf(whole), true]);
      }),
    );
  });
});

function bundleOf(counts: Readonly<Record<string, number>>): Bundle {
  const files = Object.entries(counts).map(([path, count]) => changedFile(path, { hunks: [addedHunk(lines(count))] }));
  const [bundle] = planBundles(files, { maxFiles: 10, maxTokens: 20_000 });
  if (bundle === undefined) throw new Error('There is no bundle.');
  return bundle;
}

function linesOf(bundle: Bundle): readonly string[] {
  return bundle.files.flatMap(({ file, hunks }) => hunks.flatMap((hunk) => hunk.lines.map((line) => file.path + line)));
}
