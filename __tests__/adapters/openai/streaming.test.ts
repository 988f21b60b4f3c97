import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatStream } from '../../../src/adapters/openai/chat.ts';
import { openAiModel } from '../../../src/adapters/openai/open-ai-model.ts';
import { at } from '../../fakes/every-pair.ts';
import { call, calls, say } from '../../fakes/model-server/script.ts';
import { startModel } from '../../fakes/model-server/start-model.ts';
import { callChunk, chunk, continued, json, opening, page, refusal, scripted, sse, usageChunk } from './streams.ts';

const apis = ['chat', 'responses'] as const;

describe.each(apis)('an answer of %s that is streamed', (api) => {
  it('is the one that would have come whole, and goes back verbatim', async () => {
    const answers = [
      calls(
        { name: 'read_file', arguments: { path: 'a.ts', limit: null } },
        { name: 'read_file', arguments: { path: 'b.ts', limit: 3 } },
      ),
      say('I am done: äöü 🙂.'),
    ];
    const both = [];
    for (const stream of [true, false]) {
      const server = await startModel({ answers });
      const model = openAiModel({ ...options, apiKey: server.apiKey, baseUrl: server.url, api, stream });
      const first = await model.answer(opening, signal());
      const second = await model.answer(continued(first), signal());
      both.push([first, second, server.complaints, server.attempts.map(({ body }) => at(body, 'stream'))]);
      await server.close();
    }
    const [streamed, whole] = both;
    expect(streamed?.slice(0, 3)).toEqual(whole?.slice(0, 3));
    expect([streamed?.[3], whole?.[3]]).toEqual([
      [true, true],
      [undefined, undefined],
    ]);
  });

  it('tells how far it is', async () => {
    const server = await startModel([say('x'.repeat(500))]);
    const told: number[] = [];
    const model = openAiModel({ ...options, apiKey: server.apiKey, baseUrl: server.url, api });
    await model.answer({ ...opening, onProgress: (characters) => told.push(characters) }, signal());
    await server.close();
    expect([told.length > 0, told.every((characters) => characters > 0 && characters <= 500)]).toEqual([true, true]);
  });

  it.each(['cut', 'error'] as const)('and fails in the middle (%s) is transient and may be billed', async (how) => {
    const server = await startModel([{ ...call('read_file', { path: 'a.ts' }), streamFault: { how, after: 4 } }]);
    const model = openAiModel({ ...options, apiKey: server.apiKey, baseUrl: server.url, api });
    await expect(model.answer(opening, signal())).rejects.toMatchObject({ kind: 'transient' });
    await server.close();
  });

  it('and stalls is given up when the caller gives up', async () => {
    const server = await startModel([{ ...say('never said'), streamFault: { how: 'stall', after: 3 } }]);
    const model = openAiModel({ ...options, apiKey: server.apiKey, baseUrl: server.url, api });
    await expect(model.answer(opening, AbortSignal.timeout(200))).rejects.toMatchObject({ kind: 'aborted' });
    await server.close();
  });
});

describe('a server that does not stream', () => {
  it.each([
    ['stream', false],
    ['stream_options', true],
  ] as const)(
    'and says so of %s is asked without it, for the rest of the run, and that is told once',
    async (rejected, streams) => {
      const server = await startModel({ answers: () => say('Done.'), rejects: [rejected] });
      const told: string[] = [];
      const onAdjust = ({ change }: { change: string }) => told.push(change);
      const model = openAiModel({ ...options, apiKey: server.apiKey, baseUrl: server.url, api: 'chat', onAdjust });
      await model.answer(opening, signal());
      await model.answer(opening, signal());
      await server.close();
      expect(server.attempts.map(({ body }) => at(body, 'stream') === true)).toEqual([true, streams, streams]);
      expect(told).toHaveLength(1);
    },
  );

  it.each(apis)('and answers whole over %s is understood', async (api) => {
    const server = await startModel({ answers: [say('Done.')], ignoresStream: true });
    const model = openAiModel({ ...options, apiKey: server.apiKey, baseUrl: server.url, api });
    expect((await model.answer(opening, signal())).message.text).toBe('Done.');
    await server.close();
  });

  it('but serves a page is reported like any other page', async () => {
    const server = await scripted([page(200, 'Welcome')], { stream: true });
    await expect(server.answer(opening)).rejects.toMatchObject({
      kind: 'unknown-model',
      message: expect.stringContaining('"Welcome"'),
    });
  });

  it('but refuses the key is reported like any other refusal', async () => {
    const server = await scripted([refusal('Wrong key.', { status: 401 })], { stream: true });
    await expect(server.answer(opening)).rejects.toMatchObject({ kind: 'authentication' });
  });
});

const options = {
  model: 'scripted-1',
  temperature: null,
  reasoningEffort: '',
  stream: true,
  extraHeaders: {},
  extraQuery: {},
  extraBody: {},
  cacheKey: 'octo/spoon#7',
  onAdjust: () => {},
} as const;

function signal(): AbortSignal {
  return new AbortController().signal;
}

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
