import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { removeInvisible, showInvisible, visibleLine } from '../../../src/core/report/invisible.ts';

describe('invisible characters', () => {
  it('are removed where people read', () => {
    expect(removeInvisible('a\u0000b\u200Bc\u202Ed\u{E0041}e\uFEFFf\u00ADg\r\nh\ti\uD800')).toBe('abcdefg\nh\ti');
  });

  it('are written out where they could act', () => {
    expect(showInvisible('a\u001B[2Jb\u200B\u{E0041}\rc')).toBe('a\\u{1B}[2Jb\\u{200B}\\u{E0041}\nc');
  });

  it('stay in words and emoji that need them', () => {
    expect(removeInvisible('می\u200Cخواهم 👩\u200D💻 ❤\uFE0F pass\u200Dword 1\uFE0F')).toBe(
      'می\u200Cخواهم 👩\u200D💻 ❤\uFE0F password 1',
    );
  });

  it('leave one line of a text of many', () => {
    expect(visibleLine(' a\n\n\tb\u2028c ')).toBe('a b c');
  });

  it('are gone at the first attempt', () => {
    const unit = fc.oneof(
      fc.constantFrom('\u200D', '\uFE0F', '\u200B', '👩', 'é', 'a', '\r', '\n'),
      fc.string({ unit: 'binary', maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const once = removeInvisible(text);
        expect([removeInvisible(once), showInvisible(once)]).toEqual([once, once]);
      }),
      { numRuns: 300 },
    );
  });
});
