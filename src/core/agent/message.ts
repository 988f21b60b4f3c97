import type { ImagePart } from './image-part.ts';

/** A call as the model wrote it: `arguments` is its JSON text, not yet parsed. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

export type AssistantMessage = {
  readonly role: 'assistant';
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** The provider's own items, sent back verbatim (unknown fields included) by the adapter that made them. */
  readonly raw: unknown;
};

export type ToolMessage = {
  readonly role: 'tool';
  readonly callId: string;
  readonly name: string;
  readonly text: string;
};

export type UserMessage = {
  readonly role: 'user';
  readonly text: string;
  /** Shown behind the text, which says what each of them is. Never empty. */
  readonly images?: readonly ImagePart[];
};

export type Message = { readonly role: 'system'; readonly text: string } | UserMessage | AssistantMessage | ToolMessage;
