import { describe, expect, it } from 'vitest';
import { call, submit } from '../fakes/model-server/script.ts';
import { review, writesBesideSummary } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

describe('a pull request with a defect', () => {
  it('gets one inline comment at exactly its line, an annotation, a summary and outputs', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      // The finding depends on what the tool said: a run that reads nothing finds nothing.
      model: (request, turn) => {
        if (turn === 0) return call('read_file', { path: 'src/total.ts' });
        return submit(request.lastResult('read_file').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
      },
    });
    expect(github.comments().map(({ path, side, line, startLine }) => ({ path, side, line, startLine }))).toEqual([
      { path: 'src/total.ts', side: 'RIGHT', line: wrongLineNumber, startLine: null },
    ]);
    expect(github.comments()[0]?.body).toContain('The loop reads one past the end');
    expect(github.reviews().map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(run.annotations).toMatchObject([{ level: 'error', file: 'src/total.ts', line: wrongLineNumber }]);
    expect(run.summary).toContain('The loop reads one past the end');
    expect(run.outputs).toMatchObject({
      outcome: 'findings',
      action: 'REQUEST_CHANGES',
      approved: 'false',
      findings: '1',
      critical: '1',
      warning: '0',
      posted: '1',
      'stop-reason': 'completed',
    });
    expect([run.code, model.complaints]).toEqual([0, []]);
  });

  it('fails the job when the workflow asks for it', async () => {
    const scenario = { world: totalWorld, model: [submit([wrongLineFinding])] };
    const { run } = await review({ ...scenario, inputs: { 'fail-on': 'critical' } });
    expect([run.code, run.outputs['outcome']]).toEqual([1, 'findings']);
  });

  it('is told of nothing in a dry run', async () => {
    const scenario = { world: totalWorld, model: [submit([wrongLineFinding])] };
    const { github, run } = await review({ ...scenario, inputs: { 'dry-run': 'true' } });
    expect([github.writes(), run.outputs['findings']]).toEqual([[], '1']);
  });

  it('keeps the keys to itself', async () => {
    const { github, model, run } = await review({ world: totalWorld, model: [submit([wrongLineFinding])] });
    const log = run.log.split('\n').filter((line) => !line.startsWith('::add-mask::'));
    const everything = [log, run.summary, JSON.stringify(run.outputs), JSON.stringify(github.writes())].join('\n');
    expect(run.masks).toEqual(expect.arrayContaining([model.apiKey, github.world.token]));
    expect([everything.includes(model.apiKey), everything.includes(github.world.token)]).toEqual([false, false]);
  });
});

describe('a pull request without a defect', () => {
  it('is clean, and nothing is posted but the summary comment', async () => {
    const { github, run } = await review({ world: totalWorld, model: [submit([])] });
    expect(run.outputs).toMatchObject({ outcome: 'clean', findings: '0', posted: '0' });
    expect([run.code, run.annotations, writesBesideSummary(github)]).toEqual([0, [], []]);
    expect(github.conversation().map(({ body }) => body.split('\n')[0])).toEqual([
      '### Review · No findings in 1 file.',
    ]);
  });
});
