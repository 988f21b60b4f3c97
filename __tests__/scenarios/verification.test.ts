import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at } from '../fakes/every-pair.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { call, say, submit } from '../fakes/model-server/script.ts';
import { review, totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';

const wrongClaim = {
  path: 'src/total.ts',
  quote: '  let sum = 0;',
  title: 'The sum is never set',
  review: 'It starts undefined.',
} as const;
const refuted = { finding: 2, path: 'src/total.ts', quote: 'let sum = 0;', reason: 'It is set to 0.' };

describe('findings that are checked before they are posted', () => {
  it('are posted when they hold; a refuted one is shown in the summary with the reason, and counts nowhere', async () => {
    const { github, model, run } = await review({
      world: totalWorld,
      model: {
        answers: [submit([wrongLineFinding, wrongClaim])],
        verification: [call('submit_verification', { confirmed: [1], dismissed: [refuted], adjusted: [] })],
      },
      inputs: { 'fail-on': 'warning' },
    });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
    expect([run.outputs['findings'], run.outputs['outcome'], model.complaints]).toEqual(['1', 'findings', []]);
    expect(run.summary).toMatch(
      /1 finding disproved by verification[\s\S]*The sum is never set[\s\S]*disproved: It is set to 0\./,
    );
    expect(run.log).toContain('- disproved: The sum is never set (src/total.ts:3): It is set to 0.');
    expect(github.conversation()[0]?.body).not.toContain('The sum is never set');
  });

  it('are checked by another model where one is named, without the reasoning that found them', async () => {
    const { model } = await review({
      world: totalWorld,
      model: [submit([wrongLineFinding])],
      inputs: { 'verify-model': 'checker-1' },
    });
    const [check] = model.verifications;
    expect([check?.model, check?.tools, check?.messages.length]).toEqual(['checker-1', ['submit_verification'], 2]);
    expect(check?.prompt).toContain(wrongLine.trim());
  });

  it('are posted as they are when nobody can check them, and the summary says so', async () => {
    const fault = { kind: 'fault', status: 400, body: { error: { message: 'No.' } }, headers: {} } as const;
    const { github, run } = await review({
      world: totalWorld,
      model: { answers: [submit([wrongLineFinding])], verification: () => fault },
    });
    expect([github.comments().length, run.outputs['outcome']]).toEqual([1, 'findings']);
    expect(run.summary).toContain('Not all findings were verified:');
  });

  it('are not checked in `profile: quick`, nor when there are none', async () => {
    const quick = await review({
      world: totalWorld,
      model: [submit([wrongLineFinding])],
      inputs: { profile: 'quick' },
    });
    const none = await review({ world: totalWorld, model: [submit([])] });
    expect([quick.model.attempts.length, none.model.attempts.length]).toEqual([1, 1]);
  });
});

describe('three passes', () => {
  it('keep what two of them find, and of the rest what is confirmed; files come in another order each time', async () => {
    const world = { base: { ...totalWorld.base, 'src/a.ts': 'a\n' }, head: { ...totalWorld.head, 'src/a.ts': 'b\n' } };
    const orders = new Set<string>();
    const answers = (request: NormalisedRequest, turn: number) => {
      orders.add([...request.prompt.matchAll(/^## (src\/\S+)/gm)].map(([, path]) => path).join());
      const other = { path: 'src/a.ts', quote: 'b', title: `Only pass ${turn} says this` };
      return submit(turn === 0 ? [wrongLineFinding] : [{ ...wrongLineFinding, title: `Words of pass ${turn}` }, other]);
    };
    const { github, run, model } = await review({
      world,
      model: { answers, verification: [call('submit_verification', { confirmed: [], dismissed: [], adjusted: [] })] },
      inputs: { passes: '3', profile: 'deep' },
    });
    expect([model.requests.length, orders.size, model.complaints]).toEqual([3, 2, []]);
    expect(
      github
        .comments()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['src/a.ts', 'src/total.ts']);
    expect(run.outputs['findings']).toBe('2');
  });
});

it('a reflection comes after delivery and is in the log and the report', async () => {
  const file = join(temporaryFolder(), 'report.json');
  const scores = { confidence: 0.8, quality: 0.9, issues: ['The callers were not read.'] };
  const { github, run, model } = await review({
    world: totalWorld,
    model: [submit([wrongLineFinding]), call('submit_reflection', scores)],
    inputs: { reflect: 'true', 'report-file': file },
  });
  const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
  expect([at(report, 'reflection'), at(report, 'metrics', 'phases', 'reflection', 'model_calls')]).toEqual([scores, 1]);
  expect(run.log).toContain('Reflection: confidence 0.80, quality 0.90. The callers were not read.');
  expect(run.log.indexOf('pull request review: delivered')).toBeLessThan(run.log.indexOf('Reflection:'));
  expect([github.comments().length, model.complaints]).toEqual([1, []]);
});

it('a reflection that cannot be made costs the review nothing', async () => {
  const { run } = await review({
    world: totalWorld,
    model: (_request, turn) =>
      turn === 0
        ? submit([wrongLineFinding])
        : { kind: 'fault', status: 400, body: { error: { message: 'No.' } }, headers: {} },
    inputs: { reflect: 'true' },
  });
  expect([run.code, run.outputs['outcome'], run.log.includes('Reflection:')]).toEqual([0, 'findings', false]);
});

const twice = {
  base: { 'src/twice.ts': 'a();\n' },
  head: { 'src/twice.ts': 'a();\nsave();\nb();\nsave();\n' },
};

describe('a quote', () => {
  it.each([
    ['a gutter', `${wrongLineNumber} | ${wrongLine}`, '1'],
    ['the sign of an added line', `+${wrongLine}`, null],
    ['line numbers of both sides and a sign, as in the diff', `     ${wrongLineNumber} + ${wrongLine}`, null],
    ['a sign in front of each of its lines', `+${wrongLine}\n   return sum;`, null],
    ['space at its end', `${wrongLine}  \t`, null],
  ])('may carry %s', async (_, quote, lines) => {
    const { github, model } = await review({
      world: totalWorld,
      model: () => submit([{ ...wrongLineFinding, quote, lines }]),
    });
    expect(github.comments().map(({ line, startLine }) => startLine ?? line)).toEqual([wrongLineNumber]);
    expect(model.requests).toHaveLength(1);
  });

  it('that stands in two places goes back with both lines, and the one that is named then is taken', async () => {
    const finding = { path: 'src/twice.ts', quote: 'save();', title: 'Saved twice' };
    const { github, model } = await review({
      world: twice,
      model: (request, turn) => {
        if (turn === 0) return submit([finding]);
        return request.lastResult('submit_review').includes('lines 2, 4')
          ? submit([{ ...finding, lines: '4' }])
          : say('?');
      },
    });
    expect([github.comments().map(({ line }) => line), model.requests.length]).toEqual([[4], 2]);
  });

  it('of a removed line that is called RIGHT goes back with the side to take', async () => {
    const finding = { ...wrongLineFinding, quote: '  for (const price of prices) sum += price;' };
    const { github } = await review({
      world: totalWorld,
      model: (request, turn) => {
        if (turn === 0) return submit([finding]);
        return request.lastResult('submit_review').includes('LEFT') ? submit([{ ...finding, side: 'LEFT' }]) : say('?');
      },
    });
    expect(github.comments().map(({ side, line }) => `${side} ${line}`)).toEqual(['LEFT 4']);
  });

  it('from outside the diff is shown in the body, with a link to its line', async () => {
    const finding = { path: 'README.md', quote: '# Spoon', title: 'The manual says otherwise' };
    const { world, github, run } = await review({ world: totalWorld, model: [submit([finding])] });
    expect(github.comments()).toEqual([]);
    expect(github.reviews()[0]?.body).toContain(`/blob/${world.commits.head}/README.md`);
    expect([run.outputs['posted'], run.outputs['outcome']]).toEqual(['1', 'findings']);
  });
});

describe('a finding', () => {
  it('about a whole file becomes a comment on the file', async () => {
    const finding = { path: 'src/total.ts', title: 'No test covers it' };
    const { github, run } = await review({ world: totalWorld, model: [submit([finding])] });
    expect(github.comments().map(({ path, line }) => [path, line])).toEqual([['src/total.ts', null]]);
    expect([run.outputs['posted'], run.outputs['findings']]).toEqual(['1', '1']);
  });

  it('with a replacement offers it to commit', async () => {
    const suggestion = wrongLine.replace('<=', '<');
    const { github } = await review({ world: totalWorld, model: [submit([{ ...wrongLineFinding, suggestion }])] });
    expect(github.comments()[0]?.body).toContain(`\`\`\`suggestion\n${suggestion}\n\`\`\``);
  });

  it('on a removed line offers none, because it could not be applied', async () => {
    const quote = '  for (const price of prices) sum += price;';
    const finding = { ...wrongLineFinding, quote, side: 'LEFT' as const, suggestion: quote };
    const { github } = await review({ world: totalWorld, model: [submit([finding])] });
    expect([github.comments().length, github.comments()[0]?.body.includes('```suggestion')]).toEqual([1, false]);
  });

  it.each([
    ['of a file that does not exist', { path: 'src/ghost.ts', quote: 'boo();' }],
    ['behind the end of the file', { path: 'src/total.ts', lines: '4000' }],
    ['with line 0', { path: 'src/total.ts', lines: '0' }],
  ])('%s is in the delivery with its reason, and on no line', async (_, finding) => {
    const { github, run } = await review({
      world: totalWorld,
      model: () => submit([{ ...finding, title: 'Invented' }]),
    });
    expect([github.comments(), run.outputs['findings'], run.outputs['outcome']]).toEqual([[], '0', 'partial']);
    expect(run.summary).toContain('Invented');
  });
});
