import german from './de.json' with { type: 'json' };
import { en } from './en.ts';
import spanish from './es.json' with { type: 'json' };
import french from './fr.json' with { type: 'json' };
import japanese from './ja.json' with { type: 'json' };
import portuguese from './pt.json' with { type: 'json' };
import { createTranslator, type Locale, type Translator } from './translator.ts';
import chinese from './zh.json' with { type: 'json' };

/** A language with its templates; tests hold each catalogue against the English table. */
export type Catalogue = Locale & {
  /** What `language` calls it, in lower case. */
  readonly names: readonly string[];
};

export const catalogues: readonly Catalogue[] = [german, french, spanish, portuguese, japanese, chinese];

/** Prints the language of records, logs and machines. */
export const inEnglish: Translator = createTranslator({ tag: 'en', thousands: ',', messages: en, rules: {} });

/** The languages with a catalogue, as documentation names them. */
export const languages: readonly string[] = ['German', 'French', 'Spanish', 'Portuguese', 'Japanese', 'Chinese'];

/** Finds the translator of a `language`; null where there is no catalogue. `zh-CN` and the like are known by what they begin with. */
export function translatorFor(language: string): Translator | null {
  const name = language.trim().toLowerCase().replaceAll('_', '-');
  if (name === '' || ['english', 'en'].includes(name) || name.startsWith('en-')) return inEnglish;
  const isTraditional = /^zh-(?:hant|tw|hk|mo)\b/.test(name);
  const found = catalogues.find(({ names, tag }) => names.includes(name) || name.startsWith(`${tag.slice(0, 2)}-`));
  return found === undefined || isTraditional ? null : createTranslator(found, inEnglish);
}
