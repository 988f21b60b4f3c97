import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChatStream } from '../../../src/adapters/openai/chat.ts';
import { type OpenAiOptions, openAiModel } from '../../../src/adapters/openai/open-ai-model.ts';
import { at } from '../../fakes/every-pair.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { calls, type ModelScript, say } from '../../fakes/model-server/script.ts';
import { startModel } from '../../fakes/model-server/start-model.ts';
import {
  chunk,
  closeLater,
  continued,
  done,
  json,
  opening,
  plainOptions,
  readArguments,
  scripted,
  sentAt,
  sse,
  usageChunk,
} from './streams.ts';

/** A chunk with a piece of a tool call. */
function callChunk(piece: unknown): unknown {
  return chunk({ tool_calls: [piece] });
}

const apis = ['chat', 'responses'] as const;

/** A scripted server, and a model that streams from it. */
async function streaming(script: ModelScript, options: Partial<OpenAiOptions> = {}) {
  const server = closeLater(await startModel(script));
  const { apiKey, url: baseUrl } = server;
  const model = openAiModel({ ...plainOptions, apiKey, baseUrl, stream: true, ...options });
  const answer = (request = opening, signal = new AbortController().signal) => model.answer(request, signal);
  return { server, answer };
}

describe.each(apis)('an answer of %s that is streamed', (api) => {
  it('is the one that would have come whole, and goes back verbatim', async () => {
    const read = { name: 'read_file', arguments: { path: 'a.ts', limit: null } };
    const both = [];
    for (const stream of [true, false]) {
      const { server, answer } = await streaming([calls(read, read), say('I am done: äöü 🙂.')], { api, stream });
      const first = await answer();
      both.push([first, await answer(continued(first)), server.complaints]);
      const streams = stream ? true : undefined;
      expect(server.attempts.map(({ body }) => at(body, 'stream'))).toEqual([streams, streams]);
    }
    expect(both[0]).toEqual(both[1]);
  });

  it('tells how far it is', async () => {
    const { answer } = await streaming([say('x'.repeat(500))], { api });
    const told: number[] = [];
    await answer({ ...opening, onProgress: (characters) => told.push(characters) });
    expect([told.length > 0, told.every((characters) => characters > 0 && characters <= 500)]).toEqual([true, true]);
  });
});

describe('a server that does not stream', () => {
  it.each([
    ['stream', false],
    ['stream_options', true],
  ] as const)(
    'and says so of %s is asked without it, for the rest of the run, and that is told once',
    async (rejected, streams) => {
      const told: string[] = [];
      const onAdjust = ({ change }: { change: string }) => told.push(change);
      const script = { answers: () => say('Done.'), rejects: [rejected] };
      const { server, answer } = await streaming(script, { api: 'chat', onAdjust });
      await answer();
      await answer();
      expect(server.attempts.map(({ body }) => at(body, 'stream') === true)).toEqual([true, streams, streams]);
      expect(told).toHaveLength(1);
    },
  );

  it.each(apis)('and answers whole over %s is understood', async (api) => {
    const { answer } = await streaming({ answers: [say('Done.')], ignoresStream: true }, { api });
    expect((await answer()).message.text).toBe('Done.');
  });
});

describe('a server that fails when it is asked for a stream', () => {
  const failed = json({ status: 'failure', message: 'Something went wrong' }, 500);
  const inside = sse([chunk({ content: 'I th' }), { error: { message: 'The server had an error.' } }]);
  const worked = sse([chunk({ content: 'Done.' }), chunk({}, 'stop')]);

  it.each<[string, readonly Outcome[], streams: readonly boolean[]]>([
    ['twice is asked without', [failed, failed, done.chat, done.chat], [true, true, false, false]],
    ['once is asked for one again', [failed, worked, worked], [true, true, true]],
    ['after one that worked is asked for one again', [worked, failed, failed, failed, worked], Array(5).fill(true)],
    ['in the middle of it is asked for one again', [inside, inside, inside, worked], Array(4).fill(true)],
    ['with another status is asked for one again', [json({}, 429), json({}, 429), worked], Array(3).fill(true)],
  ])('%s', async (_, script, streams) => {
    const server = await scripted(script, { stream: true });
    for (const _ of script) await server.answer(opening).catch(() => null);
    expect(sentAt(server, 'stream').map((sent) => sent === true)).toEqual(streams);
    expect(server.adjustments).toHaveLength(streams.includes(false) ? 1 : 0);
  });

  it('is adjusted to once by calls that run at the same time', async () => {
    const script = ({ body }: { body: unknown }) => (at(body, 'stream') === true ? failed : done.chat);
    const server = await scripted(Array(8).fill(script), { stream: true });
    await Promise.allSettled([1, 2, 3, 4].map(() => server.answer(opening)));
    expect((await server.answer(opening)).message.text).toBe('Done.');
    expect(server.adjustments).toHaveLength(1);
  });
});

describe('a stream of chat chunks', () => {
  const answerTo = async (events: readonly unknown[], ending?: Parameters<typeof sse>[1]) => {
    const server = await scripted([sse(events, ending)], { stream: true });
    return await server.answer(opening);
  };
  const called = (id: string | undefined, index: number | undefined, argumentsOfCall: unknown) => ({
    index,
    id,
    type: 'function',
    function: { name: 'read_file', arguments: argumentsOfCall },
  });
  const more = (index: number | undefined, text: string) => callChunk({ index, function: { arguments: text } });
  const [start, end] = ['{"path":"a.ts",', '"limit":null}'];

  it('needs no [DONE]', async () => {
    const answer = await answerTo([chunk({ content: 'Done.' }), chunk({}, 'stop'), usageChunk(10, 2)], 'no done');
    expect(answer).toMatchObject({ message: { text: 'Done.' }, usage: { input: 10, output: 2 } });
  });

  it('without an end is cut, and may be billed', async () => {
    const answer = answerTo([chunk({ content: 'Don' })], 'no done');
    await expect(answer).rejects.toMatchObject({ kind: 'transient', maybeBilled: true });
  });

  it.each<[string, readonly unknown[]]>([
    [
      'by index',
      [callChunk(called('a', 0, start)), callChunk(called('b', 1, '')), more(0, end), more(1, readArguments('b.ts'))],
    ],
    [
      'by name, where neither is given',
      [
        callChunk(called(undefined, undefined, start)),
        more(undefined, end),
        callChunk(called(undefined, undefined, readArguments('b.ts'))),
      ],
    ],
    [
      'whole, with arguments as an object',
      [chunk({ tool_calls: ['a', 'b'].map((id, index) => called(id, index, { path: `${id}.ts`, limit: null })) })],
    ],
  ])('tells calls apart %s', async (_how, events) => {
    const { message } = await answerTo([...events, chunk({}, 'tool_calls')]);
    const expected = ['a.ts', 'b.ts'].map((path) => ['read_file', readArguments(path)]);
    expect(message.toolCalls.map((one) => [one.name, one.arguments])).toEqual(expected);
    expect(new Set(message.toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  it('keeps unknown fields for the way back, those in pieces put together', async () => {
    const details = (index: number, text: string) => ({ reasoning_details: [{ index, text }] });
    const extra_content = { google: { thought_signature: 'c2ln' } };
    const events = [
      chunk({ role: 'assistant', content: '', reasoning_content: 'I th', ...details(0, 'a') }),
      chunk({ role: 'assistant', reasoning_content: 'ink', ...details(1, 'b') }),
      callChunk({ ...called('a', 0, readArguments('a.ts')), extra_content }),
      chunk({}, 'tool_calls'),
    ];
    const server = await scripted([sse(events), done.chat], { stream: true });
    await server.answer(continued(await server.answer(opening)));
    expect(sentAt(server, 'messages', 2)[1]).toMatchObject({
      role: 'assistant',
      reasoning_content: 'I think',
      reasoning_details: [{ text: 'a' }, { text: 'b' }],
      tool_calls: [{ id: 'a', extra_content }],
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
        const called = (index: number, text: string) => ({
          id: `c${index}`,
          type: 'function',
          function: { name: 'read_file', arguments: text },
        });
        calls.forEach(([written, places], index) => {
          stream.add(callChunk({ index, ...called(index, '') }));
          for (const text of cutAt(written, places)) stream.add(callChunk({ index, function: { arguments: text } }));
        });
        stream.add(chunk({}, 'stop'));
        const message = {
          role: 'assistant',
          ...(content === '' ? {} : { content }),
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(([written], index) => called(index, written)) }),
        };
        expect(stream.answer()).toMatchObject({ choices: [{ finish_reason: 'stop', message }] });
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
