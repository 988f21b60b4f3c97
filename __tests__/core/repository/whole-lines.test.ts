import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstLines, lastLines } from '../../../src/core/repository/whole-lines.ts';

describe('a text that is cut', () => {
  it('ends or begins with a whole line', () => {
    expect([firstLines('one\ntwo\nthree', 9), lastLines('one\ntwo\nthree', 10)]).toEqual(['one\ntwo', 'two\nthree']);
    expect([firstLines('one\ntwo', 3), lastLines('one\ntwo', 3)]).toEqual(['one', 'two']);
  });

  it('is cut inside a line when that has no room, and never inside a character', () => {
    expect([firstLines('a😀b', 2), lastLines('a😀b', 2)]).toEqual(['a', 'b']);
  });

  it('is its own beginning or end, with at most so many characters', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '\n', '😀', ' ') });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), (text, most) => {
        const [first, last] = [firstLines(text, most), lastLines(text, most)];
        expect([text.startsWith(first), text.endsWith(last)]).toEqual([true, true]);
        expect(Math.max(first.length, last.length)).toBeLessThanOrEqual(most);
        expect(first + last).not.toMatch(/\p{Cs}/u);
      }),
    );
  });
});
