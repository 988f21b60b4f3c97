import { describe, expect, it } from 'vitest';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, say, submit } from '../fakes/model-server/script.ts';
import {
  outputFiles,
  placesOf,
  play,
  review,
  setStage,
  totalWorld,
  writesBesideSummary,
  wrongLine,
  wrongLineFinding,
  wrongLineNumber,
} from './review.ts';

const wrongClaim = {
  path: 'src/total.ts',
  quote: '  let sum = 0;',
  title: 'The sum is never set',
  review: 'It starts undefined.',
} as const;
const quote = `let sum = 0;\n${wrongLine}`;
const texts = { path: null, quote: null, review: null, suggestion: null };
const wrong = { ...texts, verdict: 'wrong', path: 'src/total.ts', quote, result: 'It is set to 0.' };
const refuted = { confirmed: [1], drop_suggestion: [], verdicts: [{ finding: 2, ...wrong }] };

describe('findings that are checked before they are posted', () => {
  it('are posted when they hold; a refuted one is shown in the summary with the reason, and counts nowhere', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      model: {
        answers: [submit([wrongLineFinding, wrongClaim])],
        verification: [call('submit_verification', refuted)],
      },
      inputs: { 'fail-on': 'warning' },
    });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['findings'], run.outputs['outcome'], model.complaints]).toEqual(['1', 'findings', []]);
    expect(run.summary).toMatch(/1 disproved by verification[\s\S]*The sum is never set[\s\S]*It is set to 0\./);
    expect(run.log).toContain('- disproved: The sum is never set (src/total.ts:3): It is set to 0.');
    expect(github.conversation()[0]?.body).not.toContain('The sum is never set');
  });

  it('are listed as already there when the change neither made nor touched them; what is undecided is posted and says so', async () => {
    const older = { ...texts, finding: 2, verdict: 'old', result: 'It starts at 0.' };
    const open = { ...texts, finding: 1, verdict: 'undecided', result: 'The loop is not shown.' };
    const given = { confirmed: [], drop_suggestion: [], verdicts: [older, open] };
    const { github, model, run } = await review({
      world: totalWorld,
      model: {
        answers: [submit([wrongLineFinding, wrongClaim])],
        verification: [call('submit_verification', given)],
      },
    });
    expect([run.outputs['findings'], run.outputs['outcome'], model.complaints]).toEqual(['1', 'findings', []]);
    expect(github.comments().map(({ body }) => /<summary>(Evidence.*?)<\/summary>/.exec(body)?.[1])).toEqual([
      'Evidence: verification could not decide',
    ]);
    expect(run.summary).toMatch(/1 already there before this change[\s\S]*The sum is never set[\s\S]*It starts at 0\./);
    expect(run.log).toContain('- already there: The sum is never set (src/total.ts:3): It starts at 0.');
    expect(run.log).toContain('verification: 1 already there.');
  });

  it('are checked by another model where one is named, without the reasoning that found them', async () => {
    const { model } = await review({
      world: totalWorld,
      model: [submit([wrongLineFinding])],
      inputs: { 'verify-model': 'checker-1' },
    });
    const [check] = model.verifications;
    const tools = ['read_file_lines', 'search_text', 'submit_verification'];
    expect([check?.model, check?.tools, check?.messages.length]).toEqual(['checker-1', tools, 2]);
    expect(check?.prompt).toContain(wrongLine.trim());
  });
});

it('three passes keep what two of them find, and of the rest what is confirmed; files come in another order each time', async () => {
  const more = (text: string) => ({ 'src/a.ts': text, 'src/b.ts': text });
  const world = { base: { ...totalWorld.base, ...more('a\n') }, head: { ...totalWorld.head, ...more('b\n') } };
  const orders = new Set<string>();
  const answers = (request: NormalisedRequest) => {
    const paths = [...request.prompt.matchAll(/^## (src\/\S+)/gm)].map(([, path = '']) => path);
    orders.add(paths.join());
    const [first] = paths;
    const other = { path: 'src/a.ts', quote: 'b', title: `Only who reads ${first} first says this` };
    const words = { ...wrongLineFinding, title: `Words of who reads ${first} first` };
    return submit(first === 'src/a.ts' ? [wrongLineFinding] : [words, other]);
  };
  const { github, run, model } = await review({
    world,
    model: {
      answers,
      verification: [call('submit_verification', { confirmed: [], drop_suggestion: [], verdicts: [] })],
    },
    inputs: { passes: '3', profile: 'deep' },
  });
  expect([model.requests.length, orders.size, model.complaints]).toEqual([3, 3, []]);
  expect(placesOf(github).toSorted()).toEqual(['src/a.ts:1', 'src/total.ts:4']);
  expect(run.outputs['findings']).toBe('2');
});

it('a reflection comes after delivery and is in the log and the report', async () => {
  const files = outputFiles('report-file');
  const scores = { confidence: 0.8, quality: 0.9, issues: ['The callers were not read.'] };
  const { github, run, model } = await review({
    world: totalWorld,
    model: [submit([wrongLineFinding]), call('submit_reflection', scores)],
    inputs: { reflect: 'true', ...files.inputs },
  });
  const report = files.json('report-file');
  expect([report.reflection, report.metrics.phases.reflection.model_calls]).toEqual([scores, 1]);
  expect(run.log).toContain('Reflection: confidence 0.80, quality 0.90. The callers were not read.');
  expect(run.log.indexOf('pull request review: delivered')).toBeLessThan(run.log.indexOf('Reflection:'));
  expect([github.comments().length, model.complaints]).toEqual([1, []]);
});

it('findings on a line, a whole file, a removed line and outside of the diff are posted, each where it can be', async () => {
  const suggestion = wrongLine.replace('<=', '<');
  const quote = '  for (const price of prices) sum += price;';
  const { world, github, run } = await review({
    world: totalWorld,
    model: [
      submit([
        { ...wrongLineFinding, suggestion },
        { path: 'src/total.ts', title: 'No test covers it' },
        { ...wrongLineFinding, title: 'The simple loop is gone', review: 'Keep it.', quote, side: 'LEFT', suggestion },
        { path: 'README.md', quote: '# Spoon', title: 'The manual says otherwise' },
      ]),
    ],
    inputs: { verify: 'false' },
  });
  const comments = github
    .comments()
    .map(({ line, side, body }) => [
      line === null ? 'file' : `${side} ${line}`,
      body.includes(`\`\`\`suggestion\n${suggestion}\n\`\`\``),
    ]);
  expect(comments.toSorted()).toEqual([
    ['LEFT 4', false],
    ['RIGHT 4', true],
    ['file', false],
  ]);
  expect(github.reviews()[0]?.body).toContain(`/blob/${world.commits.head}/README.md`);
  expect([run.outputs['posted'], run.outputs['findings']]).toEqual(['4', '4']);
});

it('a pull request with a defect fails the job where the workflow asks for it, and a dry run posts nothing', async () => {
  const scenario = { world: totalWorld, model: () => submit([wrongLineFinding]) };
  const stage = await setStage(scenario);
  const dry = await play(stage, { ...scenario, inputs: { 'dry-run': 'true' } });
  expect([stage.github.writes(), dry.outputs['findings'], dry.code]).toEqual([[], '1', 0]);
  expect(dry.summary).toContain('Dry run: nothing was written to GitHub.');
  const run = await play(stage, { ...scenario, inputs: { 'fail-on': 'critical' } });
  expect([run.code, run.outputs['posted'], run.outputs['cost']]).toEqual([1, '1', '']);
});

it('a pull request without a defect is clean, and nothing is posted but the summary comment', async () => {
  const { github, run } = await review({ world: totalWorld, model: [submit([])] });
  expect(run.outputs).toMatchObject({ outcome: 'clean', findings: '0', posted: '0' });
  expect([run.code, run.annotations, writesBesideSummary(github)]).toEqual([0, [], []]);
  expect(github.conversation()).toHaveLength(1);
});

it('a review that ends with text is taken as it is where the text is JSON, fenced, with prose around it and trailing commas', async () => {
  const own = JSON.stringify(submit([wrongLineFinding]).calls[0]?.arguments).replace(/}$/, ',}');
  const answers = [say(`Done.\n\`\`\`json\n${own}\n\`\`\`\nThat is all.`)];
  const { github, model, run } = await review({ world: totalWorld, model: answers });
  expect(github.comments().map(({ path, line }) => [path, line])).toEqual([['src/total.ts', wrongLineNumber]]);
  expect([run.outputs['outcome'], model.requests.length]).toEqual(['findings', 1]);
});
