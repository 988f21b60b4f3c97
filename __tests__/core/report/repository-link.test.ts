import { describe, expect, it } from 'vitest';
import { repositoryLink } from '../../../src/core/report/repository-link.ts';

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
