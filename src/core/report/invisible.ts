/**
 * Text without the characters that no reader sees: controls, zero-width and bidi characters, Unicode tags (FAILURES,
 * Security 5). Joiners and emoji selectors stay where scripts and emoji need them. Every line ends in `\n`.
 */
export function removeInvisible(text: string): string {
  return replaceInvisible(text, () => '');
}

/** The same text with those characters written as `\u{202E}`, for logs and terminals, where they could act. */
export function showInvisible(text: string): string {
  return replaceInvisible(text, (character) => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`);
}

/** One line of visible text: for titles, paths and reasons. */
export function visibleLine(text: string): string {
  return showInvisible(text).replace(/\s+/g, ' ').trim();
}

const lineEnds = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

// A joiner between letters or emoji beyond ASCII, and the selector behind an emoji, change what a reader sees.
const needed =
  /(?<=(?!\p{ASCII}|\p{DI})[\p{L}\p{M}\p{Extended_Pictographic}\p{EMod}]|\p{Extended_Pictographic}\uFE0F)[\u200C\u200D](?=(?!\p{ASCII}|\p{DI})[\p{L}\p{M}\p{Extended_Pictographic}])|(?<=(?!\p{ASCII})\p{Emoji})\uFE0F/u;

const unseen = /(?![\n\t])\p{Cc}|\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]|\p{Cs}/u;

const neededOrUnseen = new RegExp(`(${needed.source})|${unseen.source}`, 'gu');

function replaceInvisible(text: string, replacement: (character: string) => string): string {
  return text
    .replace(lineEnds, '\n')
    .replace(neededOrUnseen, (character, kept: string | undefined) => kept ?? replacement(character));
}
