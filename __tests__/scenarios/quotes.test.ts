import { describe, expect, it } from 'vitest';
import { call, calls, say, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

const invented = { ...wrongLineFinding, quote: 'for (let i = 0; i < prices.size(); i++) {' };

describe('a quote', () => {
  it('that the model made up goes back to it, and the repaired finding is posted', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      model: (request, turn) => {
        if (turn === 0) return submit([invented]);
        return request.lastResult('submit_review').includes('src/total.ts') ? submit([wrongLineFinding]) : say('Lost.');
      },
    });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], model.requests.length]).toEqual(['findings', 2]);
  });

  it('that stays made up ends in the ledger, never on a line', async () => {
    const { github, run } = await review({ world: totalWorld, model: () => submit([invented]) });
    expect(github.comments()).toEqual([]);
    expect(run.summary).toContain(invented.title);
  });

  it('may carry the line numbers of a tool result, other indentation, and a wrong hint', async () => {
    const quote = `  ${wrongLineNumber} | ${wrongLine.trim()}`;
    const { github } = await review({
      world: totalWorld,
      model: [submit([{ ...wrongLineFinding, quote, lines: '1' }])],
    });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
  });
});

describe('a submission', () => {
  it('beside other calls is asked to come alone', async () => {
    const submission = submit([wrongLineFinding]).calls[0];
    const { github, model } = await review({
      world: totalWorld,
      model: (request, turn) => {
        if (turn > 0)
          return submit(request.lastResult('read_file').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
        return calls({ name: 'read_file', arguments: { path: 'src/total.ts' } }, ...(submission ? [submission] : []));
      },
    });
    expect(model.requests[1]?.lastResult('submit_review')).toMatch(/alone/);
    expect(github.comments()).toHaveLength(1);
  });

  it('as fenced JSON in plain text is as good', async () => {
    const text = JSON.stringify(submit([wrongLineFinding]).calls[0]?.arguments, null, 2);
    const { github } = await review({ world: totalWorld, model: [say(`Here it is:\n\`\`\`json\n${text}\n\`\`\``)] });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
  });

  it('as free text is extracted in the same conversation', async () => {
    const { github, model } = await review({
      world: totalWorld,
      model: (request, turn) => {
        if (turn === 0) return call('read_file', { path: 'src/total.ts' });
        if (turn === 1) return say('The loop in total() reads one element past the end of the array.');
        return submit(request.prompt.includes('reads one element past') ? [wrongLineFinding] : []);
      },
    });
    expect(model.requests.at(-1)?.tools).toEqual(['submit_review']);
    expect(github.comments()).toHaveLength(1);
  });
});
