import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, type ModelOptions, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

const answers = (request: NormalisedRequest, turn: number) => {
  if (turn === 0) return call('read_file', { path: 'src/total.ts' });
  return submit(request.prompt.includes(wrongLine.trim()) ? [wrongLineFinding] : []);
};

describe('an address to which no client sends anything', () => {
  it('is told at once: nothing is tried again, and nothing is billed that never left', async () => {
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
