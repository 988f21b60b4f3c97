import { en } from '../../src/core/messages/en.ts';
import type { Templates } from '../../src/core/messages/message.ts';
import { builtInRules } from '../../src/core/rules/built-in-rules.ts';
import english from '../../src/core/words/german.json' with { type: 'json' };
import { type Say, type Sentence, sayFrom } from '../../src/core/words/say.ts';

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

export const sentences: readonly Sentence[] = sentencesOf(english.sentences);

function sentencesOf<Key extends string>(catalogue: Readonly<Record<Key, string>>): readonly Key[] {
  const isKey = (key: string): key is Key => key in catalogue;
  return Object.keys(catalogue).filter(isKey);
}

/** A language that needs no translator. */
export function pseudoLanguage(): Say {
  const rules = builtInRules.map(({ id, title, guidance }) => [
    id,
    { title: otherLetters(title), review: otherLetters(guidance) },
  ]);
  const words = sentences.map((sentence) => [sentence, otherLetters(sentence)] as const);
  const catalogue = {
    ...{ tag: 'en', names: ['xx'], thousands: ',', space: ' ', comma: ', ', zeroIsOne: false },
    sentences: { ...english.sentences, ...Object.fromEntries(words) },
    rules: Object.fromEntries(rules),
  };
  return sayFrom(catalogue, pseudoTemplates());
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
