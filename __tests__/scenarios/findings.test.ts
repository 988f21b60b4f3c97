import { describe, expect, it } from 'vitest';
import { call, say, submit } from '../fakes/model-server/script.ts';
import { review, totalWorld, writesBesideSummary, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';

describe('a pull request with a defect', () => {
  it('gets one inline comment at exactly its line, an annotation, a summary and outputs, and no key anywhere', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      // The finding depends on what the tool said: a run that reads nothing finds nothing.
      model: (request, turn) => {
        if (turn === 0) return call('read_file', { path: 'src/total.ts' });
        return submit(request.lastResult('read_file').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
      },
      inputs: { 'fail-on': 'critical' },
    });
    expect(github.comments().map(({ path, side, line, startLine }) => ({ path, side, line, startLine }))).toEqual([
      { path: 'src/total.ts', side: 'RIGHT', line: wrongLineNumber, startLine: null },
    ]);
    const { title } = wrongLineFinding;
    expect([github.comments()[0]?.body.includes(title), run.summary.includes(title)]).toEqual([true, true]);
    expect(github.reviews().map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(run.annotations.slice(0, 1)).toMatchObject([
      { level: 'error', file: 'src/total.ts', line: wrongLineNumber },
    ]);
    expect([run.code, run.outputs, model.complaints]).toMatchObject([
      1,
      {
        outcome: 'findings',
        action: 'REQUEST_CHANGES',
        approved: 'false',
        findings: '1',
        critical: '1',
        warning: '0',
        posted: '1',
        cost: '',
        'stop-reason': 'completed',
      },
      [],
    ]);
    const log = run.log.split('\n').filter((line) => !line.startsWith('::add-mask::'));
    const everything = JSON.stringify([log, run.summary, run.outputs, github.writes()]);
    expect(run.masks).toEqual(expect.arrayContaining([model.apiKey, github.world.token]));
    expect([model.apiKey, github.world.token].filter((key) => everything.includes(key))).toEqual([]);
  });

  it('is posted nowhere in a dry run', async () => {
    const scenario = { world: totalWorld, model: [submit([wrongLineFinding])] };
    const { github, run } = await review({ ...scenario, inputs: { 'dry-run': 'true' } });
    expect([github.writes(), run.outputs['findings'], run.code]).toEqual([[], '1', 0]);
  });
});

it('a pull request without a defect is clean, and nothing is posted but the summary comment', async () => {
  const { github, run } = await review({ world: totalWorld, model: [submit([])] });
  expect(run.outputs).toMatchObject({ outcome: 'clean', findings: '0', posted: '0' });
  expect([run.code, run.annotations, writesBesideSummary(github)]).toEqual([0, [], []]);
  expect(github.conversation()).toHaveLength(1);
});

describe('a review that ends with text', () => {
  it('is taken as it is where the text is JSON, fenced, with prose around it and trailing commas', async () => {
    const own = JSON.stringify(submit([wrongLineFinding]).calls[0]?.arguments).replace(/}$/, ',}');
    const answers = [say(`Done.\n\`\`\`json\n${own}\n\`\`\`\nThat is all.`)];
    const { github, model, run } = await review({ world: totalWorld, model: answers });
    expect(github.comments().map(({ path, line }) => [path, line])).toEqual([['src/total.ts', wrongLineNumber]]);
    expect([run.outputs['outcome'], model.requests.length]).toEqual(['findings', 1]);
  });

  it('in free text is brought into the schema within three attempts', async () => {
    const script = [
      say('The loop reads one past the end.'),
      say(''),
      call('submit_review', '{"files_rev'),
      submit([wrongLineFinding]),
    ];
    const { github, model, run } = await review({ world: totalWorld, model: script });
    expect(model.requests.map(({ tools }) => tools.length > 1)).toEqual([true, false, false, false]);
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['outcome'], model.complaints]).toEqual(['findings', []]);
  });

  it('that asks for more context, as Cora does, has found nothing yet, and is no clean review', async () => {
    const request = { issues: [], context_request: { file: 'src/total.ts', line_start: 1, line_end: 9 } };
    const { run } = await review({ world: totalWorld, model: () => say(JSON.stringify(request)) });
    expect(run.outputs['outcome']).toBe('partial');
  });
});
