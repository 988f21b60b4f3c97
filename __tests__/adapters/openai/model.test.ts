import { afterEach, describe, expect, it } from 'vitest';
import { openAiEmbedder } from '../../../src/adapters/openai/embeddings.ts';
import { openAiModel, useProxyFromEnvironment } from '../../../src/adapters/openai/open-ai-model.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { broken, fault, type ModelOptions } from '../../fakes/model-server/script.ts';
import { type FakeModel, startModel } from '../../fakes/model-server/start-model.ts';
import { apiKey, completion, json, opening, scripted } from './streams.ts';

describe('a prompt that the server cuts', () => {
  const long = { ...opening, messages: [{ role: 'user', text: 'const one = two + three;\n'.repeat(1000) }] } as const;
  const counted = (tokens: number) =>
    json({
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Fine.' } }],
      usage: { prompt_tokens: tokens, completion_tokens: 2 },
    });

  it('is reported once, with both numbers', async () => {
    const server = await scripted([counted(2048), counted(2048)]);
    await server.answer(long);
    await server.answer(long);
    expect(server.adjustments).toEqual([
      {
        change: expect.stringContaining('num_ctx'),
        because: expect.stringMatching(/^the server counted 2048 prompt tokens where about \d{4,5} were sent$/),
      },
    ]);
  });

  it('is not suspected while the count is near the estimate', async () => {
    const server = await scripted([counted(6500)]);
    await server.answer(long);
    expect(server.adjustments).toEqual([]);
  });
});

describe('usage', () => {
  it.each([
    ['missing', undefined, null],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0 }, null],
    [
      'thinking outside of the completion',
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 },
      { input: 10, cached: 0, output: 105, thinking: 100, estimated: false },
    ],
    [
      'DeepSeek’s cache',
      { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 8 },
      { input: 10, cached: 8, output: 5, thinking: 0, estimated: false },
    ],
  ])('is read where it is %s', async (_what, usage, expected) => {
    const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content: 'x' } }];
    const server = await scripted([json({ choices, usage })]);
    expect((await server.answer(opening)).usage).toEqual(expected);
  });
});

describe('the base URL', () => {
  it('keeps its query, for servers that want an api-version', async () => {
    const server = await scripted([completion({ content: 'x' })]);
    const queries: string[] = [];
    const original = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      queries.push(String(input));
      return original(`${server.url}/v1/chat/completions`, init);
    };
    try {
      const baseUrl = 'https://spoon.openai.azure.com/openai/deployments/x?api-version=2024-10-21';
      const options = {
        apiKey,
        baseUrl,
        model: 'm',
        api: 'auto',
        temperature: null,
        cacheKey: 'k',
        reasoningEffort: '',
        stream: false,
        extraHeaders: {},
        extraQuery: {},
        extraBody: {},
      } as const;
      await openAiModel({ ...options, onAdjust: () => {} }).answer(opening, new AbortController().signal);
    } finally {
      globalThis.fetch = original;
    }
    expect(queries).toEqual([
      'https://spoon.openai.azure.com/openai/deployments/x/chat/completions?api-version=2024-10-21',
    ]);
    expect(server.sent[0]?.headers).toMatchObject({ 'api-key': apiKey });
    expect(server.sent[0]?.headers['authorization']).toBeUndefined();
  });
});

describe('the proxy of the environment', () => {
  it('can be asked for on every Node', async () => {
    await expect(useProxyFromEnvironment()).resolves.toBeUndefined();
  });
});

let model: FakeModel | undefined;

afterEach(() => model?.close());

type Embed = { readonly script: ModelOptions; readonly texts?: readonly string[]; readonly apiKey?: string };

async function embed({ script, texts = ['one', 'three'], apiKey }: Embed) {
  model = await startModel(script);
  const embedder = openAiEmbedder({
    apiKey: apiKey ?? model.apiKey,
    baseUrl: model.url,
    model: 'small',
    extraHeaders: {},
    extraQuery: {},
  });
  return embedder.embed(texts, new AbortController().signal).catch((error: unknown) => error);
}

const byLength = (text: string) => [text.length, -10];

describe('the embeddings adapter', () => {
  it('asks for floats, and gives each text its vector whatever their order, with the tokens', async () => {
    const { vectors, usage } = Object(await embed({ script: { embeddings: byLength } }));
    expect(vectors).toEqual([Int8Array.from([38, -127]), Int8Array.from([64, -127])]);
    expect(usage).toEqual({ input: 3, cached: 0, output: 0, thinking: 0, estimated: false });
    expect(model?.attempts[0]).toEqual({
      path: '/v1/embeddings',
      status: 200,
      body: { model: 'small', input: ['one', 'three'], encoding_format: 'float' },
    });
    expect(model?.complaints).toEqual([]);
  });

  it('knows no tokens where the server tells none', async () => {
    expect(Object(await embed({ script: { embeddings: byLength, usage: false } })).usage).toBe(null);
  });

  it.each<[string, Embed, string, RegExp]>([
    ['no such endpoint', { script: {} }, 'unknown-model', /status 404/],
    [
      'a wrong key',
      { script: { embeddings: byLength }, apiKey: 'wrong-key-1234567890' },
      'authentication',
      /\[redacted\]/,
    ],
    [
      'an empty text',
      { script: { embeddings: byLength }, texts: ['one', ''] },
      'refused-request',
      /'\$\.input' is invalid/,
    ],
    [
      'empty data',
      { script: { embeddings: () => fault(200, { data: [] }) } },
      'refused-request',
      /a vector for each text/,
    ],
    [
      'one vector too few',
      { script: { embeddings: () => fault(200, { data: [{ embedding: [1] }] }) } },
      'refused-request',
      /a vector for each/,
    ],
    [
      'vectors of several lengths',
      { script: { embeddings: (text) => (text === 'one' ? [1] : [1, 2]) } },
      'refused-request',
      /a vector for each/,
    ],
    ['a vector of zeros', { script: { embeddings: () => [0, 0] } }, 'refused-request', /a vector for each text/],
    [
      'an error inside a 200',
      { script: { embeddings: () => fault(200, { error: { message: 'no such model', code: 404 } }) } },
      'unknown-model',
      /no such model/,
    ],
    [
      'a page',
      { script: { embeddings: () => fault(200, '<html>hello</html>') } },
      'refused-request',
      /a vector for each text/,
    ],
    [
      'a broken server',
      { script: { embeddings: () => fault(503, { error: { message: 'overloaded' } }) } },
      'transient',
      /overloaded/,
    ],
    ['a broken connection', { script: { embeddings: () => broken('reset') } }, 'transient', /No complete answer/],
  ])('tells %s as a ModelError, without the key', async (_case, given, kind, words) => {
    const error = await embed(given);
    if (!(error instanceof ModelError)) throw new Error('no ModelError');
    expect([error.kind, words.test(error.message), error.message.includes('wrong-key')]).toEqual([kind, true, false]);
  });

  it('ends when it is aborted', async () => {
    model = await startModel({ embeddings: () => broken('hang') });
    const { url: baseUrl, apiKey } = model;
    const embedder = openAiEmbedder({ apiKey, baseUrl, model: 'small', extraHeaders: {}, extraQuery: {} });
    const error = await embedder.embed(['one'], AbortSignal.timeout(50)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ModelError', kind: 'aborted' });
  });
});
