import type { Message } from '../../core/agent/message.ts';
import type { AnswerEnd, ModelAnswer } from '../../core/agent/model.ts';
import { type ReadCall, withUniqueIds } from './call-ids.ts';
import { field, isObject, list, text } from './json.ts';
import type { Raw } from './raw.ts';
import { responsesUsage } from './usage.ts';

/** Reads the answer to a Responses request. No output is an empty text (FAILURES M15): the caller asks again. */
export function responsesAnswer(answer: unknown, history: readonly Message[]): ModelAnswer {
  const output = list(field(answer, 'output'));
  const toolCalls = withUniqueIds(output.filter(isCall).map(readCall), history);
  const parts = output
    .filter((item) => field(item, 'type') === 'message')
    .flatMap((item) => list(field(item, 'content')));
  const refusal = parts.map((part) => text(field(part, 'refusal'))).join('');
  const raw: Raw = { api: 'responses', items: withIds(output, toolCalls) };
  return {
    message: {
      role: 'assistant',
      text: parts.map((part) => text(field(part, 'text'))).join('') || refusal,
      toolCalls,
      raw,
    },
    end: endOf({ cut: cutReason(answer), refused: refusal !== '', calls: toolCalls.length }),
    usage: responsesUsage(field(answer, 'usage')),
  };
}

/** The error of a response whose status is `failed` or `cancelled`; undefined when it did not fail. */
export function errorInResponse(answer: unknown): unknown {
  const status = text(field(answer, 'status'));
  if (status !== 'failed' && status !== 'cancelled') return undefined;
  const error = field(answer, 'error');
  return { error: isObject(error) ? error : { message: `the response ended as ${status}` } };
}

function isCall(item: unknown): boolean {
  return field(item, 'type') === 'function_call';
}

function readCall(item: unknown): ReadCall {
  const written = field(item, 'arguments');
  return {
    id: text(field(item, 'call_id')),
    name: text(field(item, 'name')),
    arguments: typeof written === 'string' ? written : JSON.stringify(written ?? {}),
  };
}

function cutReason(answer: unknown): string {
  if (field(answer, 'status') !== 'incomplete') return '';
  return text(field(field(answer, 'incomplete_details'), 'reason')) || 'max_output_tokens';
}

function endOf(answer: { readonly cut: string; readonly refused: boolean; readonly calls: number }): AnswerEnd {
  if (answer.refused) return 'refusal';
  if (answer.cut === 'content_filter') return 'content-filter';
  if (answer.cut !== '') return 'length';
  return answer.calls > 0 ? 'tool-calls' : 'end';
}

function withIds(output: readonly unknown[], calls: readonly ReadCall[]): readonly unknown[] {
  const ids = calls.map((call) => call.id).values();
  return output.map((item) => {
    if (!isObject(item) || !isCall(item)) return item;
    const id = ids.next().value;
    return item['call_id'] === id ? item : { ...item, call_id: id };
  });
}
