import type { details } from './details.ts';
import type { en } from './en.ts';

type Table = typeof en & typeof details;

/** Names a message in one of the two English tables. */
export type MessageCode = keyof Table;

/** The words of a message, with parameters between braces; one for each plural category where they depend on `count`. */
export type Template = string | { readonly one?: string; readonly other: string };

/** A language's template for each message that people read on a pull request: one that lacks a message does not compile. */
export type Templates = Readonly<Record<keyof typeof en, Template>>;

/**
 * What a record keeps instead of a sentence: a code with its parameters, such as `{ code: 'skip.author', author: 'ada' }`. The parameters of each code
 * follow from its English template.
 */
export type Message = MessageOf<MessageCode>;

/** A message with one of these codes. */
export type MessageOf<Code extends MessageCode> = {
  [C in Code]: { readonly code: C } & ParametersIn<PatternsOf<Table[C]>>;
}[Code];

type PatternsOf<T> = T extends string ? T : T[keyof T];

type ParametersIn<Pattern> = { readonly [P in PlaceholderIn<Pattern> as NameOf<P>]: ValueOf<P> };

type PlaceholderIn<Pattern> = Pattern extends `${string}{${infer P}}${infer Rest}` ? P | PlaceholderIn<Rest> : never;

type NameOf<P extends string> = P extends `${infer Name}:${string}` ? Name : P;

type ValueOf<P extends string> = P extends `${string}:number`
  ? number
  : P extends `${string}:message`
    ? Message
    : P extends `${string}:list(${string})`
      ? readonly Message[]
      : string;

/** A text that is not ours, such as the words of a server: the same in every language. */
export function verbatim(text: string): MessageOf<'text'> {
  return { code: 'text', text };
}

/** Levels of messages in messages: the deepest of ours has five, a headline with a file that has an image that cannot be read. */
export const maxLevels = 6;

/** Leaves out messages that say what an earlier one says. */
export function distinctMessages(messages: readonly Message[]): readonly Message[] {
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}
