import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { declinesOf, decliningWords } from '../../../src/core/history/declines.ts';
import { ownRemark, remark, thread } from '../../fakes/review-record.ts';

const first = ownRemark('The last price is read past the end.');

/** By what this reply of somebody who may write declines. */
async function answered(body: string): Promise<readonly string[]> {
  const comments = [first, remark({ author: 'grace', body })];
  return (await declinesOf({ thread: thread({ comments }) }, async () => true)).map(({ how }) => how);
}

const forms = Object.values(decliningWords).flat();

describe('a reply', () => {
  it.each([
    ...forms,
    'False positive.',
    'FALSE POSITIVE',
    '**False positive**',
    '__By design.__ The caller checks it.',
    '*Not a bug*: the list is never empty.',
    'Won’t fix',
    "Won't fix - it goes away with the next release",
    'By design — see the docs',
    'by design—see the docs',
    'Ignore.',
    'This is a false  positive: `checkout()` guards it.',
    'Fehlalarm: der Aufrufer prüft das.',
    '誤検知。呼び出し側で確認しています。',
    '误报：调用方已经检查。',
    '> The loop reads one past the end\n\nfalse positive',
    '> - The loop\n> reads\n\n```ts\nfor (;;) {}\n```\nfalse positive',
    '```suggestion\nreturn 1;\n```\n\nBy design.',
    '<!-- Reply above this line -->\r\n\r\nFalse positive',
    '<!-- Reply\nabove this line -->\nFalse positive',
    'False positive <!-- thanks -->',
    'False positive.\n\nIs the rule still needed?',
    'False positive\n> quoted below',
    '/postil dismiss',
    '/postil dismiss The caller checks it.',
    '/Postil  Dismiss checked',
  ])('that says %j declines', async (body) => {
    const how = /^\/postil/i.test(body) ? 'dismissed' : 'reply';
    expect(await answered(body)).toEqual([how]);
  });

  it.each([
    'No. Do not merge this.',
    'This is definitely no false positive',
    'No tests cover this, please add one',
    'This is not a false positive.',
    'Not a false positive: it crashes in production.',
    'I do not think that this is a false positive',
    'Hardly a false positive.',
    'Is this a false positive?',
    'False positive?',
    'False positive? No.',
    'False positive - or is it?',
    'False positive？',
    'By design? Whose?',
    'False positive rate is high, but this one is real',
    'False positives are rare here. Fix it.',
    'False positive, I wish',
    'False positive… I wish',
    'False positive... I wish',
    'False positive!',
    'False-positive handling is broken too',
    'No',
    'No.',
    'Nope, this must be fixed.',
    'No way this can be merged',
    'No, this is a real bug',
    'Nein, das muss behoben werden.',
    'Non, il faut corriger.',
    'No es un falso positivo',
    'Não é um falso positivo',
    'いいえ',
    '誤検知ではありません',
    '不是误报',
    '误报吗？',
    'Kein Fehlalarm!',
    'Fehlalarm wäre schön',
    'Ce n’est pas un faux positif',
    'This is intentional? I doubt it.',
    'This is expected to crash. Block the release.',
    'That is fine, I will fix it today',
    'Works as intended, please leave it.',
    'It is not a bug, it is a vulnerability',
    'Not a bug but a security hole',
    'Nothing here is by design',
    'By designing it that way we broke it',
    'Ignore the comment below, this one is right',
    'Ignore-list entries are lost here',
    'Ignore -Wall',
    'ignore.md is missing',
    'ignored by mistake, please look at it',
    'Do not ignore this',
    'Please ignore my last comment',
    'Leave it as is and we lose data',
    "Won't fix itself, I guess",
    "We won't fix it by ignoring it",
    'Out of scope? It is the point of the change.',
    'I disagree with merging before this is fixed',
    'N/A in staging, fatal in production',
    '👎',
    '👍 by design',
    'Real. By design it must not happen.',
    'Real bug\n\nfalse positive',
    'The label `wontfix` is wrong',
    '`false positive`',
    '```false positive```',
    '~~false positive~~',
    '> false positive',
    '> false positive\n\nI do not agree.',
    '> I think that this is wrong:\nfalse positive',
    '> quoted\n- Keep it.\n\nfalse positive',
    '- > quoted\n- Keep it.\n\nfalse positive',
    '    false positive',
    '\tfalse positive',
    '```\nfalse positive\n```',
    '~~~ `\nfalse positive\n~~~',
    '``` <!-- -->\nfalse positive\n```',
    '```\nfalse positive',
    '<!-- false positive -->',
    '<!--\nfalse positive\n-->',
    '<!-->\nThis is real.\n<!-- -->\nfalse positive',
    '<!-- x --> This is real.\nfalse positive',
    '<blockquote>\n\nfalse positive\n\n</blockquote>',
    '<details><summary>What it said</summary>\n\nfalse positive\n\n</details>',
    '* ignore\n* warn\n* fail',
    '- ignore',
    '1. ignore',
    '# ignore',
    '| ignore |',
    '@github-actions false positive',
    'false\u200bpositive',
    'fаlse positive',
    '/postil dismiss?',
    '/postil dismissed',
    '/postil',
    'Type /postil dismiss to decline',
    '`/postil dismiss`',
    '> /postil dismiss',
    '    /postil dismiss x',
    '/postil dismiss p-3f09ab12 That is another finding.',
    '/postil dismiss p-3f09ab12: that too',
    '/postil undismiss',
    '/postil dismiss p-3f09ab1 A digit short.',
    '$$\nfalse positive\n$$',
    '',
  ])('that says %j declines nothing', async (body) => {
    expect(await answered(body)).toEqual([]);
  });

  const form = fc.constantFrom(...forms);
  const words = fc.string({ unit: 'grapheme' }).filter((text) => /[\p{L}\p{N}]/u.test(text) && !/[\r\n]/.test(text));
  const lines = fc.array(fc.oneof(words, fc.constant(''), form), { maxLength: 3 }).map((all) => all.join('\n'));

  it('declines nothing when other words of its own stand before the form', async () => {
    const own = words.filter((text) => !/^[\s>`~<*_]|<!--/.test(text));
    const glue = fc.constantFrom(' ', '\n', '\n\n', ', ', ': ', '');
    // Of two forms the first may stand by itself.
    const other = own.filter((text) => !forms.some((one) => text.toLowerCase().startsWith(one.toLowerCase())));
    await fc.assert(
      fc.asyncProperty(other, glue, form, lines, async (before, between, said, after) => {
        expect(await answered(`${before}${between}${said}\n${after}`)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('declines nothing when the form goes on without a dash, colon or full stop', async () => {
    const own = words.filter((text) => !/^\s*[—:：。．.*_–-]|<!--/.test(text));
    const named = fc.constantFrom(...forms);
    await fc.assert(
      fc.asyncProperty(named, own, lines, async (said, more, after) => {
        const longer = forms.some((one) => `${said} ${more}`.toLowerCase().trim() === one.toLowerCase());
        expect(await answered(`${said} ${longer ? 'x' : ''}${more}\n${after}`)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('declines nothing when a question mark is in the line, or all of it is quoted, code or hidden', async () => {
    const wrapped = fc.oneof(
      fc.tuple(form, words).map(([said, more]) => `${said} - ${more}?`),
      fc.tuple(lines, form).map(([text, said]) => `${text}\n${said}`.replace(/^/gm, '> ')),
      fc.tuple(form, lines).map(([said, text]) => `~~~\n${said}\n${text.replaceAll('~', '')}`),
      fc.tuple(form, lines).map(([said, text]) => `<!-- ${said}\n${said}\n${text.replaceAll('-->', '')}`),
    );
    await fc.assert(
      fc.asyncProperty(wrapped, async (body) => {
        expect(await answered(body)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps what the person wrote, without what they quote', async () => {
    const body = '> The last price is read\n\nFalse positive:\nsee the guard.';
    const comments = [first, remark({ author: 'grace', body })];
    const declines = await declinesOf({ thread: thread({ comments }) }, async () => true);
    expect(declines.map(({ words }) => words)).toEqual(['False positive: see the guard.']);
  });
});
