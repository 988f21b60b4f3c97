import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding, wrongLineNumber } from './total-world.ts';

/** Never has enough: reads on until it is offered nothing but the end. */
function curious(request: NormalisedRequest, turn: number) {
  if (request.tools.includes('read_file_lines')) {
    return call('read_file_lines', { path: 'src/total.ts', start_line: 1, end_line: turn + 2 });
  }
  return submit([wrongLineFinding]);
}

describe('at the cap of iterations', () => {
  it('one last call offers the end alone, and what it finds is delivered', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      model: curious,
      inputs: { 'max-iterations': '2' },
    });
    expect(model.requests.map(({ tools }) => tools.length > 1)).toEqual([true, true, false]);
    expect(model.requests.at(-1)).toMatchObject({ tools: ['submit_review'], toolChoice: 'submit_review' });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], run.code, model.complaints]).toEqual(['partial', 0, []]);
    expect(run.annotations.some(({ level }) => level === 'warning')).toBe(true);
  });
});

describe('at the limit of tokens', () => {
  const long = Array.from({ length: 900 }, (_, index) => `export const value${index} = ${index} * ${index};`).join(
    '\n',
  );
  const world = {
    base: { ...totalWorld.base, 'src/long.ts': long, 'src/b.ts': 'b\n', 'src/c.ts': 'c\n' },
    head: { ...totalWorld.head, 'src/b.ts': 'B\n', 'src/c.ts': 'C\n' },
  };
  const hungry = (request: NormalisedRequest, turn: number) => {
    if (!request.tools.includes('read_file_lines')) return submit([wrongLineFinding]);
    return call('read_file_lines', { path: 'src/long.ts', start_line: turn * 60 + 1, end_line: turn * 60 + 120 });
  };

  it('the run ends within it, by one last call, and says partial', async () => {
    const limits = { 'max-total-tokens': '30000', 'max-tokens': '1000' };
    const { github, model, run } = await review({ world, model: hungry, inputs: limits });
    const spent = Number(run.outputs['input-tokens']) + Number(run.outputs['output-tokens']);
    expect(spent).toBeLessThanOrEqual(30_000);
    expect(model.requests.length).toBeGreaterThan(2);
    expect(model.requests.at(-1)?.tools).toEqual(['submit_review']);
    expect([run.outputs['outcome'], github.comments().length]).toEqual(['partial', 1]);
  });

  it('too low for a single call, no call is made, and it never looks like a clean review', async () => {
    const { model, run } = await review({ world, model: hungry, inputs: { 'max-total-tokens': '1000' } });
    expect([model.attempts, run.outputs['findings']]).toEqual([[], '0']);
    expect(['partial', 'failed']).toContain(run.outputs['outcome']);
  });
});
