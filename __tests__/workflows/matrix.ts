import { isObject } from '../fakes/every-pair.ts';

type Combination = Readonly<Record<string, unknown>>;

/** Of a matrix, as GitHub makes them: the product of its lists; `include` extends those that it does not contradict, or adds one. */
export function combinationsOf(matrix: object): readonly Combination[] {
  const { include = [], exclude, ...lists } = Object.fromEntries(Object.entries(matrix));
  if (exclude !== undefined) throw new Error('The runner does not know `exclude`.');
  const names = Object.keys(lists);
  let product: Combination[] = names.length === 0 ? [] : [{}];
  for (const [name, values] of Object.entries(lists)) {
    product = product.flatMap((one) => [values].flat().map((value: unknown) => ({ ...one, [name]: value })));
  }
  const more: Combination[] = [];
  for (const added of [include].flat().filter(isObject)) {
    const extended = product.filter((one) => names.every((name) => !(name in added) || added[name] === one[name]));
    for (const one of extended) product[product.indexOf(one)] = { ...one, ...added };
    if (extended.length === 0) more.push(added);
  }
  return [...product, ...more];
}
