import type { ChatCompletionAssistantMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import type { AssistantMessage } from '../../core/agent/message.ts';
import { field, isObject, list, text } from './json.ts';

/** What `AssistantMessage.raw` holds: the server's own answer, which goes back verbatim, unknown fields included. */
export type Raw =
  | { readonly api: 'chat'; readonly message: unknown }
  | { readonly api: 'responses'; readonly items: readonly unknown[] };

/** The chat message to send back verbatim; null when it came from the other API or does not match the calls. */
export function verbatimChat(message: AssistantMessage): ChatCompletionAssistantMessageParam | null {
  if (field(message.raw, 'api') !== 'chat') return null;
  const raw = field(message.raw, 'message');
  const ids = list(field(raw, 'tool_calls')).map((call) => text(field(call, 'id')));
  // Servers refuse an assistant message with neither content nor calls.
  const empty = ids.length === 0 && (field(raw, 'content') ?? null) === null;
  return isAssistantParam(raw) && !empty && sameIds(ids, message) ? raw : null;
}

/** The output items to send back verbatim; null when they came from the other API or do not match the calls. */
export function verbatimItems(message: AssistantMessage): readonly ResponseInputItem[] | null {
  if (field(message.raw, 'api') !== 'responses') return null;
  const items = list(field(message.raw, 'items')).filter(isInputItem);
  const ids = items.filter((item) => item.type === 'function_call').map((item) => text(field(item, 'call_id')));
  // Reasoning that was cut before its message or call is refused: "provided without its required following item".
  const unfinished = (items.at(-1)?.type ?? 'reasoning') === 'reasoning';
  return !unfinished && sameIds(ids, message) ? items : null;
}

// They differ after a switch to text tool calls, or when calls were read from text: then the message is rebuilt.
function sameIds(ids: readonly string[], message: AssistantMessage): boolean {
  return ids.length === message.toolCalls.length && message.toolCalls.every((call, index) => call.id === ids[index]);
}

function isAssistantParam(value: unknown): value is ChatCompletionAssistantMessageParam {
  return isObject(value) && value['role'] === 'assistant';
}

function isInputItem(value: unknown): value is ResponseInputItem {
  return isObject(value) && typeof value['type'] === 'string';
}
