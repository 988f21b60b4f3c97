import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, characters, cutMarkdown } from '../../../src/core/report/limits.ts';

const pointer = 'See the report.';

function cut(text: string, max: number): string {
  return cutMarkdown(text, { max, measure: characters, pointer });
}

describe('Markdown that is too long', () => {
  it('stays as it is when it fits', () => {
    expect(cut('One.\n\nTwo.', 10)).toBe('One.\n\nTwo.');
  });

  it('is cut between paragraphs', () => {
    expect(cut('First paragraph.\n\nSecond paragraph.\n\nThird paragraph of it all.', 55)).toBe(
      'First paragraph.\n\nSecond paragraph.\n\nSee the report.',
    );
  });

  it('is cut behind a fence', () => {
    expect(cut(`\`\`\`ts\na\n\nb\n\`\`\`\nafter ${'x'.repeat(60)}`, 40)).toBe('```ts\na\n\nb\n```\n\nSee the report.');
  });

  it('closes a fence that it has to cut', () => {
    expect(cut(`\`\`\`\`ts\n${'line\n'.repeat(20)}\`\`\`\``, 45)).toBe(
      '````ts\nline\nline\nline\n````\n\nSee the report.',
    );
  });

  it('closes a fold that it has to cut', () => {
    expect(cut(`<details><summary>s</summary>\n\n${'line\n\n'.repeat(20)}</details>`, 75)).toBe(
      '<details><summary>s</summary>\n\nline\n\nline\n\n</details>\n\nSee the report.',
    );
  });

  it('is cut within a line when there is but one', () => {
    expect(cut('😀'.repeat(30), 22)).toBe('😀😀\n\nSee the report.');
  });

  it.each([
    ['characters', characters],
    ['bytes', bytes],
  ] as const)('never measures more than its %s allow', (_name, measure) => {
    const parts = fc.constantFrom(
      '```\n',
      '~~~\n',
      'text ',
      '\n',
      '\n\n',
      '😀é',
      '<details>',
      '</details>',
      '````ts\n',
      'x'.repeat(30),
    );
    const text = fc.array(parts, { maxLength: 60 }).map((list) => list.join(''));
    fc.assert(
      fc.property(text, fc.nat(300), (markdown, max) => {
        expect(measure(cutMarkdown(markdown, { max, measure, pointer }))).toBeLessThanOrEqual(max);
      }),
      { numRuns: 1000 },
    );
  });
});
