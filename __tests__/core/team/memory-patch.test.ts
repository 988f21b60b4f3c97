import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryPatch } from '../../../src/core/team/learn.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';

const folder = temporaryFolder();
const path = join(folder, '.postil/memory.md');
mkdirSync(join(folder, '.postil'));

/** The file after git has applied the patch to it. */
function applied(text: string | null, lines: readonly string[]): string {
  rmSync(path, { force: true });
  if (text !== null) writeFileSync(path, text);
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: memoryPatch(text, lines) });
  return readFileSync(path, 'utf8');
}

describe('the patch of the standing answers', () => {
  it.each<[string, string | null, string]>([
    ['a new file', null, '# Standing answers\n\n- One.\n- Two.\n'],
    ['a text without an end of line', '- Zero.', '- Zero.\n- One.\n- Two.\n'],
    ['lines that end as on Windows', '# A\r\n- Zero.\r\n', '# A\r\n- Zero.\r\n- One.\r\n- Two.\r\n'],
  ])('is applied by git to %s', (_, text, expected) => {
    expect(applied(text, ['- One.', '- Two.'])).toBe(expected);
  });

  it('is applied by git to whatever text, and adds its lines at the end', () => {
    const piece = fc.constantFrom('- a', '\n', '\r\n', '\r', ' ', '\\ No newline', '+', '-', '@@ -1 +1 @@', 'é\u2028');
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const line = fc.constantFrom('- a', '- x', '- `a`: "b"', '- \\');
    fc.assert(
      fc.property(text, fc.array(line, { minLength: 1, maxLength: 3 }), (before, lines) => {
        const after = applied(before, lines);
        expect(after.startsWith(before)).toBe(true);
        expect(after.trimEnd().split(/\r?\n/).slice(-lines.length)).toEqual(lines);
      }),
      { numRuns: 60 },
    );
  });
});
