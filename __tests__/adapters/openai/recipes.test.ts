import { describe, expect, it } from 'vitest';
import { completion, opening } from './conversations.ts';
import { json, scripted } from './scripted-server.ts';
import { chunk, sse } from './streams.ts';

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
