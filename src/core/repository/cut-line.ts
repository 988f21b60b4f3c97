import { grouped } from '../grouped.ts';

/** One line, cut with a note when it is longer than `maxCharacters`. */
export function cutLine(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  // The cut never leaves half a character.
  const end = /[\u{D800}-\u{DBFF}]/u.test(text.charAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return `${text.slice(0, end)} … (cut: ${grouped(end)} of ${grouped(text.length)} characters)`;
}
