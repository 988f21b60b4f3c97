import type { ToolCall } from './message.ts';
import type { ModelAnswer } from './model.ts';
import type { Patience, Session } from './session.ts';
import { formatTextToolCall, malformedCall } from './text-tool-calls.ts';

/**
 * The answer as the loop takes it. A call in text that cannot be read is corrected once in a run; from then on, what stands in
 * one is text (FAILURES M18).
 */
export function withMalformedAsText(answer: ModelAnswer, patience: Patience): ModelAnswer {
  const { message } = answer;
  const malformed = message.toolCalls.filter(isMalformed);
  if (malformed.length === 0 || !patience.corrected) return answer;
  const toolCalls = message.toolCalls.filter((call) => !isMalformed(call));
  const text = [message.text, ...malformed.map((call) => call.arguments)].filter((part) => part !== '').join('\n');
  const end = answer.end === 'tool-calls' && toolCalls.length === 0 ? 'end' : answer.end;
  return { ...answer, message: { ...message, text, toolCalls }, end };
}

export function isMalformed(call: ToolCall): boolean {
  return call.name === malformedCall;
}

/** The correction, which counts as given. */
export function correctMalformed({ agent, patience }: Session): string {
  patience.corrected = true;
  const example = formatTextToolCall({ name: agent.finish.name, arguments: '{}' });
  return `Your call could not be read. Write the name and the arguments as one JSON object, such as ${example}, and nothing after it.`;
}
