/** The first lines of a text, in at most so many characters. A first line that is longer is cut itself, never inside a character. */
export function firstLines(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = text.lastIndexOf('\n', maxCharacters);
  if (end > 0) return text.slice(0, end);
  return text.slice(0, isInsideCharacter(text, maxCharacters) ? maxCharacters - 1 : maxCharacters);
}

function isInsideCharacter(text: string, at: number): boolean {
  return /[\u{D800}-\u{DBFF}]/u.test(text.charAt(at - 1)) && /[\u{DC00}-\u{DFFF}]/u.test(text.charAt(at));
}
