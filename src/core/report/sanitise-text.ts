import { removeInvisible } from './invisible.ts';

export type TextPart = { readonly text: string; readonly active: boolean };

/** Cuts a text into plain stretches and words that GitHub or a bot would act on, such as `@name` or `#12`. */
export function splitActive(text: string): readonly TextPart[] {
  const parts = text
    .split(/(\s+)/)
    .flatMap((word) => (acts(word) ? withoutPunctuation(word) : [{ text: word, active: false }]));
  return parts.filter((part) => part.text !== '');
}

/** Code as it was written, without characters that nobody sees, our own markers, and secrets. */
export function cleanCode(code: string, redact: (text: string) => string): string {
  return breakMarkers(redact(removeInvisible(code)));
}

/** Text as it was written, without what `cleanCode` removes and without blank lines, which would end the paragraph. */
export function cleanText(text: string, redact: (text: string) => string): string {
  return cleanCode(text, redact)
    .replace(/[^\S\n]*\n\s*/g, '\n')
    .replace(/ {2,}/g, ' ');
}

// A marker of ours in a comment of ours would be believed later (FAILURES P18).
export function breakMarkers(text: string): string {
  return text.replace(/<!--(?=\s*postil)/gi, '<! --');
}

// Mentions and mail, addresses, issue references, formulas, and slash commands (paths look better as code anyway).
const triggers = /@[\p{L}\p{N}]|:\/\/|www\.|#\d|(?<![a-z])gh-\d|\$|^\/\p{L}/iu;

function acts(word: string): boolean {
  return triggers.test(word);
}

// No character that starts an active word is in these sets: what they cut off is harmless.
function withoutPunctuation(word: string): readonly TextPart[] {
  const start = /^["'([{<*_~,;]*/.exec(word)?.[0].length ?? 0;
  const end = trailing(word);
  return [
    { text: word.slice(0, start), active: false },
    { text: word.slice(start, end), active: true },
    { text: word.slice(end), active: false },
  ];
}

function trailing(word: string): number {
  let end = word.length;
  while (end > 1 && `"')]}>*_~,;:.!?`.includes(word.charAt(end - 1))) end--;
  return end;
}
