import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchCutter } from '../../../src/adapters/git/patch-sections.ts';

const files = [
  'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-diff --git x\n+a — b\n',
  'diff --git a/b b/b\nnew file mode 100644\n',
  'diff --git a/c.md b/c.md\n@@ -0,0 +1 @@\n+ünïcödé 🙂\n\\ No newline at end of file\n',
];

describe('the output of a diff', () => {
  it('becomes one text a file, wherever its chunks are cut', () => {
    const whole = Buffer.from(files.join(''));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 30 }), (cuts) => {
        const cutter = patchCutter(1_000_000);
        const borders = [0, ...cuts.sort((one, other) => one - other), whole.length];
        for (const [index, border] of borders.slice(1).entries()) cutter.push(whole.subarray(borders[index], border));
        expect(cutter.sections()).toEqual(files);
      }),
    );
  });

  it('is stopped when it is larger than allowed', () => {
    const cutter = patchCutter(10);
    expect([cutter.push(Buffer.from('diff --git')), cutter.push(Buffer.from(' '))]).toEqual(['go on', 'stop']);
  });

  it('is no text at all when there is none', () => {
    expect(patchCutter(10).sections()).toEqual([]);
  });
});
