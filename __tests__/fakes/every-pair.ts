/** The full product runs where this variable is 1: `npm run test:full`. */
export const full = process.env['POSTIL_TEST_FULL'] === '1';

/**
 * Few of the cells of a matrix that still hold every pair of values which stands in one of its cells. The pairs of `known`
 * are proven elsewhere. Always the same few; all of them in a full run.
 */
export function everyPair<Cell extends readonly string[]>(
  cells: readonly Cell[],
  known: readonly Cell[] = [],
): readonly Cell[] {
  if (full) return cells;
  const pairs = cells.map(pairsOf);
  const open = new Set(pairs.flat());
  for (const pair of known.flatMap(pairsOf)) open.delete(pair);
  const chosen = new Set<number>();
  while (open.size > 0) {
    const gains = pairs.map((ofCell) => ofCell.filter((pair) => open.has(pair)).length);
    const best = gains.indexOf(Math.max(...gains));
    chosen.add(best);
    for (const pair of pairs[best] ?? []) open.delete(pair);
  }
  return cells.filter((_, index) => chosen.has(index));
}

function pairsOf(cell: readonly string[]): readonly string[] {
  return cell.flatMap((one, index) => cell.slice(index + 1).map((other, more) => `${index} ${one} ${more} ${other}`));
}

type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows names and indexes into parsed JSON; undefined where the way ends. */
export function at(value: unknown, ...way: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of way) {
    if (Array.isArray(current) && typeof step === 'number') current = current[step];
    else if (isObject(current) && typeof step === 'string') current = current[step];
    else return undefined;
  }
  return current;
}

export function textAt(value: unknown, ...way: readonly (string | number)[]): string {
  const found = at(value, ...way);
  return typeof found === 'string' ? found : '';
}

export function listAt(value: unknown, ...way: readonly (string | number)[]): readonly unknown[] {
  const found: unknown = at(value, ...way);
  return Array.isArray(found) ? found : [];
}

/** Null instead of an exception for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
