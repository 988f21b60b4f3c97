import { afterEach } from 'vitest';
import { type OpenAiOptions, openAiModel } from '../../../src/adapters/openai/open-ai-model.ts';
import type { AssistantMessage, Message } from '../../../src/core/agent/message.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from '../../../src/core/agent/model.ts';
import { at, parseJson } from '../../fakes/every-pair.ts';
import { type Outcome, startLoopback } from '../../fakes/loopback.ts';
import { toolsProblem } from '../../fakes/model-server/check-responses.ts';
import { normalise } from '../../fakes/model-server/normalise.ts';

/** A stream of events, each JSON of one, that ends with `[DONE]` or without. */
export function sse(events: readonly unknown[], ending: 'done' | 'no done' = 'done'): Outcome {
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const done = ending === 'done' ? ['data: [DONE]\n\n'] : [];
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: '',
    chunks: [': a comment, as gateways send them\n\n', ...chunks, ...done],
  };
}

const ofChunk = { id: 'c1', object: 'chat.completion.chunk', model: 'm' };

/** A chunk of a chat answer. */
export function chunk(delta: unknown, finish: string | null = null): unknown {
  return { ...ofChunk, choices: [{ index: 0, delta, finish_reason: finish }] };
}

/** The last chunk of those that asked for it: usage and no choice. */
export function usageChunk(input: number, output: number): unknown {
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return { ...ofChunk, choices: [], usage };
}

/** A key of the length and form of real ones. */
export const apiKey = 'sk-proj-Zq81nWxT4vBdLr0aPyEu7cHm';

/** A model as the settings describe it when they say little. */
export const plainOptions = {
  apiKey,
  model: 'scripted-1',
  api: 'auto',
  temperature: null,
  reasoningEffort: '',
  stream: false,
  extraHeaders: {},
  extraQuery: {},
  extraBody: {},
  cacheKey: 'octo/spoon#7',
  onAdjust: () => {},
} as const satisfies Partial<OpenAiOptions>;

type Sent = {
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
};
export type Answer = Outcome | ((sent: Sent) => Outcome | Promise<Outcome>);

const closing: (() => Promise<void>)[] = [];

/** Closes a server when the test has ended. */
export function closeLater<Server extends { close(): Promise<void> }>(server: Server): Server {
  closing.push(() => server.close());
  return server;
}

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/**
 * A server that answers in the order of the script, and a model that talks to it. Like the real ones it refuses (400)
 * unanswered and repeated tool call ids, and schemas that are not strict; out of script it answers 418.
 */
export async function scripted(script: readonly Answer[], options: Partial<Omit<OpenAiOptions, 'onAdjust'>> = {}) {
  const remaining = [...script];
  const sent: Sent[] = [];
  const adjustments: Parameters<OpenAiOptions['onAdjust']>[0][] = [];
  const server = await startLoopback(async ({ path, headers, body }) => {
    const received: Sent = { path, body: parseJson(body.toString('utf8')), headers };
    sent.push(received);
    const problem = problemOf(received);
    if (problem !== null) return refusal(problem);
    const next = remaining.shift() ?? json({ error: { message: 'the script is at its end' } }, 418);
    return typeof next === 'function' ? next(received) : next;
  });
  closeLater(server);
  const onAdjust: OpenAiOptions['onAdjust'] = (adjustment) => adjustments.push(adjustment);
  const model = openAiModel({ ...plainOptions, baseUrl: `${server.url}/v1`, onAdjust, ...options });
  // With a signal that is never aborted.
  const answer = (request: ModelRequest) => model.answer(request, new AbortController().signal);
  return { model, url: server.url, sent, adjustments, answer };
}

function problemOf({ path, body }: Sent): string | null {
  const request = normalise(path.endsWith('/responses') ? 'responses' : 'chat', body);
  const made = request.messages.flatMap(({ calls }) => calls.map(({ id }) => id));
  const answered = request.messages.flatMap(({ role, callId }) => (role === 'tool' ? [callId] : []));
  const paired = made.toSorted().join() === answered.toSorted().join() && new Set(made).size === made.length;
  return paired ? (toolsProblem(request)?.message ?? null) : 'Each tool call needs an id of its own and one answer.';
}

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Outcome {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** A 400 in OpenAI's form. */
export function refusal(message: string, more: { param?: string; code?: string; status?: number } = {}): Outcome {
  const { param = null, code = null, status = 400 } = more;
  return json({ error: { message, type: 'invalid_request_error', param, code } }, status);
}

export function page(status: number, title: string): Outcome {
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>secret page</h1></body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}

/** What the bodies of all requests held at this place. */
export function sentAt(
  { sent }: { readonly sent: readonly Sent[] },
  ...way: readonly (string | number)[]
): readonly unknown[] {
  return sent.map(({ body }) => at(body, ...way));
}

const readFile: ToolDefinition = {
  name: 'read_file',
  description: 'Read a file.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['path', 'limit'],
    properties: { path: { type: 'string' }, limit: { type: ['integer', 'null'], minimum: 1, maximum: 500 } },
  },
};

const submitReview: ToolDefinition = {
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
  const toolCalls = [{ id: 'call_1', name: 'read_file', arguments: readArguments('a.ts') }];
  const message: AssistantMessage = { role: 'assistant', text: 'I look.', toolCalls, raw };
  return continued({ message, end: 'tool-calls', usage: null });
}

/** A chat completion with this message. */
export function completion(message: Readonly<Record<string, unknown>>, finishReason = 'stop') {
  const choice = { index: 0, finish_reason: finishReason, message: { role: 'assistant', ...message } };
  const usage = {
    prompt_tokens: 1200,
    completion_tokens: 80,
    total_tokens: 1280,
    prompt_tokens_details: { cached_tokens: 1024 },
    completion_tokens_details: { reasoning_tokens: 30 },
  };
  return json({ id: 'chatcmpl-1', object: 'chat.completion', choices: [choice], usage });
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

export function readArguments(path: string): string {
  return JSON.stringify({ path, limit: null });
}

export function chatCall(id: string | null, path: string) {
  return { id, type: 'function', function: { name: 'read_file', arguments: readArguments(path) } };
}

export function outputText(text: string) {
  const content = [{ type: 'output_text', text }];
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
}

/** Nothing more to say, over either API. */
export const done = { chat: completion({ content: 'Done.' }), responses: response([outputText('Done.')]) } as const;
