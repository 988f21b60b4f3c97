import { grouped } from '../grouped.ts';

/** What one tool call gives at most. Results stay under the loop's 30,000 characters, so that their notes are never cut off. */
export const limits = {
  resultCharacters: 29_000,
  /** Characters of one line; minified files have lines of megabytes. */
  lineCharacters: 2_000,
  /** Lines of a range (`read_file_lines`). */
  rangeLines: 2_000,
  listedFiles: 500,
  /** OwlSight's number. */
  matches: 100,
  matchCharacters: 400,
  patternCharacters: 500,
  blameLines: 500,
  logEntries: 50,
  treeLines: 250,
  outlineEntries: 400,
  /** Of one symbol (`find_symbol`). */
  definitions: 5,
  bodyLines: 30,
  uses: 30,
} as const;

/** A number and what it counts, such as `1,200 lines`. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`;
}
