import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMarks, withoutMarks, writeMark } from '../../../src/core/history/mark.ts';
import { sanitiseMarkdown } from '../../../src/core/report/sanitise.ts';
import { marked } from '../../fakes/review-record.ts';

const mark = marked();

describe('a mark', () => {
  it('is read back as it was written, whatever its texts hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (title, path) => {
        const written = { ...mark, title, path };
        expect(readMarks(`Text.\n\n${writeMark(written)}`)).toEqual([written]);
      }),
    );
  });

  it('is one comment that nothing in it can end, and holds nothing that acts', () => {
    const texts = fc.oneof(fc.string(), fc.constantFrom('-->', '--!>', '<!--', '@ada', '#12', '--', '\n', '\u202E'));
    fc.assert(
      fc.property(fc.array(texts), (parts) => {
        const text = writeMark({ ...mark, title: parts.join('') });
        expect(text.slice(4, -3)).not.toMatch(/--|[<>@#\n]|[^\x20-\x7e]/);
        expect([text.startsWith('<!-- postil:v2 {'), text.endsWith('} -->')]).toEqual([true, true]);
      }),
    );
  });

  it('is not believed in text of a model, which is sanitised before', () => {
    for (const text of [writeMark(mark), `\`${writeMark(mark)}\``, `> ${writeMark(mark)}`, `    ${writeMark(mark)}`]) {
      expect(readMarks(sanitiseMarkdown(text))).toEqual([]);
    }
  });

  it.each([
    ['another version', writeMark(mark).replace('postil:v2', 'postil:v1')],
    ['half a mark', writeMark(mark).slice(0, -8)],
    ['no JSON', '<!-- postil:v2 {no} -->'],
    ['another shape', '<!-- postil:v2 {"kind":"finding"} -->'],
    ['a finding without an id', writeMark(mark).replace('"id":"p-f1",', '')],
    ['a finding of no state', writeMark({ ...mark, state: 0 })],
    ['a finding that nobody made', writeMark(mark).replace(',"source":"model"', '')],
    ['a line below 1', writeMark({ ...mark, lines: { side: 'LEFT', startLine: 0, endLine: 1, digests: [] } })],
  ])('of %s is passed over', (_, text) => {
    expect(readMarks(text)).toEqual([]);
  });

  it('reading never throws, and reads 200 at most', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readMarks(`<!-- postil:v2 {${text}} -->${text}`).length).toBeLessThanOrEqual(1);
      }),
    );
    expect(readMarks(`${writeMark(mark)}\n`.repeat(300))).toHaveLength(200);
  });

  it('is not seen by people or the model', () => {
    expect(withoutMarks(`First.\n\n${writeMark(mark)}\n\nSecond.\n\n${writeMark(mark)}\n`)).toBe('First.\n\nSecond.');
  });
});
