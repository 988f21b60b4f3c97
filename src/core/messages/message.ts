import type { Schema } from '../schema.ts';
import type { en } from './en.ts';

/** Names a message in the table and in every catalogue. */
export type MessageCode = keyof typeof en;

/** The words of a message, with parameters between braces; one for each plural category where they depend on `count`. */
export type Template = string | { readonly one?: string; readonly other: string };

/** A language's template for each message. */
export type Templates = Readonly<Record<MessageCode, Template>>;

/**
 * What a record keeps instead of a sentence: a code with its parameters, such as `{ code: 'skip.author', author: 'ada' }`. The parameters of each code
 * follow from its English template.
 */
export type Message = MessageOf<MessageCode>;

/** A message with one of these codes. */
export type MessageOf<Code extends MessageCode> = {
  [C in Code]: { readonly code: C } & ParametersIn<PatternsOf<(typeof en)[C]>>;
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

/** Leaves out messages that say what an earlier one says. */
export function distinctMessages(messages: readonly Message[]): readonly Message[] {
  return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

/** The form of a message in a file. Its parameters are not checked there: a translator prints a message of any form. */
export const messageSchema: MessageSchema = {
  type: 'object',
  required: ['code'],
  propertyNames: { type: 'string', pattern: '^[a-z]\\w*$' },
  additionalProperties: {},
  examples: [],
};

export const messageOrNullSchema: Schema & { readonly examples: readonly (Message | null)[] } = {
  ...messageSchema,
  type: ['object', 'null'],
};

type MessageSchema = Schema & { readonly type: 'object'; readonly examples: readonly Message[] };
