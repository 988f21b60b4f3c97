import { afterEach, describe, expect, it } from 'vitest';
import type { ModelScript } from './model-server/script.ts';
import { type FakeModel, startModel } from './model-server/start-model.ts';

let model: FakeModel | undefined;

afterEach(() => model?.close());

async function start(script: ModelScript): Promise<void> {
  model = await startModel(script);
}

async function post(path: string, body: unknown) {
  const response = await fetch(`${model?.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${model?.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('embeddings of the fake model', () => {
  it('come as OpenAI gives them, in any order', async () => {
    await start({ embeddings: (text) => [text.length] });
    const { body } = await post('/embeddings', { model: 'm', input: ['a', 'bcd'] });
    expect(body.data).toEqual([
      { object: 'embedding', index: 1, embedding: [3] },
      { object: 'embedding', index: 0, embedding: [1] },
    ]);
    expect([body.usage, model?.embeddings]).toEqual([{ prompt_tokens: 2, total_tokens: 2 }, [['a', 'bcd']]]);
  });

  it.each([
    ['no model', { input: ['a'] }, 'you must provide a model parameter'],
    ['no input', { model: 'm', input: [] }, "'$.input' is invalid"],
    ['an empty text', { model: 'm', input: ['a', ''] }, "'$.input' is invalid"],
    ['too many texts', { model: 'm', input: Array(2_049).fill('a') }, "'$.input' is too long. Maximum length is 2048."],
    ['an unknown format', { model: 'm', input: ['a'], encoding_format: 'hex' }, "'hex' is not one of"],
    ['a field of conversations', { model: 'm', input: ['a'], temperature: 1 }, 'Unrecognized request argument'],
  ])('are refused for %s', async (_, body, words) => {
    await start({ embeddings: () => [1] });
    const refused = await post('/embeddings', body);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(words)]);
  });

  it('do not exist where none are scripted', async () => {
    await start([]);
    expect((await post('/embeddings', { model: 'm', input: ['a'] })).status).toBe(404);
  });
});
