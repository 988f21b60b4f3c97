import { shown } from '../repository/shown.ts';

/** Of a text that somebody else wrote, so many characters on one line. */
export function quotedLine(value: string, limit: number): string {
  return quotedText(value.replaceAll(/\s+/g, ' '), limit);
}

/**
 * Of a text that somebody else wrote, so many characters, said where it is cut. What it hides (HTML comments, invisible characters)
 * is shown: it is where injections live.
 */
export function quotedText(value: string, limit: number): string {
  // Redacted before it is cut, or the part of a secret that is left would no longer look like one.
  const readable = shown(value.slice(0, limit + longestSecret).split('\n')).map((shownLine) => shownLine.text);
  return cut(readable.join('\n'), { limit, of: value.length });
}

const longestSecret = 4_000;

function cut(value: string, { limit, of }: { limit: number; of: number }): string {
  return value.length <= limit ? value.trim() : `${value.slice(0, limit).trim()} … [cut: ${of} characters in all]`;
}
