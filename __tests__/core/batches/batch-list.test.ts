import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../src/core/batches/batch.ts';
import {
  batchesFromList,
  type ListedBatch,
  listBatch,
  listedBatchSchema,
  narrowToList,
} from '../../../src/core/batches/batch-list.ts';
import { planBatches } from '../../../src/core/batches/plan-batches.ts';
import type { ChangedFile, Hunk } from '../../../src/core/pull-request/changed-file.ts';
import { windowLongLines } from '../../../src/core/pull-request/line-windows.ts';
import { listOf, parserFor } from '../../../src/core/schema.ts';
import { hunkOf } from '../../fakes/memory-repository.ts';
import { changedFile } from '../pull-request/changed-files.ts';

const parse = parserFor(listOf(listedBatchSchema));

/** As another job reads the list. */
function sent(batches: readonly Batch[]): readonly ListedBatch[] {
  const parsed = parse(JSON.parse(JSON.stringify(batches.map(listBatch))));
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.value;
}

/** Lines of a hunk: mixed, only added, only removed, or all of them unchanged but one. */
const body = (text: fc.Arbitrary<string>) => {
  const sign = fc.constantFrom(' ', '+', '-');
  const line = (of: fc.Arbitrary<string>) => fc.tuple(of, text).map((parts) => parts.join(''));
  const size = { minLength: 1, maxLength: 40 };
  return fc.oneof(
    fc.array(line(sign), size),
    fc.array(line(fc.constant('+')), size),
    fc.array(line(fc.constant('-')), size),
  );
};
const short = fc.constantFrom('', 'const one = 1;', '\\ no note', '+', '-', '\t}');
const long = fc.integer({ min: 1, max: 5_000 }).map((length) => 'x'.repeat(length));

/** Hunks as git prints them: with lines between them, and notes where a side ends without a newline. */
const hunks = fc
  .array(
    fc.record({ lines: body(fc.oneof({ weight: 9, arbitrary: short }, long)), gap: fc.integer({ min: 1, max: 9 }) }),
    {
      maxLength: 6,
    },
  )
  .chain((drawn) =>
    fc.record({ notes: fc.subarray([0, 1, 2]), skew: fc.integer({ min: 0, max: 3 }) }).map(({ notes, skew }) => {
      const made: Hunk[] = [];
      let [oldStart, newStart] = [1, 1 + skew];
      for (const [index, { lines, gap }] of drawn.entries()) {
        const noted = index === drawn.length - 1 ? withNotes(lines, notes) : lines;
        const hunk = hunkOf(noted, { oldStart: oldStart + gap, newStart: newStart + gap, heading: `f${index}()` });
        made.push(hunk);
        oldStart = hunk.oldStart + hunk.oldLines;
        newStart = hunk.newStart + hunk.newLines;
      }
      return made;
    }),
  );

/** A note stands behind the last line of a side: of the removed ones, and of all. */
function withNotes(lines: readonly string[], notes: readonly number[]): readonly string[] {
  const note = '\\ No newline at end of file';
  const removed = lines.findLastIndex((line) => line.startsWith('-'));
  return lines.flatMap((line, index) => {
    const isNoted = (index === removed && notes.includes(0)) || (index === lines.length - 1 && notes.includes(1));
    return isNoted ? [line, note] : [line];
  });
}

const paths = [
  'src/a.ts',
  'src/b.ts',
  'src/a.test.ts',
  'docs/a.md',
  'lib/c.py',
  'lib/ü 1.py',
  '.github/x.yml',
  '__proto__',
];
const change = fc
  .uniqueArray(
    fc.record({
      path: fc.constantFrom(...paths),
      hunks,
      status: fc.constantFrom('modified', 'renamed', 'added', 'deleted'),
    }),
    {
      selector: ({ path }) => path,
      maxLength: paths.length,
    },
  )
  .map((files): readonly ChangedFile[] =>
    files.map(({ path, status, hunks: own }) => {
      const count = (sign: string) =>
        own.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
      const oldPath = status === 'renamed' ? `old/${path}` : path;
      return changedFile(path, { status, oldPath, hunks: own, additions: count('+'), deletions: count('-') });
    }),
  );

const limits = fc.record({
  maxFiles: fc.integer({ min: 1, max: 10 }),
  maxTokens: fc.integer({ min: 30, max: 3_000 }),
});

describe('a list of batches', () => {
  it('gives another job exactly the batches that were planned, of all files and of those that it names', () => {
    fc.assert(
      fc.property(change, limits, fc.constantFrom(undefined, 2, 5), (files, { maxFiles, maxTokens }, parts) => {
        const reviewable = windowLongLines(files).files.filter(({ hunks: own }) => own.length > 0);
        const batches = planBatches(reviewable, { maxFiles, maxTokens, ...(parts === undefined ? {} : { parts }) });
        const listed = sent(batches);
        const again = windowLongLines(narrowToList(files, listed)).files;
        expect(batchesFromList(again, listed)).toEqual(batches);
        expect(narrowToList(again, listed)).toEqual(again);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves out the hunks that were not planned, as those are that an earlier run reviewed', () => {
    fc.assert(
      fc.property(change, limits, fc.infiniteStream(fc.boolean()), (files, within, chosen) => {
        const picked = files.flatMap((file) => {
          const some = file.hunks.filter(() => chosen.next().value);
          const listed = { name: '', estimatedTokens: 0, trivial: false };
          const own = {
            path: file.path,
            part: [],
            hunks: some.map((hunk) => [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines]),
          };
          return some.length === 0 ? [] : narrowToList([file], [{ ...listed, files: [own] }]);
        });
        const batches = planBatches(picked, within);
        const listed = sent(batches);
        expect(narrowToList(files, listed)).toEqual(picked);
        expect(batchesFromList(narrowToList(files, listed), listed)).toEqual(batches);
      }),
    );
  });

  it('is refused where the code is another, and never taken for it', () => {
    fc.assert(
      fc.property(change, change, limits, (files, others, within) => {
        const reviewable = files.filter(({ hunks: own }) => own.length > 0);
        const listed = sent(planBatches(reviewable, within));
        const known = new Map(others.map((file) => [file.path, file.hunks.flatMap(({ lines }) => lines)]));
        const made = batchesFromList(narrowToList(others, listed), listed) ?? [];
        const shown = made.flatMap((batch) =>
          batch.files.flatMap(({ file, hunks: own }) => own.map(({ lines }) => ({ path: file.path, lines }))),
        );
        const isIn = ({ path, lines }: (typeof shown)[number]) =>
          ` ${known.get(path)?.join('\n')}\n`.includes(`${lines.join('\n')}\n`);
        expect(shown.filter((one) => !isIn(one))).toEqual([]);
      }),
    );
  });

  it.each([
    ['a file that is not there', { path: 'src/other.ts' }],
    ['lines beyond the end', { hunks: [[0, 0, 1, 99]] }],
    ['a range without its numbers', { hunks: [[]] }],
  ])('is refused for %s', (_what, wrong) => {
    const files = [changedFile('src/a.ts')];
    const [batch] = sent(planBatches(files, { maxFiles: 1, maxTokens: 1_000 }));
    const [piece] = batch?.files ?? [];
    if (batch === undefined || piece === undefined) throw new Error('There is no batch.');
    const listed = [{ ...batch, files: [{ ...piece, ...wrong }] }];
    expect(batchesFromList(narrowToList(files, listed), listed)).toBeNull();
  });
});
