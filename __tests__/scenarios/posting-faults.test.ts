import { describe, expect, it } from 'vitest';
import type { Fault } from '../fakes/github-server/world.ts';
import { submit } from '../fakes/model-server/script.ts';
import { play, review, setStage } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './total-world.ts';

const found = [submit([wrongLineFinding])];
const broken = (match: Fault['match'], before: 'status 422' | 'status 500' | 'status 403'): Fault => ({
  match,
  times: 99,
  before,
});
const reviews = { method: 'POST', path: /\/reviews$/ };
const comments = { method: 'POST', path: /\/pulls\/7\/comments$/ };

describe('a review that GitHub does not take', () => {
  it.each(['status 422', 'status 500', 'status 403'] as const)(
    '(%s) leaves annotations and summary, and the job log says why',
    async (status) => {
      const faults = [broken(reviews, status), broken(comments, status)];
      const { github, run } = await review({ world: { ...totalWorld, github: { faults } }, model: found });
      expect(github.comments()).toEqual([]);
      const onFiles = run.annotations.filter(({ file }) => file !== null);
      expect(onFiles).toMatchObject([{ file: 'src/total.ts', line: wrongLineNumber }]);
      expect([run.outputs['outcome'], run.outputs['posted'], run.code]).toEqual(['findings', '0', 0]);
      expect(run.summary).toContain(wrongLineFinding.title);
      expect(run.log).toMatch(/pull request review: (failed|refused|skipped)/);
    },
  );
});

describe('comments that are there already', () => {
  it('on three pages do not hide those that are posted now', async () => {
    const threads = Array.from({ length: 230 }, (_, index) => ({
      path: 'src/total.ts',
      line: 4,
      comments: [{ author: 'ada', body: `Remark ${index}` }],
    }));
    const world = { ...totalWorld, pullRequest: { threads } };
    const { github, run } = await review({ world, model: found });
    expect([github.comments().length, run.outputs['posted']]).toEqual([231, '1']);
  });

  it('and an unfinished review of the same bot is replaced', async () => {
    const stage = await setStage({ world: totalWorld, model: found });
    const body = JSON.stringify({ comments: [{ path: 'src/total.ts', line: 4, side: 'RIGHT', body: 'Unfinished' }] });
    const headers = { authorization: `token ${stage.github.world.token}`, 'content-type': 'application/json' };
    await fetch(`${stage.github.apiUrl}/repos/octo/spoon/pulls/7/reviews`, { method: 'POST', headers, body });
    const run = await play(stage, { world: totalWorld, model: found });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['COMMENTED']);
    expect([stage.github.comments().length, run.outputs['posted']]).toEqual([1, '1']);
  });
});

describe('what a model writes', () => {
  it('is cut to what GitHub takes, with its fences closed', async () => {
    const text = `It goes wrong.\n\n\`\`\`ts\n${'const value = 1;\n'.repeat(9000)}`;
    const { github, run } = await review({
      world: totalWorld,
      model: [submit([{ ...wrongLineFinding, review: text, evidence: text }])],
    });
    const body = github.comments()[0]?.body ?? '';
    expect([body.length > 1000, body.length <= 65_536, run.outputs['posted']]).toEqual([true, true, '1']);
    expect((body.match(/^```/gm) ?? []).length % 2).toBe(0);
  });

  it('as a suggestion with fences inside gets a longer fence', async () => {
    const world = {
      base: { 'README.md': '# A\n\ntext\n' },
      head: { 'README.md': '# A\n\n```sh\nold\n```\n' },
    };
    const finding = { path: 'README.md', quote: '```sh\nold\n```', suggestion: '```sh\nnew\n```' };
    const { github } = await review({ world, model: [submit([finding])] });
    expect(github.comments()[0]?.body).toContain('````suggestion\n```sh\nnew\n```\n````');
  });

  it('is posted once, however often it says the same', async () => {
    const again = { ...wrongLineFinding, quote: wrongLine.trim() };
    const { github, run } = await review({ world: totalWorld, model: [submit([wrongLineFinding, again])] });
    expect([github.comments().length, run.outputs['findings']]).toEqual([1, '1']);
  });

  it('of two matters on one line is posted twice', async () => {
    const other = { ...wrongLineFinding, title: 'Missing prices count as NaN', review: 'They should count as 0.' };
    const { github, run } = await review({ world: totalWorld, model: [submit([wrongLineFinding, other])] });
    expect([github.comments().length, run.outputs['findings']]).toEqual([2, '2']);
  });
});
