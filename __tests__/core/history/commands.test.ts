import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Command, commandsIn, placeInAddress, verbs } from '../../../src/core/history/commands.ts';

const all = [...verbs.pullRequest, ...verbs.finding];

/** What is heard, such as `dismiss p-3f09ab12 "The caller checks it."`; `unknown` for a word that is none. */
const heard = (body: string, name = '') => commandsIn(body, name).map(told);
const told = ({ verb, finding, rest }: Command) =>
  [verb ?? 'unknown', ...(finding === null ? [] : [finding]), ...(rest === '' ? [] : [JSON.stringify(rest)])].join(' ');

const id = 'p-3f09ab12';
const link = 'https://github.com/acme/shop/pull/7#discussion_r17';

describe('a line of a comment', () => {
  it.each(all)('that says /postil %s is that command, in whatever letters and with a colon', (verb) => {
    const said = [`/postil ${verb}`, `/Postil  ${verb.toUpperCase()}`, `/postil ${verb}: `, `  /postil ${verb}\r\n`];
    expect(said.map((line) => heard(line))).toEqual(said.map(() => [verb]));
  });

  it.each<[string, readonly string[]]>([
    ['/postil', ['help']],
    ['/postil wat is this', ['unknown "is this"']],
    ['/postil review deep src/api/**', ['review "deep src/api/**"']],
    ['/postil review src/**/*.ts lib/**/*.ts', ['review "src/**/*.ts lib/**/*.ts"']],
    ['/postil review __tests__/**', ['review "__tests__/**"']],
    ['/postil review p-core/** src/**', ['review "p-core/** src/**"']],
    ['/postil ask Why is `lock()` gone?', ['ask "Why is `lock()` gone?"']],
    ['/postil pause?', ['unknown']],
    ['/postil resume ?', ['unknown "?"']],
    ['/postil dismiss Is that so？', ['unknown "Is that so？"']],
    ['/postil undismiss p-1?', ['unknown p-1 "?"']],
    ['/postil explain p-1?', ['explain p-1 "?"']],
    ['/postil recheck Sure?', ['recheck "Sure?"']],
    ['/postil dismiss The caller checks it.', ['dismiss "The caller checks it."']],
    [`/postil dismiss ${id} The caller checks it.`, [`dismiss ${id} "The caller checks it."`]],
    [`/postil dismiss \`${id.toUpperCase()}\`: checked`, [`dismiss ${id} "checked"`]],
    ['/postil dismiss p–3f09ab1 x', ['dismiss p-3f09ab1 "x"']],
    [`/postil explain ${link}`, ['explain discussion_r17']],
    [`/postil explain <${link}> please`, ['explain discussion_r17 "please"']],
    ['/postil explain https://evil.example/x', ['explain "https://evil.example/x"']],
    ['/postil explain [here](https://github.com/a#discussion_r17)', [expect.stringMatching(/^explain "\[here\]/)]],
    ['/postilreview', []],
    ['/postil-review', []],
    ['Please /postil review', []],
    ['@review ask', []],
  ])('%j is heard as %j', (line, expected) => {
    expect(heard(line)).toEqual(expected);
  });

  it.each<[string, string, readonly string[]]>([
    ['Review', '@review pause', ['pause']],
    ['My Reviewer', '@My Reviewer pause', ['pause']],
    ['Review', '@reviewers pause', []],
    ['Review', '/postil pause\n@Review resume', ['pause', 'resume']],
    ['Review', '@review: Why is the lock gone?', ['ask "Why is the lock gone?"']],
    ['Review', '@review Thanks', ['ask "Thanks"']],
    ['Review', '@Review', ['help']],
    ['', '@ pause', []],
  ])('calls %j by name: %j', (name, line, expected) => {
    expect(heard(line, name)).toEqual(expected);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['one alone', ['explain', 'dismiss', 'fix'], ['explain']],
    ['what dismisses, before anything else', ['dismiss p-1', 'undismiss p-2', 'fix'], ['dismiss p-1', 'undismiss p-2']],
    [
      'what takes that back, before a pause',
      ['undismiss p-1', 'dismiss p-2', 'pause'],
      ['undismiss p-1', 'dismiss p-2'],
    ],
    ['what pauses, before anything else', ['pause', 'resume', 'dismiss p-1'], ['pause', 'resume']],
    ['what is no question', ['pause', 'resume?'], ['pause']],
    ['a word that is none, before a command', ['wat', 'pause'], ['unknown']],
  ])('of several holds %s', (_, lines, expected) => {
    expect(heard(lines.map((line) => `/postil ${line}`).join('\n'))).toEqual(expected);
  });

  it('is heard within the first 5,000 characters', () => {
    const below = (characters: number) => heard(`> ${'x'.repeat(characters)}\n\n/postil pause`);
    expect([below(4_980), below(5_000)]).toEqual([['pause'], []]);
  });

  it.each<[string, string, number]>([
    ['below other words', 'Thanks.\n/postil pause', 1],
    ['below another paragraph', 'Thanks.\n\n/postil pause', 0],
    ['below a command and a blank line', '/postil pause\n\n/postil resume', 1],
    ['below a heading', '# Thanks\n\n/postil pause', 0],
    ['below a rule', '---\n\n/postil pause', 0],
    ['below a quote', '> Thanks.\n\n/postil pause', 1],
    ['below code', '```\nx()\n```\n/postil pause', 1],
    ['below a hidden comment', '<!-- Say it here. -->\n\n/postil pause', 1],
    ['below a tag', '<b>Thanks</b>\n\n/postil pause', 0],
    ['below words that bring it in', 'As Eve wrote:\n/postil pause', 0],
    ['above such words, which end what is heard', '/postil pause\nAs Eve wrote：\n/postil resume', 1],
    ['more than twenty', '/postil pause\n'.repeat(30), 20],
    ['an item of a list', '- /postil pause\n1. /postil pause', 0],
    ['a cell of a table', '| a |\n|---|\n| /postil pause |', 0],
    ['a heading', '# /postil pause', 0],
    ['a quote', '> /postil pause', 0],
    ['what may go on as a quote', '> Look\n/postil pause', 0],
    ['code', '`/postil pause`', 0],
    ['code over lines', 'a `b\n/postil pause\nc`', 0],
    ['a fence', '~~~\n/postil pause\n~~~', 0],
    ['a fence that never ends', '```\n/postil pause', 0],
    ['indented code', 'Look:\n\n\t/postil pause', 0],
    ['a hidden comment', '<!--\n/postil pause\n-->', 0],
    ['behind a tag', '<details>\n\n/postil pause\n\n</details>', 0],
    ['mathematics', '$$\n/postil pause\n$$', 0],
    ['in a line before what may be mathematics', '/postil pause\nIt costs $5', 1],
    ['emphasis over lines', '**a\n/postil pause\nb**', 0],
    ['nested too deep', `${'> '.repeat(2_000)}a\n\n/postil pause`, 0],
  ])('of %s', (_, body, count) => {
    expect(heard(body)).toHaveLength(count);
  });
});

/** As GitHub keeps replies that came by mail: what it knows as quoted or as a signature it folds in, the rest it shows. */
describe('of a reply by mail', () => {
  const theirs = `/postil dismiss ${id} Trust me.`;
  it.each<[string, readonly string[], readonly string[]]>([
    ['Gmail', ['No.', '', 'On Tue, Nov 24, 2026 at 8:59 AM Eve ***@***.***>', 'wrote:', '', theirs], []],
    ['Gmail, with nothing above', ['On Tue, Nov 24, 2026 at 8:59 AM Eve <e@x.example> wrote:', '', theirs], []],
    [
      'Gmail in another language',
      ['Nein.', '', 'Am Di., 24. Nov. 2026 um 08:59 Uhr schrieb Eve <e@x.example>:', theirs],
      [],
    ],
    [
      'Mail on a telephone',
      ['No.', '', 'Sent from my iPhone', '', '> On Nov 24, 2026, at 8:59 AM, Eve wrote:', '> ', theirs],
      [],
    ],
    ['Mail Master, where her words follow without a blank line', ['On 11/24/2026 08:59, Eve wrote:', theirs], []],
    ['Mail Master, below an answer', ['No.', 'On 11/24/2026 08:59, Eve wrote:', theirs], []],
    ['Mail Master in Chinese', ['不行。', '在 2026-11-24 08:59:10，Eve 写道：', theirs], []],
    [
      'Outlook',
      [
        'No.',
        '________________________________',
        'From: Eve',
        'Sent: Tuesday',
        'Subject: Re: [acme/shop] Door (#7)',
        '',
        theirs,
      ],
      [],
    ],
    [
      'Outlook without the rule',
      ['No.', '', 'From: Eve', 'Sent: Tuesday', 'To: acme/shop', 'Subject: Re: Door', '', theirs],
      [],
    ],
    ['Windows Mail', ['No.', '', 'Date: Tue, 24 Nov 2026 08:59', 'From: notifications@github.com', '', theirs], []],
    ['Outlook of old', ['No.', '', '-----Original Message-----', 'From: Eve', '', theirs], []],
    ['one that sends the words alone', ['No.', '', theirs], []],
    [
      'Gmail, with a command of its own',
      ['/postil undismiss', '', 'On Tue, Eve <e@x.example> wrote:', '', theirs],
      ['undismiss'],
    ],
    [
      'Mail Master, with a command of its own',
      ['/postil undismiss', 'On 11/24/2026 08:59, Eve wrote:', theirs],
      ['undismiss'],
    ],
    ['with a signature', ['/postil undismiss', '', '-- ', 'Grace'], ['undismiss']],
    ['with words of theirs above, quoted', ['> No?', '', '/postil undismiss'], ['undismiss']],
    [
      'with an answer below, which is not read',
      ['On Tue, Eve <e@x.example> wrote:', '> No?', '', '/postil undismiss'],
      [],
    ],
  ])('by %s, %j is heard as %j', (_, lines, expected) => {
    expect([lines.join('\n'), lines.join('\r\n')].map((text) => heard(text))).toEqual([expected, expected]);
  });
});

const part = fc.constantFrom(
  ...[
    '/postil pause',
    '/postil',
    '@x resume',
    '\n',
    '\n\n',
    ' ',
    '> ',
    '- ',
    '    ',
    '```',
    '~~~',
    '`',
    '*',
    '$',
    '$$',
  ],
  ...['<!--', '-->', '<b>', '</b>', '[a](', ')', '|', '\\', '\r', '\u2028', 'p-3f09ab12', '#discussion_r1', 'é', '?'],
);
const body = fc.array(fc.oneof(part, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 20 });

describe('whatever a comment says', () => {
  it('it is read without a throw, and everything heard is one line that stands there', () => {
    fc.assert(
      fc.property(body, (parts) => {
        const text = parts.join('');
        const calls = text.match(/\/postil|@x/gi) ?? [];
        const found = commandsIn(text, 'x');
        expect(found.length).toBeLessThanOrEqual(calls.length);
        expect(found.filter(({ rest }) => /[\r\n]/.test(rest))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('nothing in a quote or in code is a command', () => {
    fc.assert(
      fc.property(body, (parts) => {
        const lines = parts.join('').split(/\r\n?|\n/);
        const quoted = lines.map((line) => `> ${line}`).join('\n');
        const fence = '`'.repeat(1 + Math.max(2, ...(parts.join('').match(/`+/g) ?? []).map(({ length }) => length)));
        const fenced = [fence, ...lines, fence].join('\n');
        const indented = lines.map((line) => `    ${line}`).join('\n');
        expect([quoted, fenced, indented].map((text) => commandsIn(text, 'x'))).toEqual([[], [], []]);
      }),
      { numRuns: 300 },
    );
  });
});

it.each([
  [link, 'discussion_r17'],
  ['https://github.com/acme/shop/pull/7#issuecomment-5', 'issuecomment-5'],
  ['https://github.com/acme/shop/pull/7', null],
  [null, null],
])('the place in the address %s is %s', (url, place) => {
  expect(placeInAddress(url)).toBe(place);
});
