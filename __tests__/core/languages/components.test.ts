import { afterAll, describe, expect, it } from 'vitest';
import { componentImports } from '../../../src/core/languages/pattern-syntax.ts';
import { changedFile, hunkOf, MemoryRepository } from '../../fakes/memory-repository.ts';
import { chainOf, parser, placesOf } from '../context/searching.ts';

afterAll(() => parser.close());

const tax = 'export function taxFor(country: string): number {\n  return country.length;\n}\n';
const components = {
  vue: "<template>\n  <p>{{ sum }}</p>\n</template>\n<script setup lang=\"ts\">\nimport { taxFor } from '@/tax';\nconst sum = taxFor('fr');\n</script>\n",
  svelte:
    "<script lang=\"ts\">\n  import { taxFor } from '../tax.js';\n  const sum = taxFor('fr');\n</script>\n<p>{sum}</p>\n",
  astro: "---\nimport {\n  taxFor,\n} from '../tax';\nconst sum = taxFor('fr');\n---\n<p>{sum}</p>\n",
};
const kinds = [
  ['vue', 6],
  ['svelte', 3],
  ['astro', 5],
] as const;

function repositoryWith(extension: keyof typeof components) {
  return new MemoryRepository({ 'src/tax.ts': tax, [`src/views/Cart.${extension}`]: components[extension] });
}

describe.each(kinds)('a component in .%s', (extension, line) => {
  it('is a caller of the TypeScript function that it imports', async () => {
    const change = changedFile('src/tax.ts', { lines: ['+export function taxFor(country: string): number {'] });
    const chain = await chainOf(repositoryWith(extension), { changes: [change] });
    expect(placesOf(chain)).toEqual([`caller src/views/Cart.${extension}:${line} taxFor`]);
  });

  it('is shown with the definitions of what its changed lines use', async () => {
    const added = components[extension].split('\n')[line - 1] ?? '';
    const hunks = [hunkOf([`+${added}`], { oldStart: line, newStart: line })];
    const change = changedFile(`src/views/Cart.${extension}`, { hunks });
    const chain = await chainOf(repositoryWith(extension), { changes: [change] });
    expect(placesOf(chain)).toContain('definition src/tax.ts:1-3 taxFor');
  });
});

it('a component that imports a namesake, or has the word in its text alone, is no caller', async () => {
  const repository = new MemoryRepository({
    'src/tax.ts': tax,
    'src/other.ts': 'export function taxFor() {}\n',
    'src/Cart.vue': "<script>\nimport { taxFor } from './other';\ntaxFor('fr');\n</script>\n",
    'src/Total.vue': '<template>\n  <p>taxFor</p>\n</template>\n',
  });
  const change = changedFile('src/tax.ts', { lines: ['+export function taxFor(country: string): number {'] });
  expect(placesOf(await chainOf(repository, { changes: [change] }))).toEqual([]);
});

describe('the imports of a component', () => {
  it.each([
    ["import Cart from './Cart.vue'", ['default Cart']],
    ["import Cart, { tax as rate, type Item } from './cart'", ['default Cart', 'tax rate', 'Item Item']],
    ["import type { Item } from './cart'", ['Item Item']],
    ["import * as shop from './shop'", ['* shop']],
    ["import './style.css'", []],
    ["// import { tax } from './tax'", []],
  ])('of %s are %j', (text, names) => {
    const found = componentImports(text).imports.flatMap((each) => each.names);
    expect(found.map(({ name, local }) => `${name} ${local}`)).toEqual(names);
  });

  it('stand on the line of their source, and use none of their names', () => {
    const { imports, lines } = componentImports("\nimport {\n  tax,\n} from './tax';\n\nimport a from 'a';\n");
    expect([imports.map(({ line }) => line), [...lines]]).toEqual([
      [4, 6],
      [2, 3, 4, 6],
    ]);
  });

  it('take no time where no statement ends', () => {
    expect(componentImports('import \n'.repeat(60_000)).imports).toEqual([]);
  });
});
