import { describe, expect, it } from 'vitest';
import { isDeniedPath } from '../../../src/core/tools/default-policy.ts';
import { changedFile, hunkOf } from '../../fakes/changed-files.ts';
import { callTool } from './tools-over.ts';

const many = Array.from({ length: 40 }, (_hunk, index) =>
  hunkOf(
    Array.from({ length: 50 }, () => `+${'x'.repeat(20)}`),
    { oldStart: index * 100 + 1, newStart: index * 100 + 1 },
  ),
);
const files = [
  changedFile('src/a.ts', { lines: [' a', '-b', '+c'], modeChange: '100644 → 100755' }),
  changedFile('src/new.ts', { status: 'renamed', oldPath: 'src/old.ts' }),
  changedFile('logo.png', { kind: 'binary' }),
  changedFile('src/part.ts', { lines: ['+a'], incomplete: 'the API left out the rest' }),
  changedFile('src/large.ts', { hunks: many }),
  changedFile('env.txt', { status: 'renamed', oldPath: '.env', lines: ['+a'] }),
];
const diff = (path: string) =>
  callTool({ files, offerDiff: true, isDenied: (denied) => isDeniedPath(denied, []) }, 'read_diff', { path });

describe('read_diff', () => {
  it.each([
    ['src/a.ts', 'src/a.ts modified; mode 100644 → 100755\n@@\n1 1  a\n2   -b\n  2 +c'],
    ['src/old.ts', 'src/new.ts renamed from src/old.ts; no changed lines to show'],
    ['logo.png', 'logo.png modified; a binary; no changed lines to show'],
    ['src/part.ts', 'src/part.ts modified; the diff is incomplete: the API left out the rest\n@@\n  1 +a'],
    ['env.txt', 'ToolError: .env is denied: files of this kind hold secrets. Go on without it.'],
    ['lib/a.ts', 'ToolError: This pull request does not change lib/a.ts. Changed files: src/a.ts.'],
  ])('answers for %s', async (path, text) => {
    expect(await diff(path)).toBe(text);
  });

  it('names all changed files when none is alike', async () => {
    expect(await diff('nothing.go')).toMatch(/Changed files: src\/a\.ts, src\/new\.ts, .*, env\.txt\.$/);
  });

  it('cuts a large diff between lines and says where the rest is', async () => {
    const result = await diff('src/large.ts');
    expect(result.length).toBeLessThanOrEqual(30_000);
    expect(result).toMatch(
      /… cut in hunk \d+ of 40: read_file_lines from line \d+01 shows the new version of the rest\.$/,
    );
  });
});
