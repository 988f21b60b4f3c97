import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, whenFile } from '../fakes/memory-repository.ts';
import { broken, submit } from '../fakes/model-server/script.ts';
import { openShop, play, review, reviewOf, shopWorld, titlesOf } from './review.ts';
import { parseCommands } from './runner/commands.ts';
import { parseCommandFile } from './runner/start.ts';

const world = {
  base: { 'src/alpha.ts': 'export const alpha = 1;\n', 'web/beta.ts': 'export const beta = 1;\n' },
  head: { 'src/alpha.ts': 'export const alpha = 222;\n', 'web/beta.ts': 'export const beta = 333;\n' },
};

it('a cancelled run ends as partial, with what was found and nothing posted', async () => {
  const progress = join(temporaryFolder(), 'progress.jsonl');
  const { github, run } = await review({
    world,
    inputs: { 'files-per-batch': '1', 'progress-file': progress },
    model: {
      batches: [{ when: ({ prompt }) => prompt.includes('beta = 333'), answers: () => broken('hang') }],
      answers: [submit([{ path: 'src/alpha.ts', quote: 'export const alpha = 222;', title: 'Alpha is too large' }])],
    },
    // By then the other batch has found what it finds.
    signalAfter: { signal: 'SIGINT', when: whenFile(progress, '"type":"batch-end"') },
    start: 'bundle',
  });
  expect([run.signal, run.outputs['outcome'], github.writes()]).toEqual([null, 'partial', []]);
  expect(run.summary).toContain('Alpha is too large');
});

describe('two runs at once', () => {
  it('say everything once: the later one takes back what it said twice and points to the other', async () => {
    const { scenario, stage, say } = await openShop(3);
    say(reviewOf([0, 1, 2]));
    const both = await Promise.all(
      ['111', '222'].map((id) => play(stage, { ...scenario, environment: { GITHUB_RUN_ID: id }, start: 'bundle' })),
    );
    expect(titlesOf(stage.github).toSorted()).toEqual(['price0 reads', 'price1 reads', 'price2 reads']);
    expect(stage.github.conversation()).toHaveLength(1);
    expect(both.map(({ outputs }) => [outputs['outcome'], outputs['findings']])).toEqual([
      ['findings', '3'],
      ['findings', '3'],
    ]);
  });

  it('of two reviewers with names of their own do not touch each other', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    for (const name of ['One', 'Two', 'One']) await play(stage, { ...scenario, inputs: { name } });
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price0 reads']);
    expect(stage.github.conversation().map(({ body }) => body.slice(0, 7))).toEqual(['### One', '### Two']);
  });
});

describe('`check-run: true`', () => {
  const inputs = { 'check-run': 'true', name: 'Careful review', verify: 'false' };

  it('makes a check with all annotations, in pages of 50, and none by commands', async () => {
    const { github, run } = await review({
      world: shopWorld(51),
      model: [reviewOf(Array.from({ length: 51 }, (_, index) => index))],
      inputs: { ...inputs, 'max-comments': '100', 'files-per-batch': '100' },
    });
    const [check] = github.checkRuns();
    expect(check?.content).toMatchObject({ name: 'Careful review', status: 'completed', conclusion: 'success' });
    expect([check?.annotations.length, run.annotations]).toEqual([51, []]);
    const pages = github.writes().filter(({ method, path }) => method === 'PATCH' && path.includes('/check-runs/'));
    expect(pages.length).toBeGreaterThanOrEqual(3);
  });

  it('concludes as the review does, also when that fails', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    for (const more of [
      { 'fail-on': 'warning' },
      { 'fail-on': 'critical' },
      { 'max-total-tokens': '1000' },
      { 'api-key': 'another-key-that-is-wrong' },
    ]) {
      await play(stage, { ...scenario, inputs: { ...inputs, incremental: 'false', ...more } });
    }
    expect(stage.github.checkRuns().map(({ content }) => [content['status'], content['conclusion']])).toEqual([
      ['completed', 'failure'],
      ['completed', 'success'],
      ['completed', 'neutral'],
      ['completed', 'failure'],
    ]);
  });
});

describe('the runner of the scenarios', () => {
  it('reads commands as the real one does: at the start of a line, old ones anywhere, none that were stopped', () => {
    const { all, annotations } = parseCommands(
      [
        'see ::error::not a command',
        '  ::error file=a%2Cb.ts,line=3,endLine=2,title=Oh%3A::two%0Alines',
        'text ##[warning]forged',
        '::unknown::nothing',
        '::stop-commands::t',
        '::error::no',
        '::t::',
      ].join('\n'),
    );
    expect(annotations).toEqual([
      { level: 'error', message: 'two\nlines', title: 'Oh:', file: 'a,b.ts', line: null, endLine: null },
      { level: 'warning', message: 'forged', title: null, file: null, line: null, endLine: null },
    ]);
    expect(all.at(-1)?.data).toBe('t');
    const many = parseCommands(`${'::error::e\n'.repeat(12)}::notice::n`);
    expect([many.annotations.length, many.droppedAnnotations]).toEqual([11, 2]);
  });

  it('reads outputs in both forms, and refuses a heredoc without an end', () => {
    expect(parseCommandFile('a=1=2\nb<<E\nx\n\ny=z\nE\n')).toEqual({ a: '1=2', b: 'x\n\ny=z' });
    expect(() => parseCommandFile('b<<E\nx\n')).toThrow('Matching delimiter not found');
  });
});
