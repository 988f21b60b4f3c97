import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding } from './total-world.ts';

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
