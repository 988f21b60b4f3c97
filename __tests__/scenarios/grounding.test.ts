import { describe, expect, it } from 'vitest';
import { say, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

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

  it('from outside the diff is told in the body, with a link to its line', async () => {
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
  ])('%s is in the ledger with its reason, and on no line', async (_, finding) => {
    const { github, run } = await review({
      world: totalWorld,
      model: () => submit([{ ...finding, title: 'Invented' }]),
    });
    expect([github.comments(), run.outputs['findings'], run.outputs['outcome']]).toEqual([[], '0', 'partial']);
    expect(run.summary).toContain('Invented');
  });
});
