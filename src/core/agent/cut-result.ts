import { grouped } from '../grouped.ts';

/** Longest result of a tool that the model sees, in characters (OwlSight). */
export const maxResultCharacters = 30_000;

/** Cuts a long result at the end of a line and says how to get the rest. An empty one becomes words: servers refuse it. */
export function cutResult(result: string): { readonly text: string; readonly cut: boolean } {
  if (result === '') return { text: '(the result is empty)', cut: false };
  if (result.length <= maxResultCharacters) return { text: result, cut: false };
  const shown = result.slice(0, cutPosition(result));
  const note = `… cut: ${grouped(shown.length)} of ${grouped(result.length)} characters shown; ask for a line range`;
  return { text: `${shown}\n${note}`, cut: true };
}

function cutPosition(result: string): number {
  const lineEnd = result.lastIndexOf('\n', maxResultCharacters);
  if (lineEnd > 0) return lineEnd;
  // One endless line: only a pair of surrogates must stay whole.
  const lastCode = result.charCodeAt(maxResultCharacters - 1);
  return lastCode >= 0xd800 && lastCode <= 0xdbff ? maxResultCharacters - 1 : maxResultCharacters;
}
