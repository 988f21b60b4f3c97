import { describe, expect, it } from 'vitest';
import { call, calls, say, submit } from '../fakes/model-server/script.ts';
import { review, totalWorld, writesBesideSummary, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';

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

  it('is posted nowhere in a dry run', async () => {
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

const { title, review: words, severity } = wrongLineFinding;
const file = 'src/total.ts';
const own = submit([wrongLineFinding]).calls[0]?.arguments;
const owlSight = {
  file,
  line: wrongLineNumber,
  severity,
  title,
  description: words,
  suggestion: 'Use <.',
  ruleId: null,
};
const cora = {
  issues: [
    {
      file,
      line_start: 4,
      line_end: 4,
      severity: 'high',
      title,
      body: words,
      issue_type: 'bug',
      suggested_fix: 'Use <.',
    },
  ],
  context_request: null,
};

describe('a review that ends with text', () => {
  it.each([
    ["Postil's own object", JSON.stringify(own)],
    [
      'the same, fenced, with prose around it and trailing commas',
      `Done.\n\`\`\`json\n${JSON.stringify(own).replace(/}$/, ',}')}\n\`\`\`\nThat is all.`,
    ],
    ["OwlSight's object", JSON.stringify({ findings: [owlSight] })],
    ["OwlSight's bare list, fenced", `\`\`\`\n${JSON.stringify([owlSight], null, 2)}\n\`\`\``],
    ["Cora's object", JSON.stringify(cora)],
  ])('in %s is taken as it is', async (_, text) => {
    const { github, model, run } = await review({ world: totalWorld, model: [say(text)] });
    expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual([`${file}:${wrongLineNumber}`]);
    expect(github.comments()[0]?.body).toContain(title);
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
    const request = { issues: [], context_request: { file, line_start: 1, line_end: 9 } };
    const { run } = await review({ world: totalWorld, model: () => say(JSON.stringify(request)) });
    expect(run.outputs['outcome']).toBe('partial');
  });
});

it('a model that writes its tool calls as text is answered like any other', async () => {
  const text = '<tool_call>{"tool":"read_file","args":{"path":"src/total.ts"}}</tool_call>';
  const { github, model } = await review({
    world: totalWorld,
    model: (request, turn) => {
      if (turn === 0) return say(text);
      return submit(request.prompt.split(wrongLine.trim()).length > 2 ? [wrongLineFinding] : []);
    },
  });
  expect([github.comments().length, model.complaints]).toEqual([1, []]);
});

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

  it('that stays made up ends in the delivery, never on a line', async () => {
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
