import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchCutter } from '../../../src/adapters/git/changes.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { placeFindings } from '../../../src/core/findings/place.ts';
import { hunkLines } from '../../../src/core/pull-request/changed-file.ts';
import { parseDiff } from '../../../src/core/pull-request/parse-diff.ts';
import { cleanGitEnvironment, createRepository, type GitFixture } from '../../fakes/git-fixture.ts';
import { finding } from '../../fakes/review-record.ts';
import { importChange, open } from './fixtures.ts';

const line = fc.constantFrom(
  ...[
    '',
    'a',
    'b',
    '-- x',
    '++ x',
    '--- a/b',
    '+++ b/c',
    '@@ -1 +1 @@',
    'diff --git a/a b/b',
    'c\r',
    'd\u2028e',
    '\\ x',
    ' ',
  ],
);
const content = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.boolean())
  .map(([lines, newline]) => lines.join('\n') + (newline ? '\n' : ''));
const paths = ['a', 'b c', 'd"e', 'ü', 'f\tg'] as const;
const files = fc.dictionary(fc.constantFrom(...paths), content, { minKeys: 1 });
const noFiles = Object.fromEntries(paths.map((path) => [path, null]));

it('agrees with git apply --numstat, and every line of a hunk stands where it says', () => {
  const fixture = createRepository();
  fc.assert(
    fc.property(files, files, (before, after) => {
      const [base = '', head = ''] = importChange(fixture.directory, before, { ...noFiles, ...after });
      const diff = (...format: readonly string[]) =>
        execFileSync('git', ['diff-tree', '-r', '--find-renames', ...format, base, head], {
          ...{ cwd: fixture.directory, env: cleanGitEnvironment, encoding: 'utf8' },
        });
      const patch = diff('-p');
      // Without numstat the counts come from the hunks: git's own count of the patch is the judge.
      const parsed = parseDiff({ raw: diff('--raw', '-z', '--no-abbrev'), numstat: '', patch });
      expect(parsed.map((file) => file.incomplete)).toEqual(parsed.map(() => null));
      const counted = parsed.map(({ additions, deletions, path }) => `${additions}\t${deletions}\t${path}`);
      expect(counted.toSorted()).toEqual(appliedCounts(fixture.directory, patch).toSorted());
      for (const { path, oldPath, hunks } of parsed) {
        const shown = hunks.flatMap((hunk) => [...hunkLines(hunk)]);
        for (const { text, oldLine, newLine } of shown) {
          if (oldLine !== null) expect(before[oldPath]?.split('\n')[oldLine - 1]).toBe(text);
          if (newLine !== null) expect(after[path]?.split('\n')[newLine - 1]).toBe(text);
        }
      }
    }),
    { numRuns: 25 },
  );
});

function appliedCounts(directory: string, patch: string): readonly string[] {
  const numstat = execFileSync('git', ['apply', '--numstat', '-z', '--allow-empty', '--whitespace=nowarn', '-'], {
    ...{ cwd: directory, env: cleanGitEnvironment, encoding: 'utf8', input: patch },
  });
  return numstat.split('\0').filter((record) => record !== '');
}

describe('placed anchors', () => {
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
            const now = { 'kept.txt': text(after), 'to.txt': text([...moved, 'tail', 'more']), 'new.txt': text(after) };
            const head = { ...now, 'from.txt': null, 'gone.txt': null };
            const [from = '', to = ''] = importChange(repository.directory, base, head);
            const git = await open({
              checkout: repository.directory,
              commits: { base: from, mergeBase: from, head: to },
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
});

describe('patch sections', () => {
  const files = [
    'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-diff --git x\n+a — b\n',
    'diff --git a/b b/b\nnew file mode 100644\n',
    'diff --git a/c.md b/c.md\n@@ -0,0 +1 @@\n+ünïcödé 🙂\n\\ No newline at end of file\n',
  ];

  describe('the output of a diff', () => {
    it('becomes one text a file, from its first hunk on, wherever its chunks are cut', () => {
      const whole = Buffer.from(files.join(''));
      const [first = '', second, third = ''] = files;
      const sections = [first.slice(first.indexOf('@@')), second, third.slice(third.indexOf('@@'))];
      fc.assert(
        fc.property(fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 30 }), (cuts) => {
          const cutter = patchCutter(1_000_000);
          const borders = [0, ...cuts.sort((one, other) => one - other), whole.length];
          for (const [index, border] of borders.slice(1).entries()) cutter.push(whole.subarray(borders[index], border));
          expect(cutter.sections()).toEqual(sections);
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
});
