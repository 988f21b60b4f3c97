import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlockOptions, withBlock, withoutBlock } from '../../../src/core/history/own-block.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';

const options: BlockOptions = { name: 'Review', most: 65_536, render: () => '| What changes |\n| --- |' };

function described(description: string, more: Partial<BlockOptions> = {}) {
  return withBlock(description, { ...options, ...more });
}

/** What is written into an empty description. */
function blockOf(more: Partial<BlockOptions> = {}): string {
  const made = described('', more);
  if (!('description' in made) || made.description === null) throw new Error('Nothing was written.');
  return made.description;
}

const block = blockOf();
const older = blockOf({ render: () => 'Older.' });

describe('the block in a description', () => {
  it('has a text between two marks, in an empty description', () => {
    expect(block).toMatchInlineSnapshot(`
      "<!-- postil:walkthrough "Review" -->

      | What changes |
      | --- |

      <!-- postil:walkthrough-end -->"
    `);
    expect(described(' \n')).toEqual({ description: `${block} \n` });
  });

  it.each([
    ['is the same', block],
    ['is the same with other line ends', block.replaceAll('\n', '\r\n')],
    ['stands between words', `Before.\r\n\r\n${block}\r\nAfter.`],
  ])('is not written where it %s', (_, description) => {
    expect(described(description)).toEqual({ description: null });
  });

  it('takes the place of an older one, with the line ends of the description', () => {
    expect(described(`Before.\n${older}\nAfter.`)).toEqual({ description: `Before.\n${block}\nAfter.` });
    expect(described(`Before.\r\n${older}`)).toEqual({ description: `Before.\r\n${block.replaceAll('\n', '\r\n')}` });
  });

  it.each([
    ['it holds words of a person', 'Fixes the sum.'],
    ['it holds the walkthrough of another reviewer', blockOf({ name: 'Other' })],
    ['the marks around the walkthrough were changed', older.slice(1)],
    ['the marks around the walkthrough were changed', older.slice(0, -1)],
    ['the marks around the walkthrough were changed', `${older}\n${older}`],
    ['the marks around the walkthrough were changed', older.split('\n').toReversed().join('\n')],
    ['the marks around the walkthrough were changed', older.replace('" -->', '"')],
    ['there is no room left in it', `${'x'.repeat(65_000)}${older}`],
  ])('is not written where %s', (why, description) => {
    const left = described(description);
    expect('why' in left && inEnglish(left.why)).toBe(why);
  });

  it('has as much room as GitHub leaves, with two characters for the end of a line where there are two', () => {
    for (const lineEnd of ['\n', '\r\n']) {
      const words = `${'x'.repeat(40_000)}${lineEnd}`;
      const render = (room: number) => 'y\n'.repeat(40_000).slice(0, room);
      const made = described(`${words}${older}`, { render });
      const length = 'description' in made ? (made.description?.length ?? 0) : 0;
      expect([length <= 65_536, length > 64_000 - 13_000 * (lineEnd.length - 1)]).toEqual([true, true]);
    }
  });

  it('carries any name, which ends no mark', () => {
    const names = ['a" --> <b>', 'Über — @ada #1', '--', ''];
    const written = names.map((name) => [
      described(blockOf({ name }), { name }),
      blockOf({ name }).split('-->').length,
    ]);
    expect(written).toEqual(names.map(() => [{ description: null }, 3]));
  });

  it('leaves whatever stands around it as it is, in every description', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\r\n', '\n', block, older, block.slice(0, 36), '<!-- postil:walkthrough-end -->', '-->', ' '),
    );
    const descriptions = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(descriptions, (description) => {
        const made = described(description);
        if (!('description' in made) || made.description === null) return;
        const isNew = withoutBlock(description) === description;
        expect(withoutBlock(made.description)).toBe(withoutBlock(description));
        expect(isNew && description.trim() !== '').toBe(false);
        expect(described(made.description)).toEqual({ description: null });
      }),
    );
  });
});
