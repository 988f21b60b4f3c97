import { describe, expect, it } from 'vitest';
import { openAiEmbedder } from '../../../src/adapters/openai/embeddings.ts';
import { openAiModel, useProxyFromEnvironment } from '../../../src/adapters/openai/open-ai-model.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { broken, fault, type ModelOptions } from '../../fakes/model-server/script.ts';
import { startModel } from '../../fakes/model-server/start-model.ts';
import { apiKey, closeLater, done, json, opening, plainOptions, scripted, sentAt } from './streams.ts';

describe('a prompt that the server cuts', () => {
  const long = { ...opening, messages: [{ role: 'user', text: 'const one = two + three;\n'.repeat(1000) }] } as const;
  const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Fine.' } }];
  const counted = (tokens: number) => json({ choices, usage: { prompt_tokens: tokens, completion_tokens: 2 } });

  it('is reported once, with both numbers', async () => {
    const server = await scripted([counted(2048), counted(2048)]);
    await server.answer(long);
    await server.answer(long);
    const because = expect.stringMatching(/^the server counted 2048 prompt tokens where about \d{4,5} were sent$/);
    expect(server.adjustments).toEqual([
      { step: 'cut-prompt', change: expect.stringContaining('OLLAMA_CONTEXT_LENGTH'), because },
    ]);
  });

  it('is not suspected while the count is near the estimate', async () => {
    const server = await scripted([counted(6500)]);
    await server.answer(long);
    expect(server.adjustments).toEqual([]);
  });
});

it('the base URL keeps its query, for servers that want an api-version', async () => {
  const server = await scripted([done.chat]);
  const queries: string[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    queries.push(String(input));
    return original(`${server.url}/v1/chat/completions`, init);
  };
  try {
    const baseUrl = 'https://spoon.openai.azure.com/openai/deployments/x?api-version=2024-10-21';
    await openAiModel({ ...plainOptions, baseUrl }).answer(opening, new AbortController().signal);
  } finally {
    globalThis.fetch = original;
  }
  const address = 'https://spoon.openai.azure.com/openai/deployments/x/chat/completions?api-version=2024-10-21';
  expect(queries).toEqual([address]);
  const { 'api-key': key, authorization } = server.sent[0]?.headers ?? {};
  expect([key, authorization]).toEqual([apiKey, undefined]);
});

it('the proxy of the environment can be asked for on every Node', async () => {
  await expect(useProxyFromEnvironment()).resolves.toBeUndefined();
});

describe('extra fields', () => {
  it('go with every request: headers and body', async () => {
    const extraHeaders = { 'X-Title': 'Postil', Authorization: 'Token abc' };
    const extraBody = { provider: { sort: 'price' } };
    const server = await scripted([done.chat], { extraHeaders, extraBody });
    await server.answer(opening);
    expect(server.sent[0]?.headers).toMatchObject({ 'x-title': 'Postil', authorization: 'Token abc' });
    expect(sentAt(server, 'provider')).toEqual([{ sort: 'price' }]);
  });

  it('are merged into what Postil sends itself', async () => {
    const extraBody = { stream_options: { include_obfuscation: false }, temperature: 0 };
    const server = await scripted([done.chat], { stream: true, extraBody, temperature: 0.2, reasoningEffort: 'low' });
    await server.answer(opening);
    expect(server.sent[0]?.body).toMatchObject({
      stream_options: { include_usage: true, include_obfuscation: false },
      temperature: 0,
      reasoning_effort: 'low',
    });
  });
});

type Embed = { readonly script: ModelOptions; readonly texts?: readonly string[]; readonly apiKey?: string };

async function embed({ script, texts = ['one', 'three'], apiKey }: Embed, signal = new AbortController().signal) {
  const server = closeLater(await startModel(script));
  const key = apiKey ?? server.apiKey;
  const options = { apiKey: key, baseUrl: server.url, model: 'small', extraHeaders: {}, extraQuery: {} };
  const result: unknown = await openAiEmbedder(options)
    .embed(texts, signal)
    .catch((error: unknown) => error);
  return { result, server };
}

const byLength = (text: string) => [text.length, -10];
const answers = (body: unknown, status = 200) => ({ script: { embeddings: () => fault(status, body) } });

describe('the embeddings adapter', () => {
  it('asks for floats, and gives each text its vector whatever their order, with the tokens', async () => {
    const { result, server } = await embed({ script: { embeddings: byLength } });
    expect(result).toEqual({
      vectors: [Int8Array.from([38, -127]), Int8Array.from([64, -127])],
      usage: { input: 3, cached: 0, output: 0, thinking: 0, estimated: false },
    });
    const body = { model: 'small', input: ['one', 'three'], encoding_format: 'float' };
    expect(server.attempts).toEqual([{ path: '/v1/embeddings', status: 200, body }]);
    expect(server.complaints).toEqual([]);
  });

  it('knows no tokens where the server tells none', async () => {
    const { result } = await embed({ script: { embeddings: byLength, usage: false } });
    expect(result).toMatchObject({ usage: null });
  });
  const byLengths = { script: { embeddings: byLength } };
  const wrongKey = { ...byLengths, apiKey: 'wrong-key-1234567890' };
  const noVectors = /a vector for each text/;
  it.each<[string, Embed, string, RegExp]>([
    ['no such endpoint', { script: {} }, 'unknown-model', /\(404\)/],
    ['a wrong key', wrongKey, 'authentication', /\[redacted\]/],
    ['an empty text', { ...byLengths, texts: ['one', ''] }, 'refused-request', /'\$\.input' is inv/],
    ['several lengths', { script: { embeddings: (text) => [...text].map(() => 1) } }, 'refused-request', noVectors],
    ['a vector of zeros', { script: { embeddings: () => [0, 0] } }, 'refused-request', noVectors],
    ['an error inside a 200', answers({ error: { message: 'no such', code: 404 } }), 'unknown-model', /no such/],
    ['a broken connection', { script: { embeddings: () => broken('reset') } }, 'transient', /No complete answer/],
  ])('tells %s as a ModelError, without the key', async (_case, given, kind, words) => {
    const { result } = await embed(given);
    if (!(result instanceof ModelError)) throw new Error('no ModelError');
    expect(result).toMatchObject({ kind, message: expect.stringMatching(words) });
    expect(result.message).not.toContain('wrong-key');
  });

  it('ends when it is aborted', async () => {
    const { result } = await embed({ script: { embeddings: () => broken('hang') } }, AbortSignal.timeout(50));
    expect(result).toMatchObject({ name: 'ModelError', kind: 'aborted' });
  });
});
