import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatStream } from '../../../src/adapters/openai/chat-stream.ts';
import { at } from '../../fakes/json.ts';
import { continued, opening } from './conversations.ts';
import { json, scripted } from './scripted-server.ts';
import { callChunk, chunk, sse, usageChunk } from './streams.ts';

describe('a stream of chat chunks', () => {
  const answerTo = async (events: readonly unknown[], ending?: Parameters<typeof sse>[1]) => {
    const server = await scripted([sse(events, ending)], { stream: true });
    return await server.answer(opening);
  };
  const read = (path: string) => JSON.stringify({ path, limit: null });

  it('needs no [DONE]', async () => {
    expect(
      await answerTo([chunk({ content: 'Done.' }), chunk({}, 'stop'), usageChunk(10, 2)], 'no done'),
    ).toMatchObject({
      message: { text: 'Done.' },
      usage: { input: 10, output: 2 },
    });
  });

  it('without an end is cut', async () => {
    await expect(answerTo([chunk({ content: 'Don' })], 'no done')).rejects.toMatchObject({
      kind: 'transient',
      maybeBilled: true,
    });
  });

  it('with an error object in it is that error', async () => {
    const error = { error: { message: 'Rate limit reached.', code: 429 } };
    await expect(answerTo([chunk({ content: 'Don' }), error])).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringContaining('Rate limit'),
    });
  });

  it.each<[string, readonly unknown[]]>([
    [
      'by index',
      [
        callChunk({
          index: 0,
          id: 'a',
          type: 'function',
          function: { name: 'read_file', arguments: '{"path":"a.ts",' },
        }),
        callChunk({ index: 1, id: 'b', type: 'function', function: { name: 'read_file', arguments: '' } }),
        callChunk({ index: 0, function: { arguments: '"limit":null}' } }),
        callChunk({ index: 1, function: { arguments: read('b.ts') } }),
      ],
    ],
    [
      'by id, where all have one index',
      [
        callChunk({ index: 0, id: 'a', function: { name: 'read_file', arguments: read('a.ts') } }),
        callChunk({ index: 0, id: 'b', function: { name: 'read_file', arguments: read('b.ts') } }),
      ],
    ],
    [
      'by name, where neither is given',
      [
        callChunk({ function: { name: 'read_file', arguments: '{"path":"a.ts",' } }),
        callChunk({ function: { arguments: '"limit":null}' } }),
        callChunk({ function: { name: 'read_file', arguments: read('b.ts') } }),
      ],
    ],
    [
      'whole, with arguments as an object',
      [
        chunk({
          tool_calls: [
            { index: 0, id: 'a', function: { name: 'read_file', arguments: { path: 'a.ts', limit: null } } },
            { index: 1, id: 'b', function: { name: 'read_file', arguments: { path: 'b.ts', limit: null } } },
          ],
        }),
      ],
    ],
  ])('tells calls apart %s', async (_how, events) => {
    const { message } = await answerTo([...events, chunk({}, 'tool_calls')]);
    expect(message.toolCalls.map((one) => [one.name, one.arguments])).toEqual([
      ['read_file', read('a.ts')],
      ['read_file', read('b.ts')],
    ]);
    expect(new Set(message.toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  it('keeps unknown fields for the way back, those in pieces put together', async () => {
    const events = [
      chunk({
        role: 'assistant',
        content: '',
        reasoning_content: 'I th',
        reasoning_details: [{ index: 0, text: 'a' }],
      }),
      chunk({ role: 'assistant', reasoning_content: 'ink', reasoning_details: [{ index: 1, text: 'b' }] }),
      callChunk({
        index: 0,
        id: 'a',
        function: { name: 'read_file', arguments: read('a.ts') },
        extra_content: { google: { thought_signature: 'c2ln' } },
      }),
      chunk({}, 'tool_calls'),
    ];
    const server = await scripted(
      [sse(events), json({ choices: [{ message: { content: 'Done.' }, finish_reason: 'stop' }] })],
      { stream: true },
    );
    await server.answer(continued(await server.answer(opening)));
    expect(at(server.sent[1]?.body, 'messages', 2)).toMatchObject({
      role: 'assistant',
      reasoning_content: 'I think',
      reasoning_details: [{ text: 'a' }, { text: 'b' }],
      tool_calls: [{ id: 'a', extra_content: { google: { thought_signature: 'c2ln' } } }],
    });
  });
});

it('comes to the same however a text and its calls are cut into pieces', () => {
  const cuts = fc.array(fc.nat({ max: 40 }), { maxLength: 8 });
  fc.assert(
    fc.property(
      fc.string({ maxLength: 40, unit: 'grapheme' }),
      fc.array(fc.tuple(fc.string(), cuts), { maxLength: 3 }),
      cuts,
      (content, calls, at) => {
        const stream = new ChatStream();
        for (const text of cutAt(content, at)) stream.add(chunk({ content: text }));
        calls.forEach(([written, places], index) => {
          stream.add(
            callChunk({ index, id: `c${index}`, type: 'function', function: { name: 'read_file', arguments: '' } }),
          );
          for (const text of cutAt(written, places)) stream.add(callChunk({ index, function: { arguments: text } }));
        });
        stream.add(chunk({}, 'stop'));
        const whole = calls.map(([written], index) => ({
          id: `c${index}`,
          type: 'function',
          function: { name: 'read_file', arguments: written },
        }));
        expect(stream.answer()).toMatchObject({
          choices: [
            {
              finish_reason: 'stop',
              message: {
                role: 'assistant',
                ...(content === '' ? {} : { content }),
                ...(whole.length === 0 ? {} : { tool_calls: whole }),
              },
            },
          ],
        });
      },
    ),
  );
});

it('never throws for what no server should send', () => {
  fc.assert(
    fc.property(fc.array(fc.anything()), (events) => {
      const stream = new ChatStream();
      for (const event of events) stream.add(event);
      expect(stream.characters).toBeGreaterThanOrEqual(0);
    }),
  );
});

function cutAt(text: string, places: readonly number[]): readonly string[] {
  const ends = [...new Set(places.filter((place) => place < text.length))].sort((one, other) => one - other);
  return [...ends, text.length].map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
}
