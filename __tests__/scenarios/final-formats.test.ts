import { describe, expect, it } from 'vitest';
import { call, say, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

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
