import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passagesOf } from '../../../src/core/context/passages.ts';
import { TextIndex } from '../../../src/core/context/text-index.ts';

const word = fc.string({ unit: fc.constantFrom('a', 'b', '.', '日', '😀'), minLength: 1, maxLength: 12 });
const sentence = fc.array(word, { maxLength: 400 }).map((words) => words.join(' '));
const line = fc.oneof(fc.string({ maxLength: 120 }), sentence, fc.constant('# Heading'), fc.constant(''));
const documents = fc
  .array(line, { maxLength: 60 })
  .map((lines) => lines.map((each) => each.replaceAll(/[\r\n]/g, ' ')));

describe('passages', () => {
  it('have at most 1,000 characters, and stand in the lines that are told', () => {
    fc.assert(
      fc.property(documents, (lines) => {
        for (const { text, startLine, endLine } of passagesOf('a.md', lines)) {
          expect(text.length).toBeLessThanOrEqual(1_000);
          expect(lines.slice(startLine - 1, endLine).join('\n')).toContain(text);
        }
      }),
    );
  });

  it('hold every word of the document, in its order', () => {
    fc.assert(
      fc.property(documents, (lines) => {
        const whole = lines.join('\n');
        let covered = 0;
        for (const { text, startLine } of passagesOf('a.md', lines)) {
          const line = lines.slice(0, startLine - 1).join('\n').length;
          const start = whole.indexOf(text, Math.max(line, covered - 200));
          expect(whole.slice(covered, start).trim()).toBe('');
          covered = Math.max(covered, start + text.length);
        }
        expect(whole.slice(covered).trim()).toBe('');
      }),
    );
  });

  it('share 100 to 200 characters with the next, also where a paragraph is one line', () => {
    const paragraph = Array.from({ length: 900 }, (_word, at) => `word${at}`).join(' ');
    const passages = passagesOf('a.md', ['# Money', '', paragraph, '', paragraph]);
    const shared = passages.slice(1).map(({ text }, at) => {
      const before = passages[at]?.text ?? '';
      return Array.from({ length: 201 }, (_count, count) => count).findLast((count) =>
        before.endsWith(text.slice(0, count)),
      );
    });
    expect(passages.length).toBeGreaterThan(12);
    expect(shared.every((count = 0) => count >= 100)).toBe(true);
  });

  it('begin anew with a heading', () => {
    const section = (name: string) => [
      `# ${name}`,
      ...Array.from({ length: 8 }, () => `About ${name}. ${'x '.repeat(20)}`),
    ];
    const passages = passagesOf('a.md', [...section('Money'), ...section('Login')]);
    expect(passages.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([
      [1, 9],
      [10, 18],
    ]);
  });
});

describe('the index of words', () => {
  const passage = (text: string) => ({ path: 'a.md', startLine: 1, endLine: 1, text });

  it('prefers rare words to frequent ones', () => {
    const index = new TextIndex([passage('cart cart cart cart'), passage('cart refund'), passage('cart order')]);
    expect(index.search('cart refund', 1)[0]?.passage.text).toBe('cart refund');
  });

  it('never throws, and gives no more than is asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (texts, query) => {
        expect(new TextIndex(texts.map(passage)).search(query, 3).length).toBeLessThanOrEqual(3);
      }),
    );
  });
});
