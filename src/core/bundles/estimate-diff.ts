import type { Hunk } from '../pull-request/changed-file.ts';
import { maxChangedCharacters } from '../pull-request/line-windows.ts';

/** Line numbers of both sides and the sign take about five tokens a line. */
const tokensOfGutter = 5;
const charactersPerToken = 3.3;
const tokensOfHeader = 20;

/**
 * Tokens that a hunk takes in the prompt. Counted by characters: the plan of a million lines must not wait for a tokenizer;
 * the call itself is estimated again before it is paid.
 */
export function estimateHunk(hunk: Hunk): number {
  let characters = 0;
  for (const line of hunk.lines) characters += Math.min(line.length, maxChangedCharacters);
  return tokensOfHeader + hunk.lines.length * tokensOfGutter + Math.ceil(characters / charactersPerToken);
}

export function estimateHunks(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, hunk) => sum + estimateHunk(hunk), tokensOfHeader);
}
