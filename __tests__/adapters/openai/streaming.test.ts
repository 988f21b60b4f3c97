import { describe, expect, it } from 'vitest';
import { openAiModel } from '../../../src/adapters/openai/open-ai-model.ts';
import { at } from '../../fakes/json.ts';
import { call, calls, say } from '../../fakes/model-server/script.ts';
import { startModel } from '../../fakes/model-server/start-model.ts';
import { continued, opening } from './conversations.ts';
import { page, refusal, scripted } from './scripted-server.ts';

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

  it('but serves a page is told like any other page', async () => {
    const server = await scripted([page(200, 'Welcome')], { stream: true });
    await expect(server.answer(opening)).rejects.toMatchObject({
      kind: 'unknown-model',
      message: expect.stringContaining('"Welcome"'),
    });
  });

  it('but refuses the key is told like any other refusal', async () => {
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
