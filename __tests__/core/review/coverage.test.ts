import { describe, expect, it } from 'vitest';
import { coverageOf, incompleteFiles } from '../../../src/core/review/coverage.ts';
import { changedFile } from '../../fakes/changed-files.ts';

describe('files whose diff is not whole', () => {
  it('are named, twenty of them, and counted', () => {
    const kept = Array.from({ length: 100_000 }, (_, index) => changedFile(`src/${index}.ts`, { incomplete: 'cut' }));
    const sentences = incompleteFiles({ kept, skipped: [], unread: [], unshown: [] });
    expect([sentences.length, sentences[0], sentences.at(-1)]).toEqual([
      21,
      'The diff of src/0.ts is incomplete: cut.',
      'The diffs of 99,980 more files are incomplete.',
    ]);
  });
});

describe('a submodule', () => {
  it('is not read although it is kept, in this run and the next', () => {
    const selection = { skipped: [], unshown: [], unread: [{ path: 'lib', reason: 'elsewhere', code: true }] };
    const looked = coverageOf(
      { selection: { ...selection, kept: [changedFile('lib')] }, missing: [], earlier: [] },
      [],
    );
    const later = coverageOf({ selection: { ...selection, kept: [] }, missing: [], earlier: ['lib'] }, []);
    const lists = [looked, later].map(({ reviewed, earlier, unread }) => [reviewed, earlier, unread.length]);
    expect(lists).toEqual([
      [[], [], 1],
      [[], [], 1],
    ]);
  });
});
