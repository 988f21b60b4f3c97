import type { AssistantMessage, Message } from '../../src/core/agent/message.ts';
import type { ModelRequest } from '../../src/core/agent/model.ts';

/** Throws where a real server would answer 400: see PLATFORM on tool call ids and on tools in the history. */
export function checkProtocol(request: ModelRequest): void {
  const { messages, tools, toolChoice } = request;
  messages.forEach((message, index) => {
    if (message.role === 'assistant') checkAssistant(message, messages.slice(index + 1));
    if (message.role === 'tool') checkTool(messages.slice(0, index + 1));
    if (message.role !== 'assistant' && message.text === '') refuse(`message ${index} is empty`);
  });
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  if (calls.length > 0 && tools.length === 0) refuse('the history holds tool calls and no tools are offered');
  if (toolChoice !== 'auto' && !tools.some((tool) => tool.name === toolChoice.tool)) {
    refuse(`the forced tool ${toolChoice.tool} is not offered`);
  }
  const last = messages.at(-1);
  if (last === undefined || last.role === 'assistant') refuse('there is nothing to answer');
}

/** The ids that are not answered exactly once, in order, right after the message that made them. */
export function unansweredCalls(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const answers = answersAfter(messages.slice(index + 1));
    const ids = message.toolCalls.map((call) => call.id);
    return ids.length === answers.length ? ids.filter((id, position) => answers[position] !== id) : ids;
  });
}

function checkAssistant(message: AssistantMessage, rest: readonly Message[]): void {
  if (message.text === '' && message.toolCalls.length === 0) refuse('an assistant message is empty');
  const unanswered = unansweredCalls([message, ...rest]).filter((id) =>
    message.toolCalls.some((call) => call.id === id),
  );
  if (unanswered.length > 0) refuse(`no answers right after the calls ${unanswered.join(', ')}`);
}

function checkTool(upToHere: readonly Message[]): void {
  const before = upToHere.findLast((message) => message.role !== 'tool');
  if (before?.role !== 'assistant' || before.toolCalls.length === 0) refuse('a tool message without a call before it');
}

function answersAfter(messages: readonly Message[]): readonly string[] {
  const end = messages.findIndex((message) => message.role !== 'tool');
  const answers = end === -1 ? messages : messages.slice(0, end);
  return answers.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
}

function refuse(problem: string): never {
  throw new Error(`A server would refuse this request: ${problem}.`);
}
