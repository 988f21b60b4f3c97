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

describe('a model server', () => {
  it.each<[string, ModelOptions]>([
    ['refuses tools on Chat Completions', { rejects: ['chat-tools-with-reasoning'] }],
    ['refuses max_completion_tokens', { rejects: ['max_completion_tokens'] }],
    ['refuses everything optional', { rejects: ['temperature', 'parallel_tool_calls', 'strict', 'tool_choice'] }],
    ['writes less than it is asked for', { maxOutput: 2000 }],
    ['knows no tools', { rejects: ['tools'] }],
    ['wants its signatures back', { thoughtSignatures: true }],
    ['reports no usage', { usage: false }],
  ])('that %s still reviews', async (_, options) => {
    const { github, model, run } = await review({ world: totalWorld, model: { ...options, answers } });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
  });

  it('that serves Responses gets its reasoning back', async () => {
    const { model, run } = await review({ world: totalWorld, model: answers, inputs: { api: 'responses' } });
    expect(model.requests.map(({ api }) => api)).toEqual(['responses', 'responses']);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
  });

  it('that lacks the API the workflow insists on fails, and says where to look', async () => {
    const { model, run } = await review({
      world: totalWorld,
      model: { rejects: ['responses'], answers },
      inputs: { api: 'responses' },
    });
    expect([run.code, run.outputs['outcome'], model.attempts.length]).toEqual([1, 'failed', 1]);
    expect(run.log).toContain('base-url');
  });

  it('that refuses both APIs fails after a few attempts', async () => {
    const rejects = ['chat-tools-with-reasoning', 'responses'] as const;
    const { model, run } = await review({ world: totalWorld, model: { rejects, answers } });
    expect([run.code, run.outputs['outcome'], model.attempts.length < 6]).toEqual([1, 'failed', true]);
  });

  it('that has another model fails with its name', async () => {
    const { run } = await review({ world: totalWorld, model: { model: 'other', answers } });
    expect([run.code, run.outputs['outcome']]).toEqual([1, 'failed']);
    expect(run.annotations[0]?.message).toMatch(/scripted/);
  });
});

// Only this Node knows how to send an SDK's requests through a proxy.
describe.runIf('setGlobalProxyFromEnv' in http)('api.openai.com behind a proxy', () => {
  it.each<[string, ModelOptions, readonly string[]]>([
    ['is asked by Responses', {}, ['responses', 'responses']],
    ['is asked by Chat Completions where it refuses Responses', { rejects: ['responses'] }, ['chat', 'chat']],
  ])('%s', async (_, options, apis) => {
    const scenario = { world: totalWorld, model: { ...options, answers } };
    const stage = await setStage(scenario);
    const proxy = await startTlsProxy('api.openai.com', stage.model.url);
    onTestFinished(() => proxy.close());
    const run = await play(stage, {
      ...scenario,
      inputs: { 'base-url': 'https://api.openai.com/v1' },
      start: 'bundle',
      environment: { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: proxy.certificate },
    });
    expect([run.outputs['outcome'], stage.model.requests.map(({ api }) => api)]).toEqual(['findings', apis]);
    expect([new Set(proxy.hosts), stage.model.complaints]).toEqual([new Set(['api.openai.com:443']), []]);
  });
});

describe('poor servers', () => {
  const answers = (request: NormalisedRequest, turn: number) => {
    if (turn === 0) return call('read_file', { path: 'src/total.ts' });
    return submit(request.prompt.includes(wrongLine.trim()) ? [wrongLineFinding] : []);
  };

  describe('an address to which no client sends anything', () => {
    it('is reported at once: nothing is tried again, and nothing is billed that never left', async () => {
      const { run } = await review({
        world: totalWorld,
        model: null,
        inputs: { 'base-url': 'http://127.0.0.1:9/v1', 'api-key': 'a-key-that-goes-nowhere', model: 'scripted' },
      });
      const { outcome, 'input-tokens': input, 'output-tokens': output } = run.outputs;
      expect({ outcome, input, output }).toEqual({ outcome: 'failed', input: '0', output: '0' });
      expect(run.log).not.toContain('the next follows in');
    });
  });

  describe('a server of the Responses API', () => {
    it.each<[string, ModelOptions]>([
      ['temperature', { rejects: ['temperature'] }],
      ['parallel_tool_calls', { rejects: ['parallel_tool_calls'] }],
      ['strict schemas', { rejects: ['strict'] }],
      ['a forced tool', { rejects: ['tool_choice'] }],
      ['tools at all', { rejects: ['tools'] }],
      ['as many output tokens as it is asked for', { maxOutput: 2000 }],
    ])('that refuses %s is asked once, and reviews', async (_, options) => {
      const { github, model, run } = await review({
        world: totalWorld,
        model: { ...options, answers },
        inputs: { api: 'responses', temperature: '0.5', 'max-iterations': '1' },
      });
      expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
      expect(model.attempts.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(1);
      expect([['findings', 'partial'].includes(run.outputs['outcome'] ?? ''), model.complaints]).toEqual([true, []]);
    });
  });
});

const pricing = 'input=10,cached=1,output=40';

describe('with a price', () => {
  it('a run begins with an estimate and ends with its bill, and the summary shows both money and tokens', async () => {
    const { run } = await review({
      world: totalWorld,
      model: [submit([wrongLineFinding])],
      inputs: { pricing, 'max-cost': '2' },
    });
    expect(run.log).toMatch(/Estimate: about 4 model calls, [\d,]+ tokens in, 2,000 out, \$0\.\d+ of \$2\.00\./);
    expect(run.log).toMatch(/Spent: [\d,]+ tokens in, [\d,]+ out, of 500,000; \$0\.\d+ of \$2\.00, in 2 model calls\./);
    expect(run.summary).toMatch(/\| Cost \| \$0\.\d+ \| \$2\.00 per run \|/);
    expect(Number(run.outputs['cost'])).toBeGreaterThan(0.02);
  });

  it('the limit cuts the review short, is not passed, and what was found is delivered', async () => {
    const answers = (request: NormalisedRequest, turn: number) =>
      request.tools.includes('read_file_lines')
        ? call('read_file_lines', { path: 'src/total.ts', start_line: 1, end_line: turn + 2 })
        : submit([wrongLineFinding]);
    const { github, run, model } = await review({
      world: totalWorld,
      model: answers,
      inputs: { pricing, 'max-cost': '0.17', 'max-tokens': '1000', verify: 'false' },
    });
    expect([run.outputs['outcome'], run.outputs['stop-reason'], model.complaints]).toEqual(['partial', 'cost', []]);
    expect(Number(run.outputs['cost'])).toBeLessThanOrEqual(0.17);
    expect(github.comments()).toHaveLength(1);
    expect(model.requests.at(-1)?.tools).toEqual(['submit_review']);
  });

  it('that is missing, a limit is a usage error that says what to add', async () => {
    const { run, model } = await review({ world: totalWorld, model: [], inputs: { 'max-cost': '1' } });
    expect([run.code, model.attempts.length]).toEqual([1, 0]);
    expect(run.annotations[0]?.message).toContain("add a line such as 'input=1.25,cached=0.125,output=10'");
  });
});

describe('without a price', () => {
  it('nobody speaks of money', async () => {
    const { run } = await review({ world: totalWorld, model: [submit([wrongLineFinding])] });
    expect([run.outputs['cost'], run.log.includes('$'), run.summary.includes('$')]).toEqual(['', false, false]);
  });
});
