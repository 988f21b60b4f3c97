import { grouped } from '../text.ts';
import { en } from './en.ts';
import type { Message, MessageCode, Template, Templates } from './message.ts';

/** Prints messages in one language. */
export type Translator = (message: Message) => string;

export type Locale = {
  /** The language, as the plural rules of Unicode know it. */
  readonly tag: string;
  /** Stands between groups of three digits. */
  readonly thousands: string;
  readonly templates: Templates;
};

/** Prints texts that are not ours. */
type PrintText = (text: string) => string;

/** Makes the translator of a locale. It prints any value and never throws: a message may come from a file that somebody else wrote. */
export function createTranslator({ tag, thousands, templates }: Locale, printText: PrintText = String): Translator {
  let pluralRules: Intl.PluralRules | undefined;
  const choose = (template: Template, count: unknown): string => {
    if (typeof template === 'string') return template;
    // Made at its first use: a run that prints no plural form does not load the tables.
    pluralRules ??= new Intl.PluralRules(tag);
    const isOne = typeof count === 'number' && pluralRules.select(count) === 'one';
    return isOne ? (template.one ?? template.other) : template.other;
  };
  const print = (value: unknown, separator: string): string => {
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return grouped(value, thousands);
    if (Array.isArray(value)) return value.map((item) => print(item, separator)).join(separator);
    return isMessage(value) ? translate(value) : '';
  };
  const translate = (message: Message): string => {
    if (!isMessage(message)) return print(message, '');
    if (message.code === 'text') return printText(print(message.text, ''));
    const values = new Map<string, unknown>(Object.entries(message));
    const pattern = choose(templates[message.code], values.get('count'));
    return pattern.replace(placeholder, (_, name: string, separator?: string) =>
      print(values.get(name), separator ?? ''),
    );
  };
  return translate;
}

/** Matches `{path}`, `{count:number}`, `{why:message}` and `{files:list(, )}`, with the name and what stands between items. */
const placeholder = /\{(\w+)(?::\w+(?:\(([^)]*)\))?)?\}/g;

export function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'code' in value && isMessageCode(value.code);
}

function isMessageCode(code: unknown): code is MessageCode {
  return typeof code === 'string' && Object.hasOwn(en, code);
}
