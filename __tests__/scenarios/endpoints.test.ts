import http from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTlsProxy } from '../fakes/loopback.ts';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, type ModelOptions, submit } from '../fakes/model-server/script.ts';
import { play, review, setStage, totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';

const answers = (request: NormalisedRequest, turn: number) => {
  if (turn === 0) return call('read_file', { path: 'src/total.ts' });
  return submit(request.prompt.includes(wrongLine.trim()) ? [wrongLineFinding] : []);
};
const optional = ['temperature', 'parallel_tool_calls', 'strict', 'tool_choice'] as const;

describe('a model server', () => {
  it.each<[string, ModelOptions, Record<string, string>, string]>([
    ['refuses tools on Chat Completions', { rejects: ['chat-tools-with-reasoning'] }, {}, 'responses'],
    ['knows no tools', { rejects: ['tools'], usage: false }, {}, 'chat'],
    [
      'refuses everything optional',
      { rejects: [...optional, 'max_completion_tokens'], maxOutput: 2000, thoughtSignatures: true },
      { temperature: '0.5' },
      'chat',
    ],
    [
      'refuses everything optional on Responses',
      { rejects: optional, maxOutput: 2000 },
      { api: 'responses', temperature: '0.5' },
      'responses',
    ],
  ])('that %s still reviews', async (_, options, inputs, api) => {
    const { github, model, run } = await review({ world: totalWorld, model: { ...options, answers }, inputs });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], model.requests.at(-1)?.api, model.complaints]).toEqual(['findings', api, []]);
  });

  it.each<[string, ModelOptions, Record<string, string>, string]>([
    ['lacks the API that the workflow insists on', { rejects: ['responses'] }, { api: 'responses' }, 'base-url'],
    ['refuses both APIs', { rejects: ['chat-tools-with-reasoning', 'responses'] }, {}, 'base-url'],
    ['has another model', { model: 'other' }, {}, 'scripted'],
  ])('that %s fails the run after a few attempts, and the log says where to look', async (_, options, inputs, word) => {
    const { model, run } = await review({ world: totalWorld, model: { ...options, answers }, inputs });
    expect([run.code, run.outputs['outcome'], model.attempts.length < 6]).toEqual([1, 'failed', true]);
    expect(run.log).toContain(word);
  });

  it('at an address to which no client sends anything is reported at once, and nothing is billed', async () => {
    const inputs = { 'base-url': 'http://127.0.0.1:9/v1', 'api-key': 'a-key-that-goes-nowhere', model: 'scripted' };
    const { run } = await review({ world: totalWorld, model: null, inputs });
    expect(run.outputs).toMatchObject({ outcome: 'failed', 'input-tokens': '0', 'output-tokens': '0' });
    expect(run.log).not.toContain('the next follows in');
  });
});

// Only this Node knows how to send an SDK's requests through a proxy.
it.runIf('setGlobalProxyFromEnv' in http)(
  'api.openai.com behind a proxy is asked by Chat Completions where it refuses Responses',
  async () => {
    const scenario = { world: totalWorld, model: { rejects: ['responses'], answers } } as const;
    const stage = await setStage(scenario);
    const proxy = await startTlsProxy('api.openai.com', stage.model.url);
    onTestFinished(() => proxy.close());
    const run = await play(stage, {
      ...scenario,
      inputs: { 'base-url': 'https://api.openai.com/v1' },
      start: 'bundle',
      environment: { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: proxy.certificate },
    });
    expect([run.outputs['outcome'], stage.model.requests.map(({ api }) => api)]).toEqual([
      'findings',
      ['chat', 'chat'],
    ]);
    expect([new Set(proxy.hosts), stage.model.complaints]).toEqual([new Set(['api.openai.com:443']), []]);
  },
);

describe('with a price', () => {
  const pricing = 'input=10,cached=1,output=40';

  it('a run begins with an estimate and ends with its bill, and the summary shows the money', async () => {
    const { run } = await review({
      world: totalWorld,
      model: [submit([wrongLineFinding])],
      inputs: { pricing, 'max-cost': '2' },
    });
    expect([/Estimate: .*\$0\.\d+ of \$2/.test(run.log), /Spent .*\$0\.\d+ of \$2/.test(run.log)]).toEqual([
      true,
      true,
    ]);
    expect(run.summary).toMatch(/\$0\.\d+/);
    expect(Number(run.outputs['cost'])).toBeGreaterThan(0.02);
  });

  it('the limit cuts the review short, is not passed, and what was found is delivered', async () => {
    const reading = (request: NormalisedRequest, turn: number) =>
      request.tools.includes('read_file_lines')
        ? call('read_file_lines', { path: 'src/total.ts', start_line: 1, end_line: turn + 2 })
        : submit([wrongLineFinding]);
    const { github, run, model } = await review({
      world: totalWorld,
      model: reading,
      inputs: { pricing, 'max-cost': '0.17', 'max-tokens': '1000', verify: 'false' },
    });
    expect([run.outputs['outcome'], run.outputs['stop-reason'], model.complaints]).toEqual(['partial', 'cost', []]);
    expect(Number(run.outputs['cost'])).toBeLessThanOrEqual(0.17);
    expect([github.comments().length, model.requests.at(-1)?.tools]).toEqual([1, ['submit_review']]);
  });
});
