import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configProblem, seenAt, sharedConfigIn, withShared } from '../../../src/core/settings/shared-config.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

const acme = { owner: 'acme', repository: 'settings', ref: 'v1', path: '.postil/config.yml' };

describe('the setting `config`', () => {
  it.each([
    ['acme/settings@v1', acme],
    ['acme/settings@v1:.postil/config.yml', acme],
    ['a.b/c-d@release/2026.1:x/y.yml', { owner: 'a.b', repository: 'c-d', ref: 'release/2026.1', path: 'x/y.yml' }],
    ['.postil/config.yml', null],
    ['configs/ci@work.yml/file.yml', { owner: 'configs', repository: 'ci', ref: 'work.yml/file.yml', path: acme.path }],
    ['acme/settings', null],
    ['acme/settings@', null],
  ])('%s', (config, expected) => {
    expect(sharedConfigIn(config)).toEqual(expected);
  });

  it('refuses paths that lead out of a repository, and takes every other', () => {
    const bad = ['../a.yml', '/etc/a.yml', 'acme/settings@v1:../a.yml', 'acme/settings@v1:/a.yml', '.git/config'];
    const good = ['.postil/config.yml', 'a.yml', 'acme/settings@v1', 'acme/settings@v1:a/b.yml'];
    expect([...bad, ...good].filter((config) => configProblem([config]) === null)).toEqual(good);
  });
});

describe('a repository with shared files in it', () => {
  const other = new MemoryRepository({}, { base: { 'x/c.yml': 'c', 'x/rules/a.md': 'a', 'xy.md': 'no', 'b.md': 'b' } });
  const own = new MemoryRepository({ 'h.md': 'h' }, { base: { 'b.md': 'own', '.postil/shared/c.yml': 'hidden' } });
  const seen = withShared(own, other, { ...acme, path: 'x/c.yml' });
  const text = async (path: string, at: 'base' | 'head' | 'merge-base') => {
    const content = await seen.readFile(path, at);
    return content.kind === 'text' ? content.text : content.kind;
  };

  it('shows what lies beside the shared file at the base alone, and none of its own in that place', async () => {
    expect((await seen.listFiles('base')).map(({ path }) => path)).toEqual([
      '.postil/shared/c.yml',
      '.postil/shared/rules/a.md',
      'b.md',
    ]);
    expect((await seen.listFiles('head')).map(({ path }) => path)).toEqual(['h.md']);
    expect([await text('.postil/shared/c.yml', 'base'), await text('b.md', 'base')]).toEqual(['c', 'own']);
    expect(await text('.postil/shared/rules/a.md', 'head')).toBe('unreadable');
    expect(seenAt({ ...acme, path: 'x/c.yml' })).toBe('.postil/shared/c.yml');
  });

  it('never changes what is read of the change itself', async () => {
    const paths = fc.constantFrom('h.md', 'b.md', '.postil/shared/c.yml', '.postil/shared/rules/a.md', 'xy.md');
    await fc.assert(
      fc.asyncProperty(paths, fc.constantFrom('head' as const, 'merge-base' as const), async (path, at) => {
        expect(await seen.readFile(path, at)).toEqual(await own.readFile(path, at));
      }),
    );
  });
});
