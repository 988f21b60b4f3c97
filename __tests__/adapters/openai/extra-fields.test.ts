import { describe, expect, it } from 'vitest';
import { at } from '../../fakes/json.ts';
import { completion, opening } from './conversations.ts';
import { scripted } from './scripted-server.ts';

const done = completion({ content: 'Done.' });

describe('extra fields', () => {
  it('go with every request: headers, query and body', async () => {
    const server = await scripted([done], {
      extraHeaders: { 'X-Title': 'Postil' },
      extraQuery: { 'api-version': '2026-05-01' },
      extraBody: { provider: { sort: 'price' } },
    });
    await server.answer(opening);
    const [sent] = server.sent;
    expect([sent?.headers['x-title'], at(sent?.body, 'provider')]).toEqual(['Postil', { sort: 'price' }]);
  });

  it('are merged into what Postil sends itself', async () => {
    const extraBody = { stream_options: { include_obfuscation: false }, temperature: 0 };
    const server = await scripted([done], { stream: true, extraBody, temperature: 0.2 });
    await server.answer(opening);
    expect([at(server.sent[0]?.body, 'stream_options'), at(server.sent[0]?.body, 'temperature')]).toEqual([
      { include_usage: true, include_obfuscation: false },
      0,
    ]);
  });

  it('may replace the way in which the key is sent', async () => {
    const server = await scripted([done], { extraHeaders: { Authorization: 'Token abc' } });
    await server.answer(opening);
    expect(server.sent[0]?.headers['authorization']).toBe('Token abc');
  });

  it('keep the bytes of a request the same from call to call', async () => {
    const server = await scripted([done, done], { extraBody: { user: 'ci', metadata: { a: 1, b: 2 } } });
    await server.answer(opening);
    await server.answer(opening);
    expect(JSON.stringify(server.sent[1]?.body)).toBe(JSON.stringify(server.sent[0]?.body));
  });

  it('include the effort to think, in the words of each API', async () => {
    const chat = await scripted([done], { reasoningEffort: 'low', api: 'chat' });
    await chat.answer(opening);
    expect(at(chat.sent[0]?.body, 'reasoning_effort')).toBe('low');
  });
});
