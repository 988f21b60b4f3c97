import { describe, expect, it } from 'vitest';
import type { OpenAiOptions } from '../../../src/adapters/openai/open-ai-model.ts';
import {
  type Answer,
  chunk,
  continued,
  done,
  json,
  opening,
  readArguments,
  refusal,
  scripted,
  sentAt,
  sse,
  usageChunk,
} from './streams.ts';

const read = readArguments('a.ts');
const openAiError = (status: number, error: unknown) => json({ error }, status);
const inAList = (code: number, status: string, message: string) => json([{ error: { code, message, status } }], code);
const anthropicError = (status: number, type: string, message: string) =>
  openAiError(status, { code: type, message, type, param: null });

const azure: Partial<OpenAiOptions> = {
  api: 'chat',
  extraQuery: { 'api-version': '2026-05-01' },
  extraHeaders: { 'api-key': 'k-1234567890', Authorization: '' },
};
const openRouter: Partial<OpenAiOptions> = {
  api: 'chat',
  extraHeaders: { 'HTTP-Referer': 'https://acme.example', 'X-Title': 'Postil' },
};

/** Requests and errors as the vendors document them; each recipe stands in docs/endpoints.md. */
describe('a refusal is understood in the words of', () => {
  const noDeployment = 'The API deployment for this resource does not exist.';
  const wrongAzureKey = 'Access denied due to invalid subscription key or wrong API endpoint.';
  const filtered = 'The prompt triggered the content management policy.';
  const rate = 'Requests have exceeded the call rate limit. Please retry after 26 seconds.';
  const tooLong = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
  const metadata = { raw: 'overloaded', provider_name: 'X' };
  const vllmTooLong =
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.";

  it.each<[vendor: string, Answer, expected: { kind: string; retryAfter?: number }]>([
    ['Azure', openAiError(404, { code: 'DeploymentNotFound', message: noDeployment }), { kind: 'unknown-model' }],
    ['Azure', openAiError(401, { code: '401', message: wrongAzureKey }), { kind: 'authentication' }],
    ['Azure', openAiError(429, { code: '429', message: rate }), { kind: 'transient', retryAfter: 26_000 }],
    ['Azure', openAiError(400, { code: 'content_filter', message: filtered }), { kind: 'refused-request' }],
    ['OpenRouter', openAiError(402, { code: 402, message: 'Insufficient credits.' }), { kind: 'quota' }],
    [
      'OpenRouter',
      openAiError(502, { code: 502, message: 'Provider returned error', metadata }),
      { kind: 'transient' },
    ],
    ['Ollama', refusal('model "qwen3:8b" not found, try pulling it first', { status: 404 }), { kind: 'unknown-model' }],
    ['vLLM', json({ object: 'error', message: vllmTooLong, code: 400 }, 400), { kind: 'context-overflow' }],
    [
      'Gemini',
      inAList(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota. Please retry in 34.07s.'),
      { kind: 'transient', retryAfter: 34_070 },
    ],
    ['Gemini', inAList(400, 'INVALID_ARGUMENT', 'API key not valid.'), { kind: 'authentication' }],
    ['Gemini', inAList(400, 'INVALID_ARGUMENT', tooLong), { kind: 'context-overflow' }],
    ['Gemini', inAList(503, 'UNAVAILABLE', 'The model is overloaded.'), { kind: 'transient' }],
    ['Anthropic', anthropicError(529, 'overloaded_error', 'Overloaded'), { kind: 'transient' }],
    [
      'Anthropic',
      anthropicError(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
      { kind: 'context-overflow' },
    ],
    ['Anthropic', anthropicError(401, 'authentication_error', 'invalid x-api-key'), { kind: 'authentication' }],
    ['Anthropic', anthropicError(404, 'not_found_error', 'model: claude-x'), { kind: 'unknown-model' }],
  ])('%s: %j', async (_vendor, answer, expected) => {
    const server = await scripted([answer], { api: 'chat', stream: true });
    await expect(server.answer(opening)).rejects.toMatchObject(expected);
  });
});

describe('the headers of a recipe', () => {
  it.each([
    ['Azure OpenAI, with the key in its own', azure, { 'api-key': 'k-1234567890' }],
    [
      'OpenRouter, that name the application',
      openRouter,
      { 'http-referer': 'https://acme.example', 'x-title': 'Postil' },
    ],
  ])('go to %s', async (_vendor, options, headers) => {
    const server = await scripted([done.chat], options);
    await server.answer(opening);
    expect(server.sent[0]?.headers).toMatchObject(headers);
  });
});

describe('a stream', () => {
  it('of Azure OpenAI begins with the filter results, without a choice', async () => {
    const filters = { id: '', object: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const events = [filters, chunk({ role: 'assistant', content: '' }), chunk({ content: 'Done.' }), chunk({}, 'stop')];
    const server = await scripted([sse(events)], { ...azure, stream: true });
    expect((await server.answer(opening)).message.text).toBe('Done.');
  });

  it('of OpenRouter tells that its provider failed, and that is worth another attempt', async () => {
    const error = { code: 'server_error', message: 'Provider disconnected' };
    const failed = { id: 'x', error, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] };
    const server = await scripted([sse([chunk({ content: 'I th' }), failed])], { ...openRouter, stream: true });
    const message = expect.stringContaining('Provider disconnected');
    await expect(server.answer(opening)).rejects.toMatchObject({ kind: 'transient', message });
  });

  it('of Ollama brings a tool call whole, and no usage in its older versions', async () => {
    const call = { id: 'call_1', index: 0, type: 'function', function: { name: 'read_file', arguments: read } };
    const events = [
      chunk({ role: 'assistant', content: '', tool_calls: [call] }),
      chunk({ content: '' }, 'tool_calls'),
    ];
    const server = await scripted([sse(events)], { stream: true });
    const toolCalls = [{ id: 'call_1', arguments: read }];
    expect(await server.answer(opening)).toMatchObject({ usage: null, message: { toolCalls } });
  });

  it("of Gemini's compatible API brings parallel calls under one index, and wants its signatures back", async () => {
    const signature = { google: { thought_signature: 'c2lnbmF0dXJl' } };
    const events = [0, 1].map((number) => {
      const call = { index: 0, id: `function-call-${number}`, function: { name: 'read_file', arguments: read } };
      return chunk({ tool_calls: [number === 0 ? { ...call, extra_content: signature } : call] });
    });
    const server = await scripted([sse([...events, chunk({}, 'stop')]), done.chat], { stream: true });
    const answer = await server.answer(opening);
    const ids = answer.message.toolCalls.map(({ id }) => id);
    expect([answer.end, ids]).toEqual(['tool-calls', ['function-call-0', 'function-call-1']]);
    await server.answer(continued(answer));
    expect(sentAt(server, 'messages', 2, 'tool_calls', 0, 'extra_content')[1]).toEqual(signature);
  });
});

describe('a server that cannot call tools is asked by text', () => {
  it.each<[string, Answer]>([
    ['OpenRouter', openAiError(404, { code: 404, message: 'No endpoints found that support tool use. See: …' })],
    ['Ollama', refusal('registry.ollama.ai/library/phi3:mini does not support tools')],
  ])('%s', async (_vendor, none) => {
    const call = `<tool_call>{"tool":"read_file","args":${read}}</tool_call>`;
    const server = await scripted([none, sse([chunk({ content: call }), chunk({}, 'stop')])], { stream: true });
    expect((await server.answer(opening)).message.toolCalls).toMatchObject([{ name: 'read_file', arguments: read }]);
  });

  it('vLLM, which says so in a body of its own form', async () => {
    const message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
    const body = { object: 'error', message, type: 'BadRequestError', param: null, code: 400 };
    const text = sse([chunk({ content: 'Done.' }), chunk({}, 'stop'), usageChunk(90, 3)]);
    const server = await scripted([json(body, 400), text], { stream: true });
    expect(await server.answer(opening)).toMatchObject({ message: { text: 'Done.' }, usage: { input: 90 } });
    expect(server.adjustments).toHaveLength(1);
  });
});

it("Anthropic's compatible API names the output that it allows when too much is asked for", async () => {
  const words = 'max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for claude-x';
  const server = await scripted([refusal(words), done.chat]);
  await server.answer({ ...opening, maxOutputTokens: 16_384 });
  expect(sentAt(server, 'max_completion_tokens')).toEqual([16_384, 8_192]);
});
