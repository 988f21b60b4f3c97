import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../src/core/context/words-of.ts';

describe('the words that a text is found by', () => {
  it.each([
    ['refund refunds refunded refunding', 1],
    ['round rounds rounded rounding', 1],
    ['cache caches cached caching', 1],
    ['stop stops stopped stopping', 1],
    ['tax taxes taxed', 1],
    ['retry retries retried retrying', 1],
    ['address addresses', 1],
    ['add adds added adding', 1],
    ['string strong spring sing speed feed need', 7],
  ])('are of %s as many as mean something different: %i', (text, count) => {
    expect(new Set(wordsOf(text)).size).toBe(count);
  });

  it('are an identifier and its parts', () => {
    expect(wordsOf('SessionStore max_total')).toEqual(['sessionstor', 'session', 'stor', 'max_total', 'max', 'total']);
  });

  it('are pairs of characters where no space stands between words', () => {
    expect(wordsOf('退款規則 v2 カード')).toEqual(['退款', '款規', '規則', 'v2', 'カー', 'ード']);
    expect(wordsOf('API呼び出し')).toEqual(['api', '呼び', 'び出', '出し']);
  });

  it('never include little ones or single letters', () => {
    expect(wordsOf('This is what was where: a b, the 日')).toEqual([]);
  });

  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.string({
      unit: fc.constantFrom('a', 'E', 'ing', 'ed', 's', '_', '1', '日', 'ー', '𠮷', '한', ' '),
      maxLength: 400,
    }),
  );

  it('never throw, have two characters at least, and together few more than the text has', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const words = wordsOf(text);
        expect(words.every((word) => word.length > 1)).toBe(true);
        expect(words.join('').length).toBeLessThanOrEqual(6 * text.length);
      }),
    );
  });

  it('take time that grows with the text alone', () => {
    for (const unit of ['a', 'aB', '_', 'a_', 'ing', '日', '日a', '1', 'ss']) {
      const text = unit.repeat(300_000);
      expect(wordsOf(text).join('').length).toBeLessThanOrEqual(6 * text.length);
    }
  });
});
