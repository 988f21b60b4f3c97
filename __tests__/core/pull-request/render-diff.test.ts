import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderHunk } from '../../../src/core/pull-request/render-diff.ts';
import { hunkOf } from '../../fakes/changed-files.ts';

describe('renderHunk', () => {
  it('gives each line its numbers on both sides and its sign', () => {
    const hunk = hunkOf([' a', '-b', '+B', '+\tc', ' d'], { oldStart: 98, newStart: 99, heading: 'function f() {' });
    expect(renderHunk(hunk)).toBe(
      ['@@ function f() {', ' 98  99  a', ' 99     -b', '    100 +B', '    101 +\tc', '100 102  d'].join('\n'),
    );
  });

  it('says where the last newline is missing', () => {
    expect(renderHunk(hunkOf(['-a', '\\ No newline at end of file', '+a']))).toBe(
      ['@@', '1   -a', '\\ No newline at end of file', '  1 +a'].join('\n'),
    );
  });

  it('says that the line endings change, which the lines do not show', () => {
    expect(renderHunk(hunkOf(['-a\r', '+a']))).toBe(
      ['@@', '1   -a', '  1 +a', '\\ Line endings change: CRLF → LF'].join('\n'),
    );
  });

  it('redacts a private key that replaces another, and shows what hides', () => {
    const key = (sign: string) => `${sign}${'MIIEowIBAAKCAQEAr3x'.repeat(3)}`;
    const lines = [' -----BEGIN PRIVATE KEY-----', key('-'), key('+'), ' -----END PRIVATE KEY-----', '+a\u202e'];
    expect(renderHunk(hunkOf(lines, { heading: 'x\u200b' }))).toBe(
      [
        '@@ x\\u{200B}',
        '1 1  -----BEGIN PRIVATE KEY-----',
        '2   -[redacted: private key]',
        '  2 +[redacted: private key]',
        '3 3  -----END PRIVATE KEY-----',
        '  4 +a\\u{202E}',
      ].join('\n'),
    );
  });

  it('renders one row for each line, whatever the text is', () => {
    const line = fc.tuple(fc.constantFrom(' ', '+', '-'), fc.string({ unit: 'binary' })).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line.filter((text) => !text.includes('\r'))), (lines) => {
        expect(renderHunk(hunkOf(lines)).split('\n')).toHaveLength(lines.length + 1);
      }),
    );
  });
});
