import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { renderComment, renderFileComment } from '../../../src/core/report/comment.ts';
import { context, finding, pullRequest } from '../../fakes/review-record.ts';

function twoLines(changes: Partial<Finding>): Finding {
  return finding({
    anchor: { kind: 'lines', side: 'RIGHT', startLine: 4, endLine: 5, quote: 'a();\nb();' },
    evidence: '',
    ...changes,
  });
}

describe('the comment on a finding', () => {
  it('says what is wrong, how to mend it and why it is true', () => {
    expect(
      renderComment(finding({ ruleId: 'index', alsoAt: ['src/b.ts:3'] }), { context, marks: () => '' }),
    ).toMatchInlineSnapshot(`
      "**Critical · bug** The last price is read past the end

      For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      \`\`\`suggestion
        return items[items.length - 1].price;
      \`\`\`

      <details><summary>Evidence</summary>

      \`src/cart.ts:12\` indexes by \`length\`; \`checkout()\` in \`src/checkout.ts:40\` calls it for every order.

      </details>

      <sub>Rule \`index\` · Also at \`src/b.ts:3\`</sub>"
    `);
  });

  it('makes the fence of a suggestion longer than those in it', () => {
    expect(renderComment(twoLines({ suggestion: '```\nc();\n```' }), { context, marks: () => '' })).toContain(
      '\n````suggestion\n```\nc();\n```\n````',
    );
  });

  it('suggests to remove lines by an empty block', () => {
    expect(renderComment(twoLines({ suggestion: '' }), { context, marks: () => '' })).toMatch(/\n```suggestion\n```$/);
  });

  it('takes the final newline of a suggestion for the end of its last line', () => {
    expect(renderComment(twoLines({ suggestion: 'c();\r\n' }), { context, marks: () => '' })).toMatch(
      /\n```suggestion\nc\(\);\n```$/,
    );
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
    expect([comment.length < 25_000, comment.endsWith('\n\n</details>'), comment.includes('too long to show')]).toEqual(
      [true, true, true],
    );
  });

  it('keeps the words of the model harmless', () => {
    const comment = renderComment(
      finding({ title: 'Ask @ada', review: 'Fixes #1 <img src=x>', evidence: '</details> ![](https://evil.example)' }),
      { context, marks: () => '' },
    );
    expect(comment).toMatchInlineSnapshot(`
      "**Critical · bug** Ask \`@ada\`

      Fixes \`#1\` \\[image removed]

      \`\`\`suggestion
        return items[items.length - 1].price;
      \`\`\`

      <details><summary>Evidence</summary>

      \`![](https://evil.example\`)

      </details>"
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
      "**Critical · bug** The last price is read past the end\\
      [\`src/cart.ts:4-5\`](https://github.com/acme/shop/blob/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/src/cart.ts#L4-L5)

      \`\`\`ts
      a();
      b();
      \`\`\`

      For any cart \`items[items.length]\` is undefined, so \`.price\` throws. Read the last index instead.

      Suggested change:

      \`\`\`ts
      c();
      \`\`\`"
    `);
  });
});
