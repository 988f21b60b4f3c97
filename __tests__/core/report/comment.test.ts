import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { renderComment, renderFileComment } from '../../../src/core/report/finding.ts';
import {
  bytes,
  characters,
  cutMarkdown,
  removeInvisible,
  showInvisible,
  visibleLine,
} from '../../../src/core/report/text.ts';
import { context, finding, keys, linesAt, pullRequest } from '../../fakes/review-record.ts';

function comment(one: Finding, more: Partial<typeof context> = {}): string {
  return renderComment(one, { context: { ...context, ...more }, marks: () => '' });
}

function twoLines(changes: Partial<Finding>): Finding {
  return finding({ anchor: linesAt([4, 5], 'a();\nb();'), evidence: '', ...changes });
}

describe('the comment on a finding', () => {
  it('says what is wrong, how to fix it and why it is true', () => {
    expect(comment(finding({ ruleId: 'index', alsoAt: ['src/b.ts:3'] }))).toMatchInlineSnapshot(`
      "**🔴 Critical · The last price is read past the end**

      For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      \`\`\`suggestion
        return items[items.length - 1].price;
      \`\`\`

      <details><summary>Evidence: 2 places cited</summary>

      \`src/cart.ts:12\` indexes by \`length\`; \`checkout()\` in \`src/checkout.ts:40\` calls it for every order.

      </details>

      <sub>bug · rule \`index\` · also at \`src/b.ts:3\`</sub>"
    `);
  });

  it('links the other places of a finding at the reviewed commit', () => {
    const form = { context, pullRequest, marks: () => '' };
    const text = renderComment(finding({ alsoAt: ['src/b.ts:3-5', 'and 2 more'] }), form);
    const address = `https://github.com/acme/shop/blob/${pullRequest.head.sha}/src/b.ts#L3-L5`;
    expect(text.split('\n').at(-1)).toBe(`<sub>bug · also at [\`src/b.ts:3-5\`](${address}), \`and 2 more\`</sub>`);
  });

  it('names the ways to decline it where an answer counts', () => {
    const text = comment(finding({ verification: 'confirmed' }), { keys });
    expect(text.split('\n').filter((line) => line.startsWith('<'))).toEqual([
      '<details><summary>Evidence: 2 places cited, confirmed by verification</summary>',
      '</details>',
      expect.stringMatching(
        /^<sub>bug · Wrong\? .*"false positive" .*`\/postil dismiss REASON`, .*👎.*\bdocs\/reviews\.md.*\)<\/sub>$/,
      ),
    ]);
  });

  it.each([
    ['a **b** c', '**🔴 Critical** · a **b** c'],
    ['ends \\', '**🔴 Critical** · ends \\\\'],
  ])('keeps the emphasis of the title %j apart from its own', (title, heading) => {
    expect(comment(finding({ title })).split('\n')[0]).toBe(heading);
  });

  it.each([
    ['makes its fence longer than those in a suggestion', '```\nc();\n```', '````suggestion\n```\nc();\n```\n````'],
    ['suggests to remove lines by an empty block', '', '```suggestion\n```\n\n<sub>'],
    ['takes the final newline of a suggestion for the end of its last line', 'c();\r\n', 'n\nc();\n```\n\n<sub>'],
  ])('%s', (_, suggestion, expected) => {
    expect(comment(twoLines({ suggestion }))).toContain(expected);
  });

  it.each<[string, Partial<Finding>]>([
    ['is about removed lines', { anchor: linesAt([4, 5], 'a();\nb();', 'LEFT') }],
    ['was narrowed to a part of its quote', { anchor: linesAt([5, 5], 'b();'), narrowed: true }],
    ['replaces more than ten lines', { anchor: linesAt([5, 15], '') }],
    ['puts more than ten lines there', { suggestion: 'c();\n'.repeat(11) }],
    ['suggests a marker of ours', { suggestion: 'c(); <!-- postil:x -->' }],
    ['suggests invisible characters', { suggestion: 'c\u202E();' }],
    ['suggests a secret', { suggestion: 'c("hunter2hunter2");' }],
  ])('shows the suggestion as code that nobody can apply when it %s', (_name, changes) => {
    const text = comment(twoLines({ suggestion: 'c();', ...changes }));
    expect([text.includes('```suggestion'), text.includes('Suggested change:\n\n```ts\nc')]).toEqual([false, true]);
  });

  it('stays within what GitHub takes, with its fences and folds closed', () => {
    const evidence = `\`\`\`\n${'line\n'.repeat(20_000)}`;
    const text = comment(twoLines({ review: '*a* '.repeat(20_000), evidence, suggestion: 'x'.repeat(50_000) }));
    expect([text.length < 25_000, text.includes('too long to show')]).toEqual([true, true]);
    expect(text.endsWith('\n\n</details>\n\n<sub>bug</sub>')).toBe(true);
  });
});

describe('the comment on a file', () => {
  it('says which lines it is about', () => {
    const how = { links: { context, pullRequest }, marks: () => '' };
    expect(renderFileComment(twoLines({ suggestion: 'c();' }), how)).toMatchInlineSnapshot(`
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

const needed = 'می\u200Cخواهم 👩\u200D💻 ❤\uFE0F';

describe('invisible characters', () => {
  it.each([
    ['are removed where people read', 'a\u0000b\u200Bc\u202Ed\u{E0041}e\uFEFFf\u00ADg\r\nh\ti\uD800', 'abcdefg\nh\ti'],
    ['stay in words and emoji that need them', `${needed} pass\u200Dword 1\uFE0F`, `${needed} password 1`],
  ])('%s', (_, text, rendered) => {
    expect(removeInvisible(text)).toBe(rendered);
  });

  it('are written out where they could act, and leave one line of a text of many', () => {
    expect(showInvisible('a\u001B[2Jb\u200B\u{E0041}\rc')).toBe('a\\u{1B}[2Jb\\u{200B}\\u{E0041}\nc');
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

describe('Markdown that is too long', () => {
  const fold = '<details><summary>s</summary>\n\n';
  it.each([
    ['is cut between paragraphs', 'One one.\n\nTwo two.\n\nThree, and much more.', 36, 'One one.\n\nTwo two.'],
    ['closes a fence that it has to cut', `\`\`\`\`ts\n${'line\n'.repeat(20)}`, 45, '````ts\nline\nline\nline\n````'],
    ['closes a fold that it has to cut', fold + 'line\n\n'.repeat(20), 75, `${fold}line\n\nline\n\n</details>`],
    ['is cut within a line when there is but one', '😀'.repeat(30), 22, '😀😀'],
  ])('%s', (_, text, max, left) => {
    expect(cutMarkdown(text, { max, measure: characters, pointer })).toBe(`${left}\n\n${pointer}`);
  });

  it.each([
    ['characters', characters],
    ['bytes', bytes],
  ] as const)('never measures more than its %s allow', (_name, measure) => {
    const folds = ['<details>', '</details>'];
    const parts = fc.constantFrom('```\n', '~~~\n', '````ts\n', 'text ', '\n', '\n\n', '😀é', ...folds, 'x'.repeat(30));
    const text = fc.array(parts, { maxLength: 60 }).map((list) => list.join(''));
    fc.assert(
      fc.property(text, fc.nat(300), (markdown, max) => {
        expect(measure(cutMarkdown(markdown, { max, measure, pointer }))).toBeLessThanOrEqual(max);
      }),
      { numRuns: 1000 },
    );
  });
});
