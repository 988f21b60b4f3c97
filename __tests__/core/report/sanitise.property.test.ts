import * as fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { renderComment } from '../../../src/core/report/finding.ts';
import { sanitiseLine, sanitiseMarkdown } from '../../../src/core/report/sanitise.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { context, finding, goneFinding, keys, recordOf, review } from '../../fakes/review-record.ts';

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

describe('the comments of a review whose every word is hostile', () => {
  const ours = /<\/?(?:details|summary|sub|del|br)>|<!-- postil:v1 .*? -->/g;

  it('do nothing and stay within what GitHub takes', () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(1, 200, 20_000), (unit, times) => {
        const text = unit.repeat(Math.ceil(times / Math.max(1, unit.length)));
        const { sticky, comment } = renderedFrom(text);
        expect([sticky.length <= 65_536, comment.length <= 65_536]).toEqual([true, true]);
        const acting = [sticky, comment].flatMap((one) => actingParts(one.replace(ours, ' ')));
        expect(acting.filter((part) => !part.startsWith('https://github.com/acme/shop/'))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

/** The summary comment and an inline comment in which everything that others may write is this text. */
function renderedFrom(text: string): { readonly sticky: string; readonly comment: string } {
  const one = { title: text, review: text, evidence: text, suggestion: text, ruleId: text, path: text, alsoAt: [text] };
  const url = 'https://github.com/acme/shop/pull/7#discussion_r1';
  const identity = { name: text.slice(0, 100), run: '1-1', settings: '0'.repeat(16) };
  const record = recordOf({
    ...{ outcome: 'findings', identity, rationale: text, earlierReviews: 1 },
    placements: [
      { finding: finding(one), place: 'inline' },
      { finding: finding({ ...one, id: 'f2' }), place: 'summary', reason: text },
      { finding: finding({ ...one, id: 'f3' }), place: 'suppressed', reason: `declined by @${text}: “${text}”`, url },
    ],
    gone: [goneFinding({ title: text }, url)],
    walkthrough: Array.from({ length: 3 }, () => ({ path: text, changes: text, checked: text })),
    coverage: {
      ...{ reviewed: [text], earlier: [text], missing: [text], unread: [{ path: text, reason: text, code: true }] },
      ...{ skipped: [{ path: text, reason: text }], unreviewed: [{ path: text, reason: text }] },
    },
    limits: { ...review().limits, model: text },
  });
  const signing = { ...context, keys };
  const sticky = renderSticky(record, { ...signing, comment: 1, reviewer: text }) ?? '';
  return {
    sticky,
    comment: renderComment(finding({ ...one, suggestion: null }), { context: signing, marks: () => '' }),
  };
}

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
