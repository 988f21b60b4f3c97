import { describe, expect, it } from 'vitest';
import { openAiModel, useProxyFromEnvironment } from '../../../src/adapters/openai/open-ai-model.ts';
import { completion, opening } from './conversations.ts';
import { apiKey, json, scripted } from './scripted-server.ts';

describe('a prompt that the server cuts', () => {
  const long = { ...opening, messages: [{ role: 'user', text: 'const one = two + three;\n'.repeat(1000) }] } as const;
  const counted = (tokens: number) =>
    json({
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Fine.' } }],
      usage: { prompt_tokens: tokens, completion_tokens: 2 },
    });

  it('is told once, with both numbers', async () => {
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
