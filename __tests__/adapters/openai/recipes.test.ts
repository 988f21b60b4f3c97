import { describe, expect, it } from 'vitest';
import {
  type Answer,
  chunk,
  completion,
  continued,
  done,
  json,
  opening,
  readArguments,
  refusal,
  scripted,
  sentAt,
  sse,
} from './streams.ts';

const read = readArguments('a.ts');
const says = (status: number, code: string | number, message: string) => json({ error: { code, message } }, status);
const inAList = (code: number, status: string, message: string) => json([{ error: { code, message, status } }], code);

/** Requests and errors as the vendors document them; each recipe stands in docs/endpoints.md. */
describe('a refusal is understood in the words of', () => {
  const wrongAzureKey = 'Access denied due to invalid subscription key or wrong API endpoint.';
  const noCredit = says(402, 402, 'Insufficient credits.');
  const noOllamaModel = refusal('model "qwen3:8b" not found, try pulling it first', { status: 404 });
  const tooLongForVllm =
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.";
  const tooLongForGemini = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
  const perMinute = 'You exceeded your current quota. Please retry in 34.07s.';
  const tooLongForAnthropic = 'prompt is too long: 210000 tokens > 200000 maximum';

  it.each<[vendor: string, Answer, expected: { kind: string; retryAfter?: number }]>([
    ['Azure', says(404, 'DeploymentNotFound', 'The API deployment does not exist.'), { kind: 'unknown-model' }],
    ['Azure', says(401, '401', wrongAzureKey), { kind: 'authentication' }],
    ['Azure', says(429, '429', 'Please retry after 26 seconds.'), { kind: 'transient', retryAfter: 26_000 }],
    ['Azure', says(400, 'content_filter', 'The prompt triggered the policy.'), { kind: 'refused-request' }],
    ['OpenRouter', noCredit, { kind: 'quota' }],
    ['Ollama', noOllamaModel, { kind: 'unknown-model' }],
    ['vLLM', json({ object: 'error', message: tooLongForVllm, code: 400 }, 400), { kind: 'context-overflow' }],
    ['Gemini', inAList(429, 'RESOURCE_EXHAUSTED', perMinute), { kind: 'transient', retryAfter: 34_070 }],
    ['Gemini', inAList(400, 'INVALID_ARGUMENT', 'API key not valid.'), { kind: 'authentication' }],
    ['Gemini', inAList(400, 'INVALID_ARGUMENT', tooLongForGemini), { kind: 'context-overflow' }],
    ['Anthropic', says(529, 'overloaded_error', 'Overloaded'), { kind: 'transient' }],
    ['Anthropic', says(400, 'invalid_request_error', tooLongForAnthropic), { kind: 'context-overflow' }],
    ['Anthropic', says(401, 'authentication_error', 'invalid x-api-key'), { kind: 'authentication' }],
    ['Anthropic', says(404, 'not_found_error', 'model: claude-x'), { kind: 'unknown-model' }],
  ])('%s: %j', async (_vendor, answer, expected) => {
    const server = await scripted([answer], { api: 'chat', stream: true });
    await expect(server.answer(opening)).rejects.toMatchObject(expected);
  });
});

describe('a stream', () => {
  it('of Azure OpenAI begins with the filter results, without a choice', async () => {
    const filters = { id: '', object: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const events = [filters, chunk({ role: 'assistant', content: '' }), chunk({ content: 'Done.' }), chunk({}, 'stop')];
    const server = await scripted([sse(events)], { stream: true });
    expect((await server.answer(opening)).message.text).toBe('Done.');
  });

  it('of OpenRouter tells that its provider failed, and that is worth another attempt', async () => {
    const error = { code: 'server_error', message: 'Provider disconnected' };
    const failed = { id: 'x', error, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] };
    const server = await scripted([sse([chunk({ content: 'I th' }), failed])], { stream: true });
    const message = expect.stringContaining('Provider disconnected');
    await expect(server.answer(opening)).rejects.toMatchObject({ kind: 'transient', message });
  });

  it('of Ollama brings a tool call whole, and no usage in its older versions', async () => {
    const call = { id: 'call_1', index: 0, type: 'function', function: { name: 'read_file', arguments: read } };
    const events = [chunk({ role: 'assistant', content: '', tool_calls: [call] }), chunk({}, 'tool_calls')];
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

describe('a server without function calling', () => {
  const call = `<tool_call>{"tool":"read_file","args":${read}}</tool_call>`;

  it.each([
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
    [404, 'No endpoints found that support tool use. Try disabling "read_file".'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [400, '`tool calling` is not supported with this model'],
    [500, 'tools param requires --jinja flag'],
    [400, 'Function calling is not enabled for this model'],
  ])('that says %i "%s" gets its tools in text', async (status, says) => {
    const server = await scripted([refusal(says, { status }), completion({ content: `I look.\n${call}` })]);
    const { end, message } = await server.answer(opening);
    const toolCalls = [{ id: 'call00001', name: 'read_file', arguments: read }];
    expect([end, message.text, message.toolCalls]).toEqual(['tool-calls', 'I look.', toolCalls]);
    expect(sentAt(server, 'tools')[1]).toBeUndefined();
    expect(sentAt(server, 'messages', 0, 'content')[1]).toContain('- read_file: Read a file.');
    expect(server.adjustments).toEqual([
      { step: 'text-calls', change: expect.stringContaining('calling tools in text'), because: says },
    ]);
  });

  it('gets its own words back verbatim, and the results as user text', async () => {
    const spoken = { content: `I look.\n${call}`, reasoning: 'hm' };
    const noTools = refusal('this model does not support tools');
    const server = await scripted([noTools, completion(spoken), done.chat]);
    await server.answer(continued(await server.answer(opening)));
    const result = '<tool_result id="call00001" tool="read_file">\nresult of call00001\n</tool_result>';
    expect(sentAt(server, 'messages', 2)[2]).toEqual({ role: 'assistant', ...spoken });
    expect(sentAt(server, 'messages', 3)[2]).toEqual({ role: 'user', content: result });
  });
});

it("Anthropic's compatible API names the output that it allows when too much is asked for", async () => {
  const words = 'max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for claude-x';
  const server = await scripted([refusal(words), done.chat]);
  await server.answer({ ...opening, maxOutputTokens: 16_384 });
  expect(sentAt(server, 'max_completion_tokens')).toEqual([16_384, 8_192]);
});
