import type { ChatCompletionAssistantMessageParam } from 'openai/resources/chat/completions';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import type { AssistantMessage, ImagePart } from '../../core/agent/message.ts';
import type { Usage } from '../../core/agent/model.ts';
import { readJsonText } from '../../core/bounded.ts';

/** An answer is read field by field: compatible servers leave out, null or retype nearly everything. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The string, or '' for everything else. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** More than any model takes or writes in one call. */
const mostTokens = 10_000_000;

/** A number of tokens; null when it is none that a call could have taken. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostTokens ? value : null;
}

/** Undefined when the text is not JSON, or nested too deep. */
export function parseJson(written: string): unknown {
  const read = readJsonText(written);
  return read.ok ? read.value : undefined;
}

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

/** Usage of a chat answer; null when the server did not report it, or reported zeros. */
export function chatUsage(reported: unknown): Usage | null {
  return usageFrom({
    input: count(field(reported, 'prompt_tokens')),
    output: count(field(reported, 'completion_tokens')),
    total: count(field(reported, 'total_tokens')),
    cached:
      count(field(field(reported, 'prompt_tokens_details'), 'cached_tokens')) ??
      count(field(reported, 'prompt_cache_hit_tokens')),
    thinking: count(field(field(reported, 'completion_tokens_details'), 'reasoning_tokens')),
  });
}

/** Usage of a Responses answer; null when the server did not report it, or reported zeros. */
export function responsesUsage(reported: unknown): Usage | null {
  return usageFrom({
    input: count(field(reported, 'input_tokens')),
    output: count(field(reported, 'output_tokens')),
    total: count(field(reported, 'total_tokens')),
    cached: count(field(field(reported, 'input_tokens_details'), 'cached_tokens')),
    thinking: count(field(field(reported, 'output_tokens_details'), 'reasoning_tokens')),
  });
}

/** Usage of an embeddings answer, which writes nothing; null when the server did not report it. */
export function embeddingsUsage(reported: unknown): Usage | null {
  const input = count(field(reported, 'prompt_tokens')) ?? count(field(reported, 'total_tokens'));
  return usageFrom({ input, output: 0, total: null, cached: 0, thinking: 0 });
}

type Counts = Readonly<Record<'input' | 'output' | 'total' | 'cached' | 'thinking', number | null>>;

function usageFrom({ input, output, total, cached, thinking }: Counts): Usage | null {
  if (input === null || input === 0 || output === null) return null;
  // Gemini and Grok leave thinking out of the completion and count it in the total only.
  const written = Math.max(output, (total ?? 0) - input);
  return {
    input,
    cached: Math.min(cached ?? 0, input),
    output: written,
    thinking: Math.min(thinking ?? written - output, written),
    estimated: false,
  };
}

/** The form in which both APIs take an image that no server has to fetch. */
export function dataUrl({ mediaType, base64 }: ImagePart): string {
  return `data:${mediaType};base64,${base64}`;
}
