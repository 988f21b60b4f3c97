import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContextRequest } from '../../../src/core/findings/context-request.ts';

describe('a request for lines', () => {
  it.each([
    [{ file: 'a.ts', line_start: 3, line_end: 9, reason: 'why' }, '3-9'],
    [{ file: ' a.ts ', line_start: '3', line_end: '9' }, '3-9'],
    [{ path: 'a.ts', start_line: 3, end_line: 3 }, '3-3'],
    [
      { file: 'a.ts', line_start: 3, line_end: null },
      'it gives no range of lines: line_start and line_end must be lines from 1',
    ],
    [
      { file: 'a.ts', line_start: 0, line_end: 2 },
      'it gives no range of lines: line_start and line_end must be lines from 1',
    ],
    [
      { file: 'a.ts', line_start: 1.5, line_end: 2 },
      'it gives no range of lines: line_start and line_end must be lines from 1',
    ],
    [{ file: 'a.ts', line_start: 9, line_end: 3 }, 'line 9 comes after line 3'],
    [{ line_start: 1, line_end: 2 }, 'it names no file'],
  ])('%j is read as %s', (value, expected) => {
    const read = readContextRequest(value);
    expect(read?.ok === true ? `${read.request.lineStart}-${read.request.lineEnd}` : read?.problem).toBe(expected);
  });

  it.each([[null], [undefined], ['lines please'], [[]], [7]])('%j is none', (value) => {
    expect(readContextRequest(value)).toBeNull();
  });

  it('never throws, and what it accepts is a range', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (file, line_start, line_end) => {
        const read = readContextRequest({ file, line_start, line_end });
        if (read?.ok !== true) return true;
        const { lineStart, lineEnd } = read.request;
        return lineStart >= 1 && lineStart <= lineEnd && Number.isSafeInteger(lineEnd);
      }),
    );
  });
});
