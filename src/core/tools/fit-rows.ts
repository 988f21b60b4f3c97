import { limits } from './limits.ts';

export type FittedRows = { readonly rows: readonly string[] /** How many did not fit. */; readonly left: number };

/** The first rows that fit into one result: at most `maxRows`, and no more characters than the model gets to see. */
export function fitRows(rows: readonly string[], maxRows: number): FittedRows {
  let characters = 0;
  let fitting = 0;
  for (const row of rows.slice(0, maxRows)) {
    characters += row.length + 1;
    if (characters > limits.resultCharacters) break;
    fitting += 1;
  }
  return { rows: rows.slice(0, fitting), left: rows.length - fitting };
}
