import { afterEach, describe, expect, it } from 'vitest';
import { openAiEmbedder } from '../../../src/adapters/openai/embeddings.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { broken, fault, type ModelOptions } from '../../fakes/model-server/script.ts';
import { type FakeModel, startModel } from '../../fakes/model-server/start-model.ts';

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
