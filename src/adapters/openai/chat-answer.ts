import type { Message } from '../../core/agent/message.ts';
import type { AnswerEnd, ModelAnswer } from '../../core/agent/model.ts';
import { type ReadCall, withUniqueIds } from './call-ids.ts';
import { field, isObject, list, text } from './json.ts';
import type { Raw } from './raw.ts';
import { chatUsage } from './usage.ts';

/** Reads the answer to a chat request. Empty `choices` are an empty text (FAILURES M15): the caller asks again. */
export function chatAnswer(answer: unknown, history: readonly Message[]): ModelAnswer {
  const choice = list(field(answer, 'choices'))[0];
  const message = field(choice, 'message');
  const toolCalls = withUniqueIds(list(field(message, 'tool_calls')).map(readCall), history);
  const refusal = text(field(message, 'refusal'));
  const raw: Raw = { api: 'chat', message: withIds(message, toolCalls) };
  return {
    message: { role: 'assistant', text: contentText(field(message, 'content')) || refusal, toolCalls, raw },
    end: endOf({ reason: text(field(choice, 'finish_reason')), refused: refusal !== '', calls: toolCalls.length }),
    usage: chatUsage(field(answer, 'usage')),
  };
}

/** The error that OpenRouter puts into a choice when a provider fails in the middle; undefined when there is none. */
export function errorInChoice(answer: unknown): unknown {
  const choice = list(field(answer, 'choices'))[0];
  if (text(field(choice, 'finish_reason')) !== 'error') return undefined;
  return { error: field(choice, 'error') ?? { message: 'the provider failed while it answered' } };
}

function readCall(call: unknown): ReadCall {
  const called = field(call, 'function');
  const written = field(called, 'arguments');
  return {
    id: text(field(call, 'id')),
    name: text(field(called, 'name')),
    // Some servers send the arguments as an object.
    arguments: typeof written === 'string' ? written : JSON.stringify(written ?? {}),
  };
}

// Mistral's thinking models answer with parts; only `text` and `refusal` parts are the answer.
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return text(content);
  return content.map((part) => text(field(part, 'text')) || text(field(part, 'refusal'))).join('');
}

function endOf(choice: { readonly reason: string; readonly refused: boolean; readonly calls: number }): AnswerEnd {
  if (choice.refused) return 'refusal';
  if (choice.reason === 'content_filter') return 'content-filter';
  if (choice.reason === 'length') return 'length';
  return choice.calls > 0 ? 'tool-calls' : 'end';
}

function withIds(message: unknown, calls: readonly ReadCall[]): unknown {
  const given = list(field(message, 'tool_calls'));
  if (!isObject(message) || given.every((call, index) => field(call, 'id') === calls[index]?.id)) return message;
  const fixed = given.map((call, index) => (isObject(call) ? { ...call, id: calls[index]?.id } : call));
  return { ...message, tool_calls: fixed };
}
