import * as fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { sanitiseLine, sanitiseMarkdown } from '../../../src/core/report/sanitise.ts';

const options = { serverUrl: 'https://github.com', repository: 'acme/shop', redact: (text: string) => text };

describe('what a model writes, sanitised', () => {
  it('says the same when it is sanitised again', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const once = sanitiseMarkdown(text, options);
        expect(sanitiseMarkdown(once, options)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });

  it('does nothing when GitHub renders it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(actingParts(sanitiseMarkdown(text, options))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('stays one harmless line as a title', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = sanitiseLine(text, options);
        expect([line.includes('\n'), actingParts(`**Warning** ${line}`)]).toEqual([false, []]);
      }),
      { numRuns: 300 },
    );
  });
});

const fragments = [
  ...[
    '@octocat',
    '#12',
    'fixes #3',
    'GH-4',
    'acme/shop#5',
    'https://evil.example/x',
    'www.evil.example',
    'a@evil.example',
  ],
  ...[
    '![a](https://evil.example/p.png)',
    '[a](https://evil.example)',
    '[a][ref]',
    '[ref]: https://evil.example',
    '![x][ref]',
  ],
  ...[
    'https://github.com/acme/shop/blob/main/a.ts#L1',
    '[f](https://github.com/acme/shop/blob/../../x)',
    '[^1]',
    '[^1]: n',
  ],
  ...[
    '<img src=x>',
    '<b>',
    '</b>',
    '<!-- postil:x -->',
    '<!--',
    '-->',
    '<details>',
    '<String>',
    '<a href="x',
    '<?x',
    '<![CDATA[',
  ],
  ...[
    '```',
    '```suggestion',
    '~~~',
    '`',
    '``',
    '    ',
    '\t',
    '- ',
    '1. ',
    '> ',
    '# ',
    '---',
    '***',
    '**',
    '*',
    '_',
    '~~',
    '|',
    '| - |',
  ],
  ...[
    '\n',
    '\n\n',
    ' ',
    '  \n',
    '\\',
    '\\\n',
    '/approve',
    '/close',
    '$x$',
    '$$',
    '&#64;octocat',
    '&lt;b&gt;',
    '&#x202E;',
    '\u202E',
  ],
  ...[
    '\u200B',
    '\u{E0041}',
    'a',
    'é',
    '!',
    '[',
    ']',
    '(',
    ')',
    '[ ] ',
    ':',
    '<https://evil.example>',
    '@<b></b>name',
    '=',
    '===',
  ],
];

const hostileText = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fragments) }, fc.string({ unit: 'grapheme', maxLength: 3 })),
    {
      maxLength: 24,
    },
  )
  .map((parts) => parts.join(''));

// What GitHub would act on, told by its own documented rules and not by the code under test.
function actingParts(markdown: string): readonly string[] {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const marker = /<!--\s*postil/i.test(markdown) ? ['a marker of ours'] : [];
  const unseen = /[\u200B\u202A-\u202E\u2066-\u2069]|\uDB40[\uDC00-\uDC7F]/.test(markdown)
    ? ['an invisible character']
    : [];
  return [...marker, ...unseen, ...actsIn(tree)];
}

function actsIn(node: Nodes): readonly string[] {
  switch (node.type) {
    case 'html':
    case 'image':
    case 'imageReference':
    case 'definition':
    case 'linkReference':
      return [node.type];
    case 'link':
      return /^https:\/\/github\.com\/acme\/shop\/(blob|tree|blame|commits?)\//.test(node.url) ? [] : [node.url];
    case 'code':
      return node.lang === 'suggestion' || node.lang === 'mermaid' ? [node.lang] : [];
    case 'text':
      return actingText(node.value);
    default:
      return 'children' in node ? node.children.flatMap(actsIn) : [];
  }
}

function actingText(text: string): readonly string[] {
  const mention = /(^|[^\w`])@[a-z\d]/i;
  const reference = /(^|[^\w])(#\d|gh-\d)/i;
  const address = /https?:\/\/|www\.|\S@\w/i;
  const command = /(^|\n)\s*\/[a-z]/i;
  return [mention, reference, address, command].filter((one) => one.test(text)).map((one) => `${one} in ${text}`);
}
