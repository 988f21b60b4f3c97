import http from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, type ModelOptions, submit } from '../fakes/model-server/script.ts';
import { startTlsProxy } from '../fakes/tls-proxy.ts';
import { play, review, setStage } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

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
