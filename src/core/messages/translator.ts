import { grouped } from '../text.ts';
import { details } from './details.ts';
import { en } from './en.ts';
import { type Message, type MessageCode, maxLevels, type Template, type Templates, verbatim } from './message.ts';

/** Prints messages in one language. */
export type Translator = {
  (message: Message): string;
  /** Prints messages that are sentences, one after the other. */
  readonly sentences: (messages: readonly Message[]) => string;
  /** Joins texts that are sentences already, without empty ones. */
  readonly joined: (texts: readonly string[]) => string;
  /** Joins texts as the items of a list. */
  readonly listed: (texts: readonly string[]) => string;
  /** Prints a number with its digits in groups of three. */
  readonly number: (count: number) => string;
  /** The built-in rules, by their ids. */
  readonly rules: RuleTexts;
  readonly tag: string;
};

export type RuleTexts = { readonly [id: string]: { readonly title: string; readonly review: string } };

export type Locale = {
  /** The language, as the plural rules of Unicode know it. */
  readonly tag: string;
  /** Stands between groups of three digits. */
  readonly thousands: string;
  readonly messages: Templates;
  readonly rules: RuleTexts;
};

/** Makes the translator of a locale. It prints any value and never throws: a message may come from a file that somebody else wrote. */
export function createTranslator(
  { tag, thousands, messages, rules }: Locale,
  /** Prints details, which are in no catalogue, with all that stands in them. */
  printDetail: ((message: Message) => string) | null = null,
): Translator {
  const templates: Readonly<Record<MessageCode, Template>> = { ...details, ...messages };
  let pluralRules: Intl.PluralRules | undefined;
  const choose = (template: Template, count: unknown): string => {
    if (typeof template === 'string') return template;
    // Made at its first use: a run that prints no plural form does not load the tables.
    pluralRules ??= new Intl.PluralRules(tag);
    const isOne = typeof count === 'number' && pluralRules.select(count) === 'one';
    return isOne ? (template.one ?? template.other) : template.other;
  };
  const number = (count: number) => grouped(count, thousands);
  const print = (value: unknown, separator: string, depth: number): string => {
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return number(value);
    if (Array.isArray(value)) return value.map((item) => print(item, separator, depth)).join(separator);
    return isMessage(value) ? printMessage(value, depth + 1) : '';
  };
  const printMessage = (message: Message, depth: number): string => {
    if (depth > maxLevels || !isMessage(message)) return '';
    if (printDetail !== null && Object.hasOwn(details, message.code)) return printDetail(message);
    const values = new Map<string, unknown>(Object.entries(message));
    const pattern = choose(templates[message.code], values.get('count'));
    return pattern.replace(placeholder, (_, name: string, separator?: string) =>
      print(values.get(name), separator ?? '', depth),
    );
  };
  const translate = (message: Message) => printMessage(message, 1);
  const sentences = (of: readonly Message[]) => translate({ code: 'sentences', of });
  const joined = (texts: readonly string[]) => sentences(texts.filter((text) => text !== '').map(verbatim));
  const listed = (texts: readonly string[]) => translate({ code: 'list', of: texts.map(verbatim) });
  return Object.assign(translate, { sentences, joined, listed, number, rules, tag });
}

/** Matches `{path}`, `{count:number}`, `{why:message}` and `{files:list(, )}`, with the name and what stands between items. */
const placeholder = /\{(\w+)(?::\w+(?:\(([^(){}]*)\))?)?\}/g;

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'code' in value && isMessageCode(value.code);
}

function isMessageCode(code: unknown): code is MessageCode {
  return typeof code === 'string' && (Object.hasOwn(en, code) || Object.hasOwn(details, code));
}
