import { en } from '../../src/core/messages/en.ts';
import { inEnglish } from '../../src/core/messages/languages.ts';
import type { Templates } from '../../src/core/messages/message.ts';
import { createTranslator, type Translator } from '../../src/core/messages/translator.ts';
import { builtInRules } from '../../src/core/rules/built-in-rules.ts';

/** Our own English in letters that no English text has: what is left in Latin letters is not from a catalogue. Code between backticks stays. */
export function otherLetters(text: string): string {
  return text
    .split(/(`[^`]*`|\{\w+(?::\w+(?:\([^)]*\))?)?\})/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[a-z]/gi, otherLetter)))
    .join('');
}

function otherLetter(letter: string): string {
  const code = letter.toLowerCase().charCodeAt(0) - 97;
  const other = String.fromCodePoint(0x430 + code);
  return letter === letter.toLowerCase() ? other : other.toUpperCase();
}

/** A language that needs no translator. */
export function pseudoLanguage(): Translator {
  const rules = builtInRules.map(({ id, title, guidance }) => [
    id,
    { title: otherLetters(title), review: otherLetters(guidance) },
  ]);
  return createTranslator({
    tag: inEnglish.tag,
    thousands: ',',
    messages: pseudoTemplates(),
    rules: Object.fromEntries(rules),
  });
}

function pseudoTemplates(): Templates {
  const templates = Object.entries(en).map(([code, template]) => [
    code,
    typeof template === 'string'
      ? otherLetters(template)
      : { one: otherLetters(template.one), other: otherLetters(template.other) },
  ]);
  return { ...en, ...Object.fromEntries(templates) };
}
