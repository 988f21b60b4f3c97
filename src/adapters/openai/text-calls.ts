import type { Message, ToolCall } from '../../core/agent/message.ts';
import type { ModelAnswer, ModelRequest } from '../../core/agent/model.ts';
import { parseTextToolCalls } from '../../core/agent/text-tool-calls.ts';
import type { Dialect } from './dialect.ts';

/**
 * Reads calls out of the text: always where tools are called in text, else only calls of tools that were offered, which
 * some servers pass on unread.
 */
export function withTextCalls(answer: ModelAnswer, context: { request: ModelRequest; dialect: Dialect }): ModelAnswer {
  if (answer.message.toolCalls.length > 0 || answer.end === 'refusal') return answer;
  const { request, dialect } = context;
  const parsed = parseTextToolCalls(answer.message.text);
  const offered = parsed.calls.every((call) => request.tools.some((tool) => tool.name === call.name));
  if (dialect.nativeTools && (parsed.calls.length === 0 || !offered)) return answer;
  const calls = parsed.calls.map((call) => ({ ...call, id: '' }));
  return {
    ...answer,
    message: { ...answer.message, text: parsed.text, toolCalls: withUniqueIds(calls, request.messages) },
    end: answer.end === 'end' && calls.length > 0 ? 'tool-calls' : answer.end,
  };
}

/** A call before its id is known to be usable. */
export type ReadCall = { readonly id: string; readonly name: string; readonly arguments: string };

/**
 * Calls whose ids are unique in the conversation: missing, empty and repeated ones get a fresh id.
 * Fresh ids are nine letters and digits, the only form that Mistral accepts, and the same on every run.
 */
export function withUniqueIds(calls: readonly ReadCall[], history: readonly Message[]): readonly ToolCall[] {
  const taken = new Set(
    history.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : [])).map(idOf),
  );
  // Counted on from call to call: to begin anew at each would take the square of their number.
  let number = 0;
  const freshId = (): string => {
    for (number = Math.max(number, taken.size) + 1; ; number += 1) {
      const id = `call${String(number).padStart(5, '0')}`;
      if (!taken.has(id)) return id;
    }
  };
  return calls.map((call) => {
    const id = call.id === '' || taken.has(call.id) ? freshId() : call.id;
    taken.add(id);
    return { ...call, id };
  });
}

function idOf(call: ToolCall): string {
  return call.id;
}
