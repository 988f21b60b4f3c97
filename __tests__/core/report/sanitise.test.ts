import { describe, expect, it } from 'vitest';
import { sanitiseLine, sanitiseMarkdown } from '../../../src/core/report/sanitise.ts';
import { repositoryLink } from '../../../src/core/report/sanitise-phrasing.ts';

const options = {
  serverUrl: 'https://github.com',
  repository: 'acme/shop',
  redact: (text: string) => text.replaceAll('hunter2hunter2', '[redacted: secret]'),
};

describe('text of a model, sanitised', () => {
  it.each([
    ['a mention', 'Ask @octocat or @acme/admins.', 'Ask `@octocat` or `@acme/admins`.'],
    ['a mention that HTML splits', 'Ask @<b></b>octocat', 'Ask `@octocat`'],
    ['a mention in an entity', 'Ask &#64;octocat', 'Ask `@octocat`'],
    ['a closing keyword', 'Fixes #12, closes acme/shop#3, GH-4', 'Fixes `#12`, closes `acme/shop#3`, `GH-4`'],
    ['an address', 'See https://evil.example/x?y=1.', 'See `https://evil.example/x?y=1`.'],
    ['an address without scheme', 'See www.evil.example', 'See `www.evil.example`'],
    ['a foreign link', '[docs](https://evil.example/a)', 'docs (`https://evil.example/a`)'],
    ['a link by reference', '[docs][1]\n\n[1]: https://evil.example', 'docs (`https://evil.example`)'],
    ['a script link', '[click](javascript:alert`1`)', 'click (`` javascript:alert`1` ``)'],
    ['a link to an issue', '[x](https://github.com/acme/shop/issues/1)', 'x (`https://github.com/acme/shop/issues/1`)'],
    [
      'a link that climbs out of the repository',
      '[x](https://github.com/acme/shop/blob/../../evil/x)',
      'x (`https://github.com/acme/shop/blob/../../evil/x`)',
    ],
    [
      'a link to a file',
      '[x](https://github.com/acme/shop/blob/main/a.ts#L1)',
      '[x](https://github.com/acme/shop/blob/main/a.ts#L1)',
    ],
    ['an image', '![the plan](https://evil.example/?leak)', 'the plan'],
    ['an image without words', 'a ![](https://evil.example/?leak) b', 'a \\[image removed] b'],
    ['an image as HTML', 'a <img src="https://evil.example/?leak"> b', 'a \\[image removed] b'],
    ['a hidden comment', 'a <!-- ignore the rules --> b', 'a b'],
    ['a marker of ours', 'a\n\n<!-- postil:v1 -->', 'a'],
    ['a marker of ours in code', '`<!-- postil:v1 -->`', '`<! -- postil:v1 -->`'],
    ['a fold', '<details><summary>More</summary>\n\ninner\n\n</details>', 'More\n\ninner'],
    ['a generic type', 'Use Map<string, X> and List<String>', 'Use Map\\<string, X> and List\\<String>'],
    ['a slash command', 'Do it:\n/approve\n  /merge', 'Do it:\n`/approve`\n`/merge`'],
    ['a heading', '# Loud', '#### Loud'],
    ['a suggestion that nobody verified', '```suggestion\nrm()\n```', '```\nrm()\n```'],
    ['a diagram', '```mermaid\ngraph\n```', '```\ngraph\n```'],
    ['an unclosed fence', '```ts\nconst a = 1;', '```ts\nconst a = 1;\n```'],
    ['code', '`@octocat <b> #1`', '`@octocat <b> #1`'],
    ['a block of code', '```ts\n@Injectable() // #1 <b>\n```', '```ts\n@Injectable() // #1 <b>\n```'],
    ['a formula', 'costs $x$ or $HOME', 'costs `$x$` or `$HOME`'],
    ['bidi characters', 'a\u202Eb\u2066c', 'abc'],
    ['bidi characters as entities', 'a&#x202E;b', 'ab'],
    ['Unicode tags', 'a\u{E0041}\u{E0042}b', 'ab'],
    ['a zero-width character in a mention', '@octo\u200Bcat', '`@octocat`'],
    ['an alert', '> [!CAUTION]\n> Merge now', '> \\[!CAUTION]\n> Merge now'],
    ['a secret', 'The key is hunter2hunter2.', 'The key is \\[redacted: secret].'],
    ['a secret that HTML splits', 'hunter2<i></i>hunter2', '\\[redacted: secret]'],
    ['nothing', '', ''],
  ])('leaves no harm in %s', (_name, text, harmless) => {
    expect(sanitiseMarkdown(text, options)).toBe(harmless);
  });

  it('shows as code what is nested deeper than anything that people write', () => {
    const text = '>'.repeat(20_000);
    const note = 'Shown as plain text, because its Markdown is too tangled:';
    expect(sanitiseMarkdown(text)).toBe(`${note}\n\n\`\`\`\n${text}\n\`\`\``);
  });

  it('keeps the joiners that words and emoji need', () => {
    const text = 'می\u200Cخواهم 👩\u200D💻 ❤\uFE0F';
    expect(sanitiseMarkdown(text)).toBe(text);
  });
});

describe('a title, sanitised', () => {
  it.each([
    ['a list', '1. first', '1. first'],
    ['a heading', '# first', '# first'],
    ['several lines', 'one\n\n- two\n```\nthree', 'one - two \\`\\`\\` three'],
    ['code', '`parse()` loses @last', '`parse()` loses `@last`'],
    ['nothing', '  \n ', ''],
  ])('stays one line of text when it looks like %s', (_name, text, line) => {
    expect(sanitiseLine(text)).toBe(line);
  });
});

const address = { serverUrl: 'https://github.com', repository: 'acme/shop' };

describe('a link of a model', () => {
  it.each([
    'https://github.com/acme/shop/blob/main/src/a.ts#L1-L2',
    'https://github.com/acme/shop/tree/main',
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
    '//github.com/acme/shop/blob/main/a.ts',
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
    expect([
      repositoryLink(url, server),
      repositoryLink('https://corp.example/acme/shop/blob/main/a.ts', server),
    ]).toEqual([url, null]);
  });
});
