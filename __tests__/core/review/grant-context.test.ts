import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/core/agent/estimate.ts';
import { readContextRequest } from '../../../src/core/findings/context-request.ts';
import { shown, splitLines } from '../../../src/core/repository/shown.ts';
import { grantContext } from '../../../src/core/review/grant-context.ts';

const tenLines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join('\n');
const files: { readonly [path: string]: string } = {
  'src/a.ts': tenLines,
  'src/chain.ts': tenLines,
  'src/far.ts': tenLines,
};

function grant(file: string, range: readonly [number, number], { maxTokens = 2_000, text = files[file] } = {}) {
  const asked = readContextRequest({ file, line_start: range[0], line_end: range[1], reason: 'To decide.' });
  if (asked === null) throw new Error('not a request');
  return grantContext(asked, {
    paths: new Map(
      ['src/a.ts', 'src/chain.ts', 'src/gone.ts', 'src/old.ts'].map((path) => [path, path.replace('old', 'a')]),
    ),
    maxTokens,
    read: async () => (text === undefined ? null : shown(splitLines(text))),
  });
}

describe('lines that a model asks for', () => {
  it('are shown when the file is of the bundle or of the code around it', async () => {
    expect(await grant('src/chain.ts', [2, 3])).toEqual({
      granted: true,
      path: 'src/chain.ts',
      lines: '2-3',
      text: '   2 | line 2\n   3 | line 3',
    });
  });

  it('are shown of a renamed file by its old name, too', async () => {
    expect(await grant('src/old.ts', [1, 1], { text: tenLines })).toMatchObject({ granted: true, path: 'src/a.ts' });
  });

  it.each([
    ['src/far.ts', [1, 2], 'the file is neither among the changed files of the batch nor in the code around them'],
    [
      '../../etc/passwd',
      [1, 2],
      'the file is neither among the changed files of the batch nor in the code around them',
    ],
    ['src/gone.ts', [1, 2], 'there is no text at the reviewed commit that may be read'],
    ['src/a.ts', [11, 20], 'the file has 10 lines'],
    ['src/a.ts', [4, 2], 'line 4 comes after line 2'],
  ] as const)('are refused for %s %j: %s', async (file, range, reason) => {
    expect(await grant(file, range)).toEqual({ granted: false, reason });
  });

  it('are cut at the end of the file and at the limit of tokens, which is told', async () => {
    expect(await grant('src/a.ts', [9, 400])).toMatchObject({ lines: '9-10' });
    const cut = await grant('src/a.ts', [1, 400], { maxTokens: 100, text: 'const a = compute(b, c);\n'.repeat(400) });
    expect(cut).toMatchObject({ granted: true });
    expect(cut.granted ? cut.text : '').toMatch(/\[lines \d+-400 are left out: the limit of a follow-up\]$/);
    expect(await grant('src/a.ts', [1, 2], { maxTokens: 3 })).toEqual({
      granted: false,
      reason: 'not even its first line fits 3 tokens',
    });
  });

  it('never leave their scope, never hold a credential and never take more tokens than allowed', async () => {
    const secret = `const key = "AKIA${'ABCDEFGH'.repeat(2)}";`;
    const line = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.constant(secret),
      fc.string({ minLength: 2_000, maxLength: 4_000 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('src/a.ts', './src/a.ts', 'src/far.ts', 'src/../src/a.ts', '/src/a.ts'),
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 80 }),
        fc.integer({ min: 1, max: 600 }),
        fc.array(line, { minLength: 1, maxLength: 60 }),
        async (file, start, length, maxTokens, lines) => {
          const text = lines.join('\n');
          const granted = await grant(file, [start, start + length], { maxTokens, text });
          if (!granted.granted) return;
          expect(granted.path).toBe('src/a.ts');
          expect(estimateTokens(granted.text)).toBeLessThanOrEqual(maxTokens);
          expect(granted.text).not.toContain('AKIA');
        },
      ),
      { numRuns: 200 },
    );
  });
});
