import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchCutter } from '../../../src/adapters/git/changes.ts';
import { hunkLines } from '../../../src/core/pull-request/changed-file.ts';
import { parseDiff } from '../../../src/core/pull-request/parse-diff.ts';
import { cleanGitEnvironment, createRepository } from '../../fakes/git-fixture.ts';
import { importChange } from './fixtures.ts';

const odd = '|a|b|-- x|++ x|--- a/b|+++ b/c|@@ -1 +1 @@|diff --git a/a b/b|c\r|e\rf|d\u2028e|\\ x| ';
const line = fc.constantFrom(...odd.split('|'));
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

describe('the output of a diff', () => {
  const files = [
    'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-diff --git x\n+a — b\n',
    'diff --git a/b b/b\nnew file mode 100644\n',
    'diff --git a/c.md b/c.md\n@@ -0,0 +1 @@\n+ünïcödé 🙂\n\\ No newline at end of file\n',
  ];

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
});
