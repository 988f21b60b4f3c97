import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FindingMark } from '../../../src/core/memory/mark.ts';
import { readMarks, withoutMarks, writeMark } from '../../../src/core/memory/mark-text.ts';
import { sanitiseMarkdown } from '../../../src/core/report/sanitise.ts';

const mark: FindingMark = {
  kind: 'finding',
  name: 'Review',
  run: '1-1',
  commit: 'a'.repeat(40),
  mergeBase: 'c'.repeat(40),
  path: 'src/cart.ts',
  lines: { side: 'RIGHT', startLine: 10, endLine: 12, digests: ['0a1b2c3d'] },
  title: 'The last price is read past the end',
  severity: 'critical',
  category: 'bug',
  ruleId: null,
};

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
        expect([text.startsWith('<!-- postil:v1 {'), text.endsWith('} -->')]).toEqual([true, true]);
      }),
    );
  });

  it('is not believed in text of a model, which is sanitised before', () => {
    for (const text of [writeMark(mark), `\`${writeMark(mark)}\``, `> ${writeMark(mark)}`, `    ${writeMark(mark)}`]) {
      expect(readMarks(sanitiseMarkdown(text))).toEqual([]);
    }
  });

  it.each([
    ['another version', writeMark(mark).replace('postil:v1', 'postil:v2')],
    ['half a mark', writeMark(mark).slice(0, -8)],
    ['no JSON', '<!-- postil:v1 {no} -->'],
    ['another shape', '<!-- postil:v1 {"kind":"finding"} -->'],
    ['a line below 1', writeMark({ ...mark, lines: { side: 'LEFT', startLine: 0, endLine: 1, digests: [] } })],
  ])('of %s is passed over', (_, text) => {
    expect(readMarks(text)).toEqual([]);
  });

  it('reading never throws, and reads 200 at most', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readMarks(`<!-- postil:v1 {${text}} -->${text}`).length).toBeLessThanOrEqual(1);
      }),
    );
    expect(readMarks(`${writeMark(mark)}\n`.repeat(300))).toHaveLength(200);
  });

  it('is not seen by people or the model', () => {
    expect(withoutMarks(`First.\n\n${writeMark(mark)}\n\nSecond.\n\n${writeMark(mark)}\n`)).toBe('First.\n\nSecond.');
  });
});
