import { capitalised, grouped } from '../text.ts';
import chinese from './chinese.json' with { type: 'json' };
import french from './french.json' with { type: 'json' };
import german from './german.json' with { type: 'json' };
import japanese from './japanese.json' with { type: 'json' };
import portuguese from './portuguese.json' with { type: 'json' };
import spanish from './spanish.json' with { type: 'json' };

/** A sentence or a word of ours, by its English; `{name}` stands for a value. One that no catalogue has does not compile. */
export type Sentence = keyof typeof german.sentences;

/** Of one language; `__tests__/core/words/catalogues.test.ts` holds each against the code. */
export type Catalogue = {
  /** As pages name the language. */
  readonly tag: string;
  /** What `language` calls it, in lower case. */
  readonly names: readonly string[];
  /** Between groups of three digits. */
  readonly thousands: string;
  /** Between sentences. */
  readonly space: string;
  /** Between the items of a list. */
  readonly comma: string;
  /** True where none is said as one is. */
  readonly zeroIsOne: boolean;
  readonly sentences: Readonly<Record<Sentence, string>>;
  /** The built-in rules, by their ids. */
  readonly rules: RuleTexts;
};

export type RuleTexts = { readonly [id: string]: { readonly title: string; readonly review: string } };

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type Values<Names extends string> = { readonly [Name in Names]: string | number };
type Given<Names extends string> = [Names] extends [never] ? [] : [values: Values<Names>];

/** Says sentences of ours in one language. */
export type Say = {
  <S extends Sentence>(sentence: S, ...given: Given<NamesIn<S>>): string;
  /** The first for one, the second for more; `{n}` is how many. */
  readonly many: <One extends Sentence, More extends Sentence>(
    n: number,
    ...said: [one: One, more: More, ...given: Given<Exclude<NamesIn<One> | NamesIn<More>, 'n'>>]
  ) => string;
  /** What was made in English and kept, as far as it consists of sentences of ours: all else stays as it is. */
  readonly of: (english: string) => string;
  /** With its digits in groups of three. */
  readonly number: (count: number) => string;
  /** Sentences behind each other. */
  readonly joined: (sentences: readonly string[]) => string;
  /** Items of a list. */
  readonly listed: (items: readonly string[]) => string;
  readonly rules: RuleTexts;
  readonly tag: string;
};

const catalogues: readonly Catalogue[] = [chinese, french, german, japanese, portuguese, spanish];

const plain = { tag: 'en', thousands: ',', space: ' ', comma: ', ', zeroIsOne: false, rules: {} };

/** What is kept, and what a machine or a log reads. */
export const english: Say = sayer(plain, { worded: (sentence) => sentence, of: (text) => text });

/** Those that have one. */
export const languages: readonly string[] = ['German', 'French', 'Spanish', 'Portuguese', 'Japanese', 'Chinese'];

/** Null for a language without a catalogue; `zh-CN` and the like are known by what they begin with. */
export function sayIn(language: string): Say | null {
  const name = language.trim().toLowerCase().replaceAll('_', '-');
  if (name === '' || ['english', 'en'].includes(name) || name.startsWith('en-')) return english;
  const isTraditional = /^zh-(?:hant|tw|hk|mo)\b/.test(name);
  const found = catalogues.find(({ names, tag }) => names.includes(name) || name.startsWith(`${tag.slice(0, 2)}-`));
  return found === undefined || isTraditional ? null : sayFrom(found);
}

/** The sentences of one catalogue. */
export function sayFrom(catalogue: Catalogue): Say {
  const sentences = new Map<string, string>(Object.entries(catalogue.sentences));
  return sayer(catalogue, {
    worded: (sentence) => sentences.get(sentence) ?? sentence,
    of: translator(sentences, catalogue),
  });
}

function sayer(
  { tag, thousands, space, comma, zeroIsOne, rules }: Omit<Catalogue, 'names' | 'sentences'>,
  { worded, of }: { worded: (sentence: Sentence) => string; of: (text: string) => string },
): Say {
  const number = (count: number) => grouped(count, thousands);
  const filled = (sentence: Sentence, values: Values<string> = {}) =>
    worded(sentence).replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return typeof value === 'number' ? number(value) : (value ?? whole);
    });
  return Object.assign(
    (sentence: Sentence, ...[values]: readonly (Values<string> | undefined)[]) => filled(sentence, values),
    {
      many: (
        n: number,
        ...[one, more, values]: readonly [Sentence, Sentence, ...(readonly (Values<string> | undefined)[])]
      ) => filled(n === 1 || (n === 0 && zeroIsOne) ? one : more, { ...values, n }),
      of,
      number,
      joined: (parts: readonly string[]) => parts.filter((part) => part !== '').join(space),
      listed: (items: readonly string[]) => items.join(comma),
      rules,
      tag,
    },
  );
}

/** A sentence with values: what stands between them, and their names. */
type Template = { readonly sentence: string; readonly between: readonly string[]; readonly names: readonly string[] };

/** Values that are sentences of ours themselves, as a reason is. */
const nested = new Set(['why', 'what', 'counts', 'page']);
const numbers = new Set(['n', 'm']);

/**
 * The record of a review is English: programs read it, and other jobs. What a surface shows of it is known by the sentences that it was made from, one
 * after the other, the one with the most words first. It is read from texts of ours alone, and a name in it can at worst keep it English.
 */
function translator(
  sentences: ReadonlyMap<string, string>,
  { thousands, space, comma }: Pick<Catalogue, 'thousands' | 'space' | 'comma'>,
): (text: string) => string {
  let templates: readonly Template[] | undefined;
  const whole = (text: string): string | null => {
    const same = sentences.get(text);
    if (same !== undefined) return same;
    templates ??= templatesOf([...sentences.keys()]);
    for (const template of templates) {
      const values = valuesIn(text, template);
      if (values === null) continue;
      return (sentences.get(template.sentence) ?? '').replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = values.get(name) ?? '';
        return nested.has(name) ? of(value) : numbers.has(name) ? value.replaceAll(',', thousands) : value;
      });
    }
    return null;
  };
  /** What begins a line begins with a capital. */
  const begun = (text: string): string | null => {
    const said = whole(`${text.charAt(0).toLowerCase()}${text.slice(1)}`);
    return said === null ? null : capitalised(said);
  };
  const list = (text: string): string | null => {
    for (const between of [' · ', '; ', ', and ', ', ']) {
      const items = text.split(between).map(whole);
      if (items.length > 1 && items.every((item) => item !== null))
        return items.join(between.startsWith(',') ? comma : between);
    }
    return null;
  };
  const of = (text: string): string => {
    if (text.length > mostCharacters) return text;
    const found = [...text.matchAll(/[.!?](?=\s)/g)];
    if (found.length > mostSentences) return text;
    const ends = found.slice(0, mostEnds).map(({ index }) => index + 1);
    const all = [...ends, text.length];
    // Some are two sentences, and the first of them alone is another one.
    const same = all.findLast((end) => sentences.has(text.slice(0, end)));
    for (const known of [whole, list, begun]) {
      for (const end of same === undefined ? all : [same]) {
        const said = known(text.slice(0, end));
        if (said !== null) return followedBy(said, text.slice(end));
      }
    }
    const [end] = ends;
    return end === undefined ? text : text.slice(0, end) + followedBy('', text.slice(end), ' ');
  };
  const followedBy = (said: string, rest: string, usual = space): string => {
    const next = rest.trimStart();
    const gap = rest.slice(0, rest.length - next.length);
    return next === '' ? said : `${said}${gap === ' ' ? usual : gap}${of(next)}`;
  };
  return of;
}

const fewestLetters = 6;
/** What is longer, or has more sentences, is not ours. */
const mostCharacters = 2_000;
const mostSentences = 50;
/** Of a text so many sentences are tried as one: a name or a reason in it may have some of its own. */
const mostEnds = 6;

function templatesOf(sentences: readonly string[]): readonly Template[] {
  const all = sentences.map((sentence): Template => {
    const parts = sentence.split(/\{(\w+)\}/);
    return { sentence, between: parts.filter((_, at) => at % 2 === 0), names: parts.filter((_, at) => at % 2 === 1) };
  });
  const letters = ({ between }: Template) => between.join('').replaceAll(' ', '').length;
  // One of few letters could be anything.
  const isKnown = (one: Template) => one.names.every((name) => numbers.has(name)) || letters(one) >= fewestLetters;
  return all
    .filter((one) => one.names.length > 0 && isKnown(one))
    .toSorted((one, other) => letters(other) - letters(one));
}

/** Null where the text is not this sentence. */
function valuesIn(text: string, { between, names }: Template): ReadonlyMap<string, string> | null {
  const [first = '', last = ''] = [between[0], between.at(-1)];
  if (text.length <= first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return null;
  const values = new Map<string, string>();
  let at = first.length;
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const end = isLast ? text.length - last.length : text.indexOf(between[index + 1] ?? '', at + 1);
    const value = end > at ? text.slice(at, end) : '';
    if (value === '' || (numbers.has(name) && !/^[\d,.]+$/.test(value))) return null;
    values.set(name, value);
    at = end + (between[index + 1]?.length ?? 0);
  }
  return values;
}
