import { describe, expect, it } from 'vitest';
import { at } from '../../fakes/every-pair.ts';
import { chunk, completion, continued, json, opening, type Scripted, scripted, sse, usageChunk } from './streams.ts';

const read = JSON.stringify({ path: 'a.ts', limit: null });
const done = completion({ content: 'Done.' });

/** Requests and errors as the vendors document them; each recipe stands in docs/endpoints.md. */
describe('Azure OpenAI', () => {
  const classic = (script: Parameters<typeof scripted>[0], stream = true) =>
    scripted(script, {
      api: 'chat',
      stream,
      extraQuery: { 'api-version': '2026-05-01' },
      extraHeaders: { 'api-key': 'k-1234567890', Authorization: '' },
    });

  it('gets the version in the query and the key in its own header', async () => {
    const server = await classic([done], false);
    await server.answer(opening);
    expect(server.sent[0]?.headers['api-key']).toBe('k-1234567890');
  });

  it('begins a stream with the filter results, without a choice', async () => {
    const filters = { id: '', object: '', model: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const server = await classic([
      sse([filters, chunk({ role: 'assistant', content: '' }), chunk({ content: 'Done.' }), chunk({}, 'stop')]),
    ]);
    expect((await server.answer(opening)).message.text).toBe('Done.');
  });

  it.each([
    [
      404,
      { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' },
      'unknown-model',
      null,
    ],
    [
      401,
      { code: '401', message: 'Access denied due to invalid subscription key or wrong API endpoint.' },
      'authentication',
      null,
    ],
    [
      429,
      { code: '429', message: 'Requests have exceeded the call rate limit. Please retry after 26 seconds.' },
      'transient',
      26_000,
    ],
    [
      400,
      { code: 'content_filter', message: 'The prompt triggered the content management policy.' },
      'refused-request',
      null,
    ],
  ])('refuses with status %d in words that are understood', async (status, error, kind, retryAfter) => {
    const server = await classic([json({ error }, status)]);
    await expect(server.answer(opening)).rejects.toMatchObject({ kind, retryAfter });
  });
});

describe('OpenRouter', () => {
  const open = (script: Parameters<typeof scripted>[0]) =>
    scripted(script, {
      api: 'chat',
      stream: true,
      extraHeaders: { 'HTTP-Referer': 'https://acme.example', 'X-Title': 'Postil' },
    });

  it('gets the headers that name the application', async () => {
    const server = await open([sse([chunk({ content: 'Done.' }), chunk({}, 'stop')])]);
    await server.answer(opening);
    expect([server.sent[0]?.headers['http-referer'], server.sent[0]?.headers['x-title']]).toEqual([
      'https://acme.example',
      'Postil',
    ]);
  });

  it('tells in the stream that its provider failed, and that is worth another attempt', async () => {
    const failed = {
      id: 'x',
      error: { code: 'server_error', message: 'Provider disconnected' },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    };
    const server = await open([sse([chunk({ content: 'I th' }), failed])]);
    await expect(server.answer(opening)).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('Provider disconnected'),
    });
  });

  it.each([
    [402, { code: 402, message: 'Insufficient credits.' }, 'quota'],
    [
      502,
      { code: 502, message: 'Provider returned error', metadata: { raw: 'overloaded', provider_name: 'X' } },
      'transient',
    ],
  ])('refuses with status %d in words that are understood', async (status, error, kind) => {
    await expect((await open([json({ error }, status)])).answer(opening)).rejects.toMatchObject({ kind });
  });

  it('without a provider that calls tools is asked by text', async () => {
    const none = json(
      { error: { code: 404, message: 'No endpoints found that support tool use. To learn more: …' } },
      404,
    );
    const text = sse([
      chunk({ content: `<tool_call>{"tool":"read_file","args":${read}}</tool_call>` }),
      chunk({}, 'stop'),
    ]);
    const server = await open([none, text]);
    expect((await server.answer(opening)).message.toolCalls).toMatchObject([{ name: 'read_file', arguments: read }]);
  });
});

describe('recipes local', () => {
  const read = JSON.stringify({ path: 'a.ts', limit: null });
  const done = completion({ content: 'Done.' });

  /** Requests and errors of servers at home, and of compatible endpoints; each recipe stands in docs/endpoints.md. */
  describe('Ollama', () => {
    const open = (script: Parameters<typeof scripted>[0]) => scripted(script, { stream: true, model: 'qwen3:8b' });

    it('streams a tool call whole, and no usage in its older versions', async () => {
      const server = await open([
        sse([
          chunk({
            role: 'assistant',
            content: '',
            tool_calls: [
              { id: 'call_1', index: 0, type: 'function', function: { name: 'read_file', arguments: read } },
            ],
          }),
          chunk({ content: '' }, 'tool_calls'),
        ]),
      ]);
      expect(await server.answer(opening)).toMatchObject({
        usage: null,
        message: { toolCalls: [{ id: 'call_1', arguments: read }] },
      });
    });

    it('names the model that it lacks', async () => {
      const missing = {
        message: 'model "qwen3:8b" not found, try pulling it first',
        type: 'api_error',
        param: null,
        code: null,
      };
      await expect((await open([json({ error: missing }, 404)])).answer(opening)).rejects.toMatchObject({
        kind: 'unknown-model',
      });
    });

    it('says that a model has no tools, and is asked by text', async () => {
      const none = json(
        { error: { message: 'registry.ollama.ai/library/phi3:mini does not support tools', type: 'api_error' } },
        400,
      );
      const server = await open([none, sse([chunk({ content: 'Done.' }), chunk({}, 'stop')])]);
      expect((await server.answer(opening)).message.text).toBe('Done.');
    });
  });

  describe('vLLM', () => {
    it('refuses in a body of its own form, and is asked by text when it has no parser of tool calls', async () => {
      const body = {
        object: 'error',
        message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        type: 'BadRequestError',
        param: null,
        code: 400,
      };
      const server = await scripted(
        [json(body, 400), sse([chunk({ content: 'Done.' }), chunk({}, 'stop'), usageChunk(90, 3)])],
        { stream: true },
      );
      expect(await server.answer(opening)).toMatchObject({ message: { text: 'Done.' }, usage: { input: 90 } });
      expect(server.adjustments).toHaveLength(1);
    });

    it('says by numbers that a prompt is too long', async () => {
      const body = {
        object: 'error',
        message:
          "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens in the messages, Please reduce the length of the messages.",
        type: 'BadRequestError',
        code: 400,
      };
      const server: Scripted = await scripted([json(body, 400)], { stream: true });
      await expect(server.answer(opening)).rejects.toMatchObject({ kind: 'context-overflow' });
    });
  });

  describe("Gemini's compatible API", () => {
    const signature = { extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } };
    const calls = [0, 0].map((index, number) => ({
      index,
      id: `function-call-${number}`,
      type: 'function',
      function: { name: 'read_file', arguments: read },
      ...(number === 0 ? signature : {}),
    }));

    it('streams parallel calls under one index, and wants its signatures back', async () => {
      const server = await scripted(
        [sse([...calls.map((one) => chunk({ role: 'assistant', tool_calls: [one] })), chunk({}, 'stop')]), done],
        { stream: true },
      );
      const answer = await server.answer(opening);
      expect([answer.end, answer.message.toolCalls.map(({ id }) => id)]).toEqual([
        'tool-calls',
        ['function-call-0', 'function-call-1'],
      ]);
      await server.answer(continued(answer));
      expect(at(server.sent[1]?.body, 'messages', 2, 'tool_calls', 0, 'extra_content')).toEqual(
        signature.extra_content,
      );
    });

    it.each([
      [
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota. Please retry in 34.07s.',
        { kind: 'transient', retryAfter: 34_070 },
      ],
      [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', { kind: 'authentication' }],
      [
        400,
        'INVALID_ARGUMENT',
        'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        { kind: 'context-overflow' },
      ],
      [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.', { kind: 'transient' }],
    ])('answers %d, %s, in a list', async (status, word, message, expected) => {
      const server = await scripted([json([{ error: { code: status, message, status: word } }], status)], {
        stream: true,
      });
      await expect(server.answer(opening)).rejects.toMatchObject(expected);
    });
  });

  describe("Anthropic's compatible API", () => {
    it.each([
      [529, 'overloaded_error', 'Overloaded', { kind: 'transient' }],
      [
        400,
        'invalid_request_error',
        'prompt is too long: 210000 tokens > 200000 maximum',
        { kind: 'context-overflow' },
      ],
      [401, 'authentication_error', 'invalid x-api-key', { kind: 'authentication' }],
      [404, 'not_found_error', 'model: claude-x', { kind: 'unknown-model' }],
    ])('answers %d, %s', async (status, type, message, expected) => {
      const server = await scripted([json({ error: { code: type, message, type, param: null } }, status)], {
        stream: true,
      });
      await expect(server.answer(opening)).rejects.toMatchObject(expected);
    });

    it('names the smallest output that it allows when too much is asked for', async () => {
      const words = 'max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for claude-x';
      const server = await scripted([json({ error: { message: words, type: 'invalid_request_error' } }, 400), done], {
        stream: false,
      });
      await server.answer({ ...opening, maxOutputTokens: 16_384 });
      expect(at(server.sent[1]?.body, 'max_completion_tokens')).toBe(8_192);
    });
  });
});
