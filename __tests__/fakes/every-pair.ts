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
  const open = new Set(cells.flatMap(pairsOf));
  for (const pair of known.flatMap(pairsOf)) open.delete(pair);
  const chosen: Cell[] = [];
  while (open.size > 0) {
    const gains = cells.map((cell) => pairsOf(cell).filter((pair) => open.has(pair)).length);
    const best = cells[gains.indexOf(Math.max(...gains))];
    if (best === undefined) break;
    chosen.push(best);
    for (const pair of pairsOf(best)) open.delete(pair);
  }
  return cells.filter((cell) => chosen.includes(cell));
}

function pairsOf(cell: readonly string[]): readonly string[] {
  return cell.flatMap((one, index) => cell.slice(index + 1).map((other, more) => `${index} ${one} ${more} ${other}`));
}
