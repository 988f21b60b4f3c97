import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repositoryOfRemote } from '../../../src/core/repository/remote-url.ts';

describe('the repository of a remote', () => {
  it.each([
    ['https://github.com/acme/shop.git', 'acme/shop'],
    ['https://github.com/acme/shop', 'acme/shop'],
    ['https://user:pass@github.com/acme/shop.js/', 'acme/shop.js'],
    ['git@github.com:acme/shop.git', 'acme/shop'],
    ['github.com:acme/shop', 'acme/shop'],
    ['ssh://git@GitHub.com:22/acme/shop.git', 'acme/shop'],
    ['https://gitlab.com/acme/shop.git', null],
    ['https://github.com.evil.example/acme/shop', null],
    ['https://github.com/acme', null],
    ['https://github.com/acme/shop/tree', null],
    ['gh:acme/shop', null],
    ['/srv/git/acme/shop.git', null],
    ['', null],
  ])('%s is %s', (url, repository) => {
    expect(repositoryOfRemote(url, 'https://github.com')).toBe(repository);
  });

  it('is looked for in any text without a throw, and has one form', () => {
    fc.assert(
      fc.property(fc.string(), fc.webUrl(), (url, server) => {
        expect(repositoryOfRemote(url, server) ?? 'o/r').toMatch(/^[\w-]+\/[\w.-]+$/);
      }),
    );
  });
});
