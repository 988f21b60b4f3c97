import { describe, expect, it } from 'vitest';
import { openShop, play, review, reviewOf, shopWorld, titlesOf } from './review.ts';
import { parseCommands } from './runner/commands.ts';
import { parseCommandFile } from './runner/start.ts';

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
    expect(stage.github.conversation().map(({ body }) => body.split(' · ')[1])).toEqual(['One', 'Two']);
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
