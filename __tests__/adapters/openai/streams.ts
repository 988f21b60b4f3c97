import { afterEach } from 'vitest';
import { type OpenAiOptions, openAiModel } from '../../../src/adapters/openai/open-ai-model.ts';
import type { AssistantMessage, Message } from '../../../src/core/agent/message.ts';
import type { Model, ModelAnswer, ModelRequest, ToolDefinition } from '../../../src/core/agent/model.ts';
import { at, isObject, listAt, parseJson, textAt } from '../../fakes/every-pair.ts';
import { type Outcome, startLoopback } from '../../fakes/loopback.ts';

/** How a stream ends: as it should, without `[DONE]`, broken, or with nothing more to come. */
type Ending = 'done' | 'no done' | 'cut' | 'stall';

/** A stream of events, each JSON of one. */
export function sse(events: readonly unknown[], ending: Ending = 'done'): Outcome {
  const chunks = [
    ': a comment, as gateways send them\n\n',
    ...events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
  ];
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: '',
    chunks: ending === 'done' ? [...chunks, 'data: [DONE]\n\n'] : chunks,
    ending: ending === 'cut' ? 'reset' : ending === 'stall' ? 'stay' : 'end',
  };
}

/** A chunk of a chat answer. */
export function chunk(delta: unknown, finish: string | null = null): unknown {
  return {
    id: 'c1',
    object: 'chat.completion.chunk',
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}

/** The last chunk of those that asked for it: usage and no choice. */
export function usageChunk(input: number, output: number): unknown {
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return { id: 'c1', object: 'chat.completion.chunk', model: 'm', choices: [], usage };
}

/** A chunk with a piece of a tool call. */
export function callChunk(piece: unknown): unknown {
  return chunk({ tool_calls: [piece] });
}

/** What the real servers would refuse in a request of either API, in their words. */
function problemsOf(body: unknown): readonly string[] {
  const calls = [...chatCalls(body), ...responsesCalls(body)];
  const outputs = [
    ...listAt(body, 'messages').map((message) => textAt(message, 'tool_call_id')),
    ...listAt(body, 'input').map((item) =>
      textAt(item, 'type') === 'function_call_output' ? textAt(item, 'call_id') : '',
    ),
  ].filter((id) => id !== '');
  return [
    ...calls.filter((id) => !outputs.includes(id)).map((id) => `No tool output found for function call '${id}'.`),
    ...outputs.filter((id) => !calls.includes(id)).map((id) => `No tool call found for output with id '${id}'.`),
    ...calls.filter((id, index) => calls.indexOf(id) !== index).map((id) => `Duplicate tool call id '${id}'.`),
    ...emptyMessages(body),
    ...(calls.length > 0 && at(body, 'tools') === undefined
      ? ['Tool calls in the history need tools in the request.']
      : []),
    ...listAt(body, 'tools').flatMap(looseSchema),
  ];
}

function chatCalls(body: unknown): readonly string[] {
  return listAt(body, 'messages')
    .flatMap((message) => listAt(message, 'tool_calls'))
    .map((call) => textAt(call, 'id'));
}

function responsesCalls(body: unknown): readonly string[] {
  return listAt(body, 'input')
    .filter((item) => textAt(item, 'type') === 'function_call')
    .map((item) => textAt(item, 'call_id'));
}

function emptyMessages(body: unknown): readonly string[] {
  return listAt(body, 'messages')
    .filter((message) => !hasText(message) && listAt(message, 'tool_calls').length === 0)
    .map(() => "Invalid value for 'content': expected a string, got null.");
}

/** Parts are for users: what holds images. */
function hasText(message: unknown): boolean {
  const content = at(message, 'content');
  if (typeof content === 'string') return true;
  return textAt(message, 'role') === 'user' && textAt(content, 0, 'text') !== '';
}

function looseSchema(tool: unknown): readonly string[] {
  const definition = at(tool, 'function') ?? tool;
  if (at(definition, 'strict') !== true) return [];
  const parameters = at(definition, 'parameters');
  const forbidden = /"(minimum|maximum|default|examples|minLength|maxLength|oneOf|allOf|not)":/.exec(
    JSON.stringify(parameters),
  );
  if (forbidden !== null) return [`Invalid schema for function: '${forbidden[1]}' is not permitted.`];
  const properties = at(parameters, 'properties');
  const names = isObject(properties) ? Object.keys(properties) : [];
  const required = listAt(parameters, 'required');
  const closed = at(parameters, 'additionalProperties') === false && names.every((name) => required.includes(name));
  return closed ? [] : ['Invalid schema for function: every property must be required, additionalProperties false.'];
}

/** A key of the length and form of real ones. */
export const apiKey = 'sk-proj-Zq81nWxT4vBdLr0aPyEu7cHm';

type Sent = {
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
};
export type Answer = Outcome | ((sent: Sent) => Outcome | Promise<Outcome>);

export type Scripted = {
  readonly model: Model;
  readonly url: string;
  readonly sent: readonly Sent[];
  readonly adjustments: readonly { change: string; because: string }[];
  /** Sends one request with a signal that is never aborted. */
  answer(request: ModelRequest): ReturnType<Model['answer']>;
};

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/**
 * A server that answers in the order of the script, and a model that talks to it. Like the real ones it refuses (400)
 * unanswered and repeated tool call ids, and schemas that are not strict; out of script it answers 418.
 */
export async function scripted(
  script: readonly Answer[],
  options: Partial<Omit<OpenAiOptions, 'onAdjust'>> = {},
): Promise<Scripted> {
  const remaining = [...script];
  const sent: Sent[] = [];
  const adjustments: { change: string; because: string }[] = [];
  const server = await startLoopback(async (request) => {
    const received: Sent = {
      path: request.path,
      body: parseJson(request.body.toString('utf8')),
      headers: request.headers,
    };
    sent.push(received);
    const problem = problemsOf(received.body)[0];
    if (problem !== undefined) return refusal(problem);
    const next = remaining.shift() ?? json({ error: { message: 'the script is at its end' } }, 418);
    return typeof next === 'function' ? next(received) : next;
  });
  closing.push(() => server.close());
  const model = openAiModel({
    apiKey,
    baseUrl: `${server.url}/v1`,
    model: 'scripted-1',
    api: 'auto',
    temperature: null,
    reasoningEffort: '',
    stream: false,
    extraHeaders: {},
    extraQuery: {},
    extraBody: {},
    cacheKey: 'octo/spoon#7',
    onAdjust: (adjustment) => adjustments.push(adjustment),
    ...options,
  });
  const answer = (request: ModelRequest) => model.answer(request, new AbortController().signal);
  return { model, url: server.url, sent, adjustments, answer };
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

/** What a request's body held under these names, for comparisons. */
export function bodyParts(sent: Sent | undefined, ...names: readonly string[]): readonly unknown[] {
  return names.map((name) => at(sent?.body, name));
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
  const message: AssistantMessage = {
    role: 'assistant',
    text: 'I look.',
    toolCalls: [{ id: 'call_1', name: 'read_file', arguments: '{"path":"a.ts","limit":null}' }],
    raw,
  };
  return continued({ message, end: 'tool-calls', usage: null });
}

const chatUsageReport = {
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
