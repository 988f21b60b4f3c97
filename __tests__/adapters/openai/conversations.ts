import type { AssistantMessage, Message } from '../../../src/core/agent/message.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from '../../../src/core/agent/model.ts';
import { json } from './scripted-server.ts';

export const readFile: ToolDefinition = {
  name: 'read_file',
  description: 'Read a file.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['path', 'limit'],
    properties: { path: { type: 'string' }, limit: { type: ['integer', 'null'], minimum: 1, maximum: 500 } },
  },
};

export const submitReview: ToolDefinition = {
  name: 'submit_review',
  description: 'Submit the review.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['text'],
    properties: { text: { type: 'string' } },
  },
};

export const opening: ModelRequest = {
  messages: [
    { role: 'system', text: 'You review.' },
    { role: 'user', text: 'The diff.' },
  ],
  tools: [readFile, submitReview],
  toolChoice: 'auto',
  maxOutputTokens: 4096,
};

/** The opening, an answer of the model, and an answer to each of its calls. */
export function continued(answer: ModelAnswer, request: ModelRequest = opening): ModelRequest {
  const results = answer.message.toolCalls.map(
    (call): Message => ({ role: 'tool', callId: call.id, name: call.name, text: `result of ${call.id}` }),
  );
  return { ...request, messages: [...request.messages, answer.message, ...results] };
}

/** The opening after one reading call that an adapter of another kind made. */
export function afterOneCall(raw: unknown): ModelRequest {
  const message: AssistantMessage = {
    role: 'assistant',
    text: 'I look.',
    toolCalls: [{ id: 'call_1', name: 'read_file', arguments: '{"path":"a.ts","limit":null}' }],
    raw,
  };
  return continued({ message, end: 'tool-calls', usage: null });
}

export const chatUsageReport = {
  prompt_tokens: 1200,
  completion_tokens: 80,
  total_tokens: 1280,
  prompt_tokens_details: { cached_tokens: 1024 },
  completion_tokens_details: { reasoning_tokens: 30 },
};

/** A chat completion with this message. */
export function completion(message: Readonly<Record<string, unknown>>, finishReason = 'stop') {
  const choice = { index: 0, finish_reason: finishReason, message: { role: 'assistant', ...message } };
  return json({ id: 'chatcmpl-1', object: 'chat.completion', choices: [choice], usage: chatUsageReport });
}

/** A completed response with these output items. */
export function response(output: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) {
  const usage = {
    input_tokens: 1200,
    input_tokens_details: { cached_tokens: 1024 },
    output_tokens: 80,
    output_tokens_details: { reasoning_tokens: 30 },
    total_tokens: 1280,
  };
  return json({ id: 'resp_1', object: 'response', status: 'completed', output, usage, ...more });
}

export function chatCall(id: string | null, path: string) {
  return { id, type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ path, limit: null }) } };
}

export function outputText(text: string) {
  return {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text }],
  };
}
