import { describe, expect, it } from 'vitest';
import { findStack, type OpenPull, type StackSearch } from '../../../src/core/pull-request/find-stack.ts';

/** Written `#2 b→a`: pull request 2 from branch b into branch a. */
type Written = `#${number} ${string}→${string}`;

function pullsOf(open: readonly Written[]) {
  return open.map((written) => {
    const [, number = '', head = '', base = ''] = /^#(\d+) (.+)→(.+)$/.exec(written) ?? [];
    return { head, pull: { number: Number(number), title: `Title ${number}`, base } };
  });
}

async function search(base: string, open: readonly Written[], more: Partial<StackSearch> = {}) {
  const asked: string[] = [];
  const pullsFrom = async (branch: string): Promise<readonly OpenPull[]> => {
    asked.push(branch);
    return pullsOf(open).flatMap(({ head, pull }) => (head === branch ? [pull] : []));
  };
  const tipOf = async (branch: string) => `tip of ${branch}`;
  const given = { base: { ref: base, sha: `tip of ${base}` }, defaultBranch: 'main', declared: null };
  const stack = await findStack({ ...given, pullsFrom, tipOf, ...more });
  return { stack, asked };
}

const declared = (ref: string) => ({ declared: { ref, sha: `declared ${ref}` } });
const layers = (count: number) =>
  Array.from(
    { length: count },
    (_, index) => `#${index + 1} l${index + 1}→${index === 0 ? 'main' : `l${index}`}` as const,
  );

describe('findStack', () => {
  it.each<[string, string, readonly Written[], Partial<StackSearch>, (string | number)[] | null, readonly string[]]>([
    ['asks nothing below the default branch', 'main', ['#1 main→stable'], {}, null, []],
    ['finds none below a release branch', 'release/1.2', [], {}, null, ['release/1.2']],
    ['finds none below a branch whose pull request is closed', 'a', [], {}, null, ['a']],
    ['finds the layers below, the lowest first', 'b', ['#1 a→main', '#2 b→a'], {}, ['tip of main', 1, 2], ['b', 'a']],
    ['ends at a release branch', 'b', ['#1 a→release', '#2 b→a'], {}, ['tip of release', 1, 2], ['b', 'a', 'release']],
    [
      'takes of two from one branch the one that ends it',
      'a',
      ['#1 a→evil', '#2 a→main'],
      {},
      ['tip of main', 2],
      ['a'],
    ],
    ['takes of two from one branch else the oldest', 'a', ['#3 a→x', '#2 a→y'], {}, ['tip of y', 2], ['a', 'y']],
    ['takes the default branch for a circle', 'a', ['#1 a→b', '#2 b→a'], {}, ['tip of main', 2, 1], ['a', 'b']],
    ['takes the commit that GitHub declares', 'a', ['#1 a→main'], declared('main'), ['declared main', 1], ['a']],
    [
      'goes where GitHub says when a layer is closed',
      'b',
      ['#2 b→a'],
      declared('main'),
      ['declared main', 2],
      ['b', 'a'],
    ],
    [
      'believes no declared base that is unmerged itself',
      'b',
      ['#3 c→main'],
      declared('c'),
      ['tip of main', 3],
      ['b', 'c'],
    ],
    ['finds none in the lowest layer', 'release', [], declared('release'), null, ['release']],
    [
      'prefers the declared base',
      'a',
      ['#1 a→main', '#2 a→release'],
      declared('release'),
      ['declared release', 2],
      ['a', 'release'],
    ],
  ])('%s', async (_, base, open, more, expected, asks) => {
    const { stack, asked } = await search(base, open, more);
    expect([stack && [stack.base.sha, ...stack.below.map(({ number }) => number)], asked]).toEqual([expected, asks]);
  });

  it('goes down twenty layers, and takes the default branch where there are more', async () => {
    const { stack, asked } = await search('l30', layers(30));
    expect([stack?.base.ref, stack?.below.length, stack?.below[0]?.number, asked.length]).toEqual(['main', 20, 11, 20]);
  });

  it('does not go on without an answer', async () => {
    const pullsFrom = async () => Promise.reject(new Error('502'));
    await expect(search('a', [], { pullsFrom })).rejects.toThrow('502');
  });

  it('does not take a branch of a circle for merged code where no default branch is known', async () => {
    await expect(search('a', ['#1 a→b', '#2 b→a'], { defaultBranch: null })).rejects.toThrow('has no end');
  });
});
