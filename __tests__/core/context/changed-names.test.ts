import { afterAll, describe, expect, it } from 'vitest';
import { changedNames } from '../../../src/core/context/changed-names.ts';
import { changedFile, hunkOf, MemoryRepository } from '../../fakes/memory-repository.ts';
import { indexOf, parser } from './searching.ts';

afterAll(() => parser.close());

const head = 'export class Cart {\n  total(): number {\n    return 2;\n  }\n}\nexport const rate = 7;\n';
const before = head.replace('return 2', 'return 1').replace('rate', 'oldRate');
const lines = [
  ...[' export class Cart {', '   total(): number {', '-    return 1;', '+    return 2;', '   }', ' }'],
  ...['-export const oldRate = 7;', '+export const rate = 7;'],
];

describe('the names that a change defines, removes or renames', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'are those of the definitions that it touches, and of those that are gone',
      'src/cart.ts',
      ['oldRate', 'rate', 'total'],
    ],
    ['are told by keywords where no grammar knows the file', 'src/cart.zz', ['oldRate', 'rate']],
    ['are none in prose', 'docs/cart.md', []],
  ])('%s', async (_, path, names) => {
    const index = indexOf(new MemoryRepository({ [path]: head }, { mergeBase: { [path]: before } }));
    const file = changedFile(path, { hunks: [hunkOf(lines)] });
    expect([...(await changedNames(index, file))].toSorted()).toEqual(names);
  });

  it.each<[string, string, readonly string[]]>([
    ['the function that git heads a hunk with', 'int total_of(struct cart *c)', ['cart', 'total_of']],
    ['no other head', 'Chapter one', []],
  ])('are, where nothing is parsed, also %s', async (_, heading, names) => {
    const file = changedFile('src/cart.zz', { hunks: [hunkOf(['-a', '+b'], { heading })] });
    expect([...(await changedNames(null, file))].toSorted()).toEqual(names);
  });

  it('are also by which others import a file that is deleted or renamed', async () => {
    const gone = [
      changedFile('src/old-cart.test.ts', { status: 'deleted' }),
      changedFile('src/new.ts', { status: 'renamed', oldPath: 'src/prices.ts' }),
    ];
    const names = await Promise.all(gone.map((file) => changedNames(null, file)));
    expect(names.map((one) => [...one])).toEqual([['old', 'cart'], ['prices']]);
  });
});
