import * as fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

const words = [
  '@octocat #12 GH-4 acme/shop#5 https://evil.example/x www.evil.example a@evil.example',
  '![a](https://evil.example/p.png) [a](https://evil.example) [a][ref] ![x][ref] [^1]',
  'https://github.com/acme/shop/blob/main/a.ts#L1 [f](https://github.com/acme/shop/blob/../../x)',
  '<b> </b> <!-- <!--postil:x--> --> <details> </details> </sub> <String> <?x <![CDATA[ <https://evil.example> @<b></b>name',
  '``` ```suggestion ~~~ ` `` --- *** ** * _ ~~ | \\ /approve /close $x$ $$',
  '&#64;octocat &lt;b&gt; &#x202E; \u202E \u200B \u{E0041} a é ! [ ] ( ) : = ===',
].flatMap((line) => line.split(' '));

const fragments = [
  ...words,
  ...['fixes #3', '[ref]: https://evil.example', '[^1]: n', '<img src=x>', '<a href="x', '<!-- postil:x -->', '[ ] '],
  ...['    ', '\t', '- ', '1. ', '> ', '# ', '| - |', '\n', '\n\n', ' ', '  \n', '\\\n'],
];

/** Markdown of parts that GitHub may act on. */
export const hostileText = fc
  .array(
    fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fragments) }, fc.string({ unit: 'grapheme', maxLength: 3 })),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''));

/** What GitHub would act on, told by its own documented rules and not by the code under test. */
export function actingParts(markdown: string): readonly string[] {
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const marker = /<!--\s*postil/i.test(markdown) ? ['a marker of ours'] : [];
  const isUnseen = /[\u200B\u202A-\u202E\u2066-\u2069]|\uDB40[\uDC00-\uDC7F]/.test(markdown);
  return [...marker, ...(isUnseen ? ['an invisible character'] : []), ...actsIn(tree)];
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
