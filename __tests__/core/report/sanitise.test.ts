import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageLink } from '../../../src/core/addresses.ts';
import { type Message, verbatim } from '../../../src/core/messages/message.ts';
import { renderComment } from '../../../src/core/report/finding.ts';
import { renderNotReviewed } from '../../../src/core/report/not-reviewed.ts';
import { renderReviewPost } from '../../../src/core/report/review-post.ts';
import { sanitiseLine, sanitiseMarkdown } from '../../../src/core/report/sanitise.ts';
import { repositoryLink } from '../../../src/core/report/sanitise-phrasing.ts';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { renderCheckSummary, renderSummary } from '../../../src/core/report/summary.ts';
import { context, deliveryOf, keys, reviewer } from '../../fakes/review-record.ts';
import { findingSaying, recordSaying } from '../../fakes/saying.ts';
import { actingParts, hostileText } from './hostile-text.ts';

const address = { serverUrl: 'https://github.com', repository: 'acme/shop' };
const options = { ...address, redact: context.redact };

const linked = '[x](https://github.com/acme/shop/blob/main/a.ts#L1)';
const joined = 'می\u200Cخواهم 👩\u200D💻 ❤\uFE0F';

describe('text of a model, sanitised', () => {
  it.each([
    ['a mention', 'Ask @octocat or @acme/admins.', 'Ask `@octocat` or `@acme/admins`.'],
    ['a mention that HTML splits', 'Ask @<b></b>octocat', 'Ask `@octocat`'],
    ['a closing keyword', 'Fixes #12, closes acme/shop#3, GH-4', 'Fixes `#12`, closes `acme/shop#3`, `GH-4`'],
    ['an address', 'See https://evil.example/x?y=1.', 'See `https://evil.example/x?y=1`.'],
    ['a foreign link', '[docs](https://evil.example/a)', 'docs (`https://evil.example/a`)'],
    ['a script link', '[click](javascript:alert`1`)', 'click (`` javascript:alert`1` ``)'],
    ['nothing of a link to a file', linked, linked],
    ['no joiner that words and emoji need', joined, joined],
    ['an image', '![the plan](https://evil.example/?leak)', 'the plan'],
    ['a hidden comment', 'a <!-- ignore the rules --> b', 'a b'],
    ['a marker of ours', 'a\n\n<!-- postil:v2 -->', 'a'],
    ['a marker of ours in code', '`<!-- postil:v2 -->`', '`<! -- postil:v2 -->`'],
    ['a generic type', 'Use Map<string, X> and List<String>', 'Use Map\\<string, X> and List\\<String>'],
    ['a slash command', 'Do it:\n/approve\n  /merge', 'Do it:\n`/approve`\n`/merge`'],
    ['a heading', '# Loud', '#### Loud'],
    ['a suggestion that nobody verified', '```suggestion\nrm()\n```', '```\nrm()\n```'],
    ['an unclosed fence', '```ts\nconst a = 1;', '```ts\nconst a = 1;\n```'],
    ['a block of code', '```ts\n@Injectable() // #1 <b>\n```', '```ts\n@Injectable() // #1 <b>\n```'],
    ['bidi characters', 'a\u202Eb\u2066c', 'abc'],
    ['a secret', 'The key is hunter2hunter2.', 'The key is \\[redacted: secret].'],
    ['a secret that HTML splits', 'hunter2<i></i>hunter2', '\\[redacted: secret]'],
  ])('leaves no harm in %s', (_name, text, harmless) => {
    expect(sanitiseMarkdown(text, options)).toBe(harmless);
  });

  it('shows as code what is nested deeper than anything that people write', () => {
    const text = '>'.repeat(20_000);
    const note = 'Shown as plain text, because its Markdown is too tangled:';
    expect(sanitiseMarkdown(text)).toBe(`${note}\n\n\`\`\`\n${text}\n\`\`\``);
  });
});

describe('a title, sanitised', () => {
  it.each([
    ['several lines', 'one\n\n- two\n```\nthree', 'one - two \\`\\`\\` three'],
    ['code', '`parse()` loses @last', '`parse()` loses `@last`'],
  ])('stays one line of text when it looks like %s', (_name, text, line) => {
    expect(sanitiseLine(text)).toBe(line);
  });

  it('reads without the parser as with it', () => {
    const part = fc.constantFrom(
      'www',
      'http',
      'acme',
      'deadbee',
      'GH',
      'é',
      'ab',
      ' ',
      ' ',
      ', ',
      ': ',
      ':',
      '.',
      ';',
    );
    const words = fc
      .array(part, { minLength: 1, maxLength: 12 })
      .map((parts) => parts.join('').replace(/\s+/g, ' ').trim());
    fc.assert(
      fc.property(words, (line) => {
        expect(`x ${sanitiseLine(line, options)}`.trimEnd()).toBe(sanitiseMarkdown(`x ${line}`, options));
      }),
      { numRuns: 500 },
    );
  });
});

describe('a link of a model', () => {
  it.each([
    'https://github.com/acme/shop/blob/main/src/a.ts#L1-L2',
    'https://github.com/acme/shop/commit/abc',
    'https://github.com/acme/shop/blob/main/a.md?plain=1#L1',
  ])('stays when it shows a file or commit: %s', (url) => {
    expect(repositoryLink(url, address)).toBe(url);
  });

  it('loses a query that could carry something away', () => {
    expect(repositoryLink('https://github.com/acme/shop/blob/main/a.ts?x=secret#L1', address)).toBe(
      'https://github.com/acme/shop/blob/main/a.ts#L1',
    );
  });

  it.each([
    'http://github.com/acme/shop/blob/main/a.ts',
    'https://github.com.evil.example/acme/shop/blob/main/a.ts',
    'https://github.com@evil.example/acme/shop/blob/main/a.ts',
    'https://user:pass@github.com/acme/shop/blob/main/a.ts',
    'https://github.com/acme/shop-evil/blob/main/a.ts',
    'https://github.com/acme/shop/blob/../../../evil/x',
    'https://github.com/acme/shop/blob/%2e%2e/%2E%2E/x/y',
    'https://github.com/acme/shop/blob\\..\\..\\..\\evil',
    'https://github.com/acme/shop/issues/1',
    'https://github.com/acme/shop/settings',
    'javascript:alert(1)',
    'src/a.ts',
    '',
  ])('goes when it leads elsewhere: %s', (url) => {
    expect(repositoryLink(url, address)).toBeNull();
  });

  it('goes when there is no repository to stay in', () => {
    expect(repositoryLink('https://github.com/acme/shop/blob/main/a.ts', { ...address, repository: null })).toBeNull();
  });

  it('keeps to a server under a path', () => {
    const server = { serverUrl: 'https://corp.example/github/', repository: 'acme/shop' };
    const url = 'https://corp.example/github/acme/shop/blob/main/a.ts';
    const beside = 'https://corp.example/acme/shop/blob/main/a.ts';
    expect([repositoryLink(url, server), repositoryLink(beside, server)]).toEqual([url, null]);
  });
});

const unredacted = { ...address, redact: (text: string) => text };

describe('what a model writes, sanitised', () => {
  it('does nothing when GitHub renders it, and says the same when it is sanitised again', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const once = sanitiseMarkdown(text, unredacted);
        expect([actingParts(once), sanitiseMarkdown(once, unredacted)]).toEqual([[], once]);
      }),
      { numRuns: 300 },
    );
  });

  it('stays one harmless line as a title', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = sanitiseLine(text, unredacted);
        expect([line.includes('\n'), actingParts(`**Warning** ${line}`)]).toEqual([false, []]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the comments of a review whose every word is hostile', () => {
  const ours = /<\/?(?:details|summary|sub|del|br)>|<!-- postil:v2 .*? -->/g;
  const declining = pageLink('reviews.md#declining-a-finding');

  it('do nothing and stay within what GitHub takes', () => {
    fc.assert(
      fc.property(hostileText, fc.constantFrom(1, 200, 20_000), (unit, times) => {
        const text = unit.repeat(Math.ceil(times / Math.max(1, unit.length)));
        const { sticky, comment } = renderedFrom(text);
        expect([sticky.length <= 65_536, comment.length <= 65_536]).toEqual([true, true]);
        const acting = [sticky, comment].flatMap((one) => actingParts(one.replace(ours, ' ').replace(declining, ' ')));
        expect(acting.filter((part) => !part.startsWith('https://github.com/acme/shop/'))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a message with the words of others in it', () => {
  const hostile =
    'a <img src=x> [b](https://evil.example) **c** @ada #12 <!-- postil:v2 x --> www.evil.example `d` fixes #3';
  const makers: readonly [string, (text: string) => Message][] = [
    ['as all of it', verbatim],
    ['as a name', (author) => ({ code: 'skip.author', author })],
    ['as code', (pattern) => ({ code: 'file.excluded', pattern })],
    ['as an address of ours', (url) => ({ code: 'answer.whole-summary', url })],
    ['as a message in a list', (text) => ({ code: 'because', what: verbatim(text), why: [verbatim(text)] })],
  ];

  it.each(makers)('makes no Markdown of them: %s', (_, saying) => {
    const record = recordSaying(hostile, {}, saying);
    const stop = { reason: 'incomplete', why: [saying(hostile)], stop: { reason: 'answered' } } as const;
    const deliveries = (['failed', 'delivered'] as const).map((status) =>
      deliveryOf('check run', { status, reason: [saying(hostile)] }),
    );
    const partial = { ...record, deliveries, review: { ...record.review, outcome: 'partial', stop } } as const;
    const failed = { ...record.review, outcome: 'failed' } as const;
    const signing = { ...context, keys };
    const inComment = { ...signing, comment: 1, present: null };
    const present = renderSticky(record, inComment) ?? '';
    const post = renderReviewPost(partial.review, signing);
    const surfaces = [
      ...[renderSummary(partial, context), renderCheckSummary(partial, context)],
      ...[present, renderSticky(partial, inComment) ?? '', post?.body ?? ''],
      ...[...(post?.comments ?? []), ...(post?.fileComments ?? [])].map(({ body }) => body),
      renderNotReviewed({ ...failed, stop }, { present, head: null, identity: reviewer, context: signing }) ?? '',
    ];
    // Markdown does not hold in a <summary>.
    const ours =
      /<summary>.*?<\/summary>|<\/?(?:details|sub|del|br)>|<!-- postil:(?:v2 \{.*?|(?:end-)?not-reviewed(?:-end)?) -->/g;
    const acting = surfaces.flatMap((text) => actingParts(text.replace(ours, ' ')));
    const isOurs = (part: string) => /^https:\/\/github\.com\/(?:acme\/shop|postil\/postil)\//.test(part);
    expect(acting.filter((part) => !isOurs(part))).toEqual([]);
    expect(surfaces.filter((text) => text.includes('evil')).length).toBeGreaterThan(5);
  });
});

/** The summary comment and an inline comment in which everything that others may write is this text. */
function renderedFrom(text: string): { readonly sticky: string; readonly comment: string } {
  const record = recordSaying(text);
  const identity = { ...reviewer, name: text.slice(0, 100) };
  const signing = { ...context, keys };
  const told = { ...record, review: { ...record.review, identity } };
  return {
    sticky: renderSticky(told, { ...signing, comment: 1, present: null, reviewer: text }) ?? '',
    comment: renderComment(findingSaying(text, { suggestion: null }), { context: signing, marks: () => '' }),
  };
}
