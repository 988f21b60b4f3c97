import type { ModelAnswer, ModelRequest } from '../../core/agent/model.ts';
import { parseTextToolCalls } from '../../core/agent/text-tool-calls.ts';
import { withUniqueIds } from './call-ids.ts';
import type { Dialect } from './dialect.ts';

/**
 * Reads calls out of the text: always where tools are called in text, else only calls of tools that were offered, which
 * some servers pass on unread (FAILURES M18).
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
