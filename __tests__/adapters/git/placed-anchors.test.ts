import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../src/adapters/git/open-repository.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { placeFindings } from '../../../src/core/findings/place.ts';
import { createRepository, type GitFixture } from '../../fakes/git-fixture.ts';
import { finding } from '../../fakes/review-record.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '-- x', '++ y', '@@ -1 +1 @@'), { maxLength: 40 });
const paths = ['kept.txt', 'from.txt', 'to.txt', 'gone.txt', 'new.txt', 'elsewhere.txt'];

const place = fc.record({
  path: fc.constantFrom(...paths),
  side: fc.constantFrom('RIGHT' as const, 'LEFT' as const),
  start: fc.integer({ min: 1, max: 45 }),
  length: fc.nat(12),
});

type Hunk = { readonly path: string; readonly old: readonly number[]; readonly now: readonly number[] };

/** The hunks of `git diff`, read from its own words: nothing of Postil's is used. */
function hunksOf(repository: GitFixture, from: string, to: string): readonly Hunk[] {
  const text = repository.git('-c', 'core.quotePath=false', 'diff', '--no-color', '-M', '-U3', from, to, '--');
  return text.split(/^diff --git /m).flatMap((section) => {
    const [head = '', ...hunks] = section.split(/^@@ -/m);
    const name = (sign: string) => new RegExp(`^\\${sign}{3} [ab]/(.*)$`, 'm').exec(head)?.[1];
    const path = name('+') ?? name('-') ?? '';
    return hunks.flatMap((hunk): readonly Hunk[] => {
      const numbers = /^(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(hunk);
      if (numbers === null) return [];
      const [oldStart = 0, oldCount = 1, newStart = 0, newCount = 1] = numbers
        .slice(1)
        .map((digits) => (digits === undefined ? undefined : Number(digits)));
      return [{ path, old: range(oldStart, oldCount), now: range(newStart, newCount) }];
    });
  });
}

function range(start: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => start + index);
}

function findingAt({ path, side, start, length }: typeof place extends fc.Arbitrary<infer P> ? P : never): Finding {
  const endLine = start + length;
  return finding({ path, anchor: { kind: 'lines', side, startLine: start, endLine, quote: 'x\n'.repeat(length) } });
}

describe('whatever changed and whatever is found', () => {
  it('every inline comment stands where `git diff` shows its lines, in one hunk, and on lines that it is about', async () => {
    const repository = createRepository();
    let inline = 0;
    const text = (content: readonly string[]) => content.map((line) => `${line}\n`).join('');
    await fc.assert(
      fc.asyncProperty(
        lines,
        lines,
        lines,
        fc.array(place, { maxLength: 12 }),
        async (before, after, moved, places) => {
          const base = { 'kept.txt': text(before), 'from.txt': text([...moved, 'tail']), 'gone.txt': text(before) };
          const from = repository.commit({ files: { ...base, 'to.txt': null, 'new.txt': null }, message: 'Base' });
          const now = { 'kept.txt': text(after), 'to.txt': text([...moved, 'tail', 'more']), 'new.txt': text(after) };
          const to = repository.commit({ files: { ...now, 'from.txt': null, 'gone.txt': null }, message: 'Head' });
          const git = await openRepository({
            checkout: repository.directory,
            remote: null,
            commits: { base: from, mergeBase: from, head: to },
            pullRequestNumber: null,
            temporaryFolder: temporaryFolder(),
            environment: process.env,
            signal: new AbortController().signal,
          });
          const { files } = await git.changes();
          await git.close();
          const hunks = hunksOf(repository, from, to);
          const found = places.map(findingAt);
          for (const [index, placed] of placeFindings(found, { files }).entries()) {
            const { anchor, path } = placed.finding;
            const original = found[index]?.anchor;
            if (placed.place !== 'inline' || anchor.kind === 'file' || original?.kind !== 'lines') continue;
            inline += 1;
            const shown = hunks
              .filter((hunk) => hunk.path === path)
              .map((hunk) => (anchor.side === 'LEFT' ? hunk.old : hunk.now));
            const inOneHunk = shown.some((all) => all.includes(anchor.startLine) && all.includes(anchor.endLine));
            expect([inOneHunk, anchor.startLine >= original.startLine, anchor.endLine <= original.endLine]).toEqual([
              true,
              true,
              true,
            ]);
          }
        },
      ),
      { numRuns: 40 },
    );
    expect(inline).toBeGreaterThan(3);
  });
});
