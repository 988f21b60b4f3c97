import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { citedPlaces, renderComment, renderFileComment } from '../../../src/core/report/finding.ts';
import {
  bytes,
  characters,
  cutMarkdown,
  removeInvisible,
  showInvisible,
  visibleLine,
} from '../../../src/core/report/text.ts';
import { context, finding, keys, pullRequest } from '../../fakes/review-record.ts';

function twoLines(changes: Partial<Finding>): Finding {
  return finding({
    anchor: { kind: 'lines', side: 'RIGHT', startLine: 4, endLine: 5, quote: 'a();\nb();' },
    evidence: '',
    ...changes,
  });
}

describe('the comment on a finding', () => {
  it('says what is wrong, how to fix it and why it is true', () => {
    expect(
      renderComment(finding({ ruleId: 'index', alsoAt: ['src/b.ts:3'] }), { context, marks: () => '' }),
    ).toMatchInlineSnapshot(`
      "**🔴 Critical · The last price is read past the end**

      For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      \`\`\`suggestion
        return items[items.length - 1].price;
      \`\`\`

      <details><summary>Evidence: 2 places read</summary>

      \`src/cart.ts:12\` indexes by \`length\`; \`checkout()\` in \`src/checkout.ts:40\` calls it for every order.

      </details>

      <sub>bug · rule \`index\` · also at \`src/b.ts:3\`</sub>"
    `);
  });

  it('says how to decline it where an answer counts', () => {
    const comment = renderComment(finding({ verification: 'confirmed' }), {
      context: { ...context, keys },
      marks: () => '',
    });
    expect(comment.split('\n').filter((line) => line.startsWith('<'))).toEqual([
      '<details><summary>Evidence: 2 places read, confirmed by verification</summary>',
      '</details>',
      '<sub>bug · Wrong? Reply "false positive" or "won\'t fix", or react with 👎: it will not be raised again.</sub>',
    ]);
  });

  it.each([
    ['`src/a.ts:12`, again src/a.ts:12 and src/a.ts', 1],
    ['src/a.ts lines 10-25 and Makefile:3, then docs/b.md', 3],
    ['src/a.ts:12. See src/a.ts. Also lines 3, 9-12 of it, and cart.ts (lines 2 and 4).', 5],
    ['a change of the profile', 0],
    ['`items.length` at 12:30 on localhost:8080, and/or so', 0],
  ])('counts the places that %j names', (evidence, places) => {
    expect(citedPlaces(evidence)).toBe(places);
  });

  it.each([
    ['a **b** c', '**🔴 Critical** · a **b** c'],
    ['ends \\', '**🔴 Critical** · ends \\\\'],
  ])('keeps the emphasis of the title %j apart from its own', (title, heading) => {
    expect(renderComment(finding({ title }), { context, marks: () => '' }).split('\n')[0]).toBe(heading);
  });

  it('makes the fence of a suggestion longer than those in it', () => {
    expect(renderComment(twoLines({ suggestion: '```\nc();\n```' }), { context, marks: () => '' })).toContain(
      '\n````suggestion\n```\nc();\n```\n````',
    );
  });

  it.each([
    ['suggests to remove lines by an empty block', '', /\n```suggestion\n```\n\n<sub>/],
    [
      'takes the final newline of a suggestion for the end of its last line',
      'c();\r\n',
      /\n```suggestion\nc\(\);\n```\n\n<sub>/,
    ],
  ])('%s', (_, suggestion, expected) => {
    expect(renderComment(twoLines({ suggestion }), { context, marks: () => '' })).toMatch(expected);
  });

  it.each([
    [
      'is about removed lines',
      { anchor: { kind: 'lines', side: 'LEFT', startLine: 4, endLine: 5, quote: 'a();\nb();' } },
    ],
    [
      'was narrowed to a part of its quote',
      { anchor: { kind: 'lines', side: 'RIGHT', startLine: 5, endLine: 5, quote: 'b();' }, narrowed: true },
    ],
    [
      'replaces more than ten lines',
      { anchor: { kind: 'lines', side: 'RIGHT', startLine: 5, endLine: 15, quote: '' } },
    ],
    ['puts more than ten lines there', { suggestion: 'c();\n'.repeat(11) }],
    ['suggests a marker of ours', { suggestion: 'c(); <!-- postil:x -->' }],
    ['suggests invisible characters', { suggestion: 'c\u202E();' }],
    ['suggests a secret', { suggestion: 'c("hunter2hunter2");' }],
  ] as const)('shows the suggestion as code that nobody can apply when it %s', (_name, changes) => {
    const comment = renderComment(twoLines({ suggestion: 'c();', ...changes }), { context, marks: () => '' });
    expect([comment.includes('```suggestion'), comment.includes('Suggested change:\n\n```ts\nc')]).toEqual([
      false,
      true,
    ]);
  });

  it('stays within what GitHub takes, with its fences and folds closed', () => {
    const long = {
      review: '*a* '.repeat(20_000),
      evidence: `\`\`\`\n${'line\n'.repeat(20_000)}`,
      suggestion: 'x'.repeat(50_000),
    };
    const comment = renderComment(twoLines(long), { context, marks: () => '' });
    expect([
      comment.length < 25_000,
      comment.endsWith('\n\n</details>\n\n<sub>bug</sub>'),
      comment.includes('too long to show'),
    ]).toEqual([true, true, true]);
  });

  it('keeps the words of the model harmless', () => {
    const comment = renderComment(
      finding({ title: 'Ask @ada', review: 'Fixes #1 <img src=x>', evidence: '</details> ![](https://evil.example)' }),
      { context, marks: () => '' },
    );
    expect(comment).toMatchInlineSnapshot(`
      "**🔴 Critical · Ask \`@ada\`**

      Fixes \`#1\` \\[image removed]

      \`\`\`suggestion
        return items[items.length - 1].price;
      \`\`\`

      <details><summary>Evidence</summary>

      \`![](https://evil.example\`)

      </details>

      <sub>bug</sub>"
    `);
  });
});

describe('the comment on a file', () => {
  it('says which lines it is about', () => {
    const comment = renderFileComment(twoLines({ suggestion: 'c();' }), {
      links: { context, pullRequest },
      marks: () => '',
    });
    expect(comment).toMatchInlineSnapshot(`
      "**🔴 Critical · The last price is read past the end**\\
      [\`src/cart.ts:4-5\`](https://github.com/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/src/cart.ts#L4-L5)

      \`\`\`ts
      a();
      b();
      \`\`\`

      For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      Suggested change:

      \`\`\`ts
      c();
      \`\`\`

      <sub>bug</sub>"
    `);
  });
});

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
