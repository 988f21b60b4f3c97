import { describe, expect, it } from 'vitest';
import { markKeys } from '../../src/core/memory/mark-keys.ts';
import { readMarks, writeMark } from '../../src/core/memory/mark-text.ts';
import { submit } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import { play, review, setStage } from './review.ts';
import { totalWorld, wrongLineFinding } from './total-world.ts';

/** The summary comment of a pull request that had so many reviews, as the first comment of all. */
function afterReviews(reviews: number, { author = 'github-actions[bot]', key = modelKey } = {}) {
  const state = { head: 'e'.repeat(40), mergeBase: '', settings: '', unreviewed: [], others: [], reviews };
  const keys = markKeys([key], { repository: 'octo/spoon', number: 7 });
  const sign = (content: string) => keys.sign(content, { in: 'summary', comment: 1001 });
  const body = `### Review · Reviewed.\n\n${writeMark({ kind: 'sticky', name: 'Review', run: '12-1', ...state }, sign)}`;
  return { ...totalWorld, pullRequest: { conversation: [{ author, body }] } };
}

const model = () => submit([wrongLineFinding]);

describe('a pull request that is pushed to again and again', () => {
  it('is reviewed fifty times', async () => {
    const { run, github } = await review({ world: afterReviews(49), model });
    expect([run.outputs['outcome'], run.outputs['posted']]).toEqual(['findings', '1']);
    expect(readMarks(github.conversation()[0]?.body ?? '')).toMatchObject([{ kind: 'sticky', reviews: 50 }]);
  });

  it('gets the rules alone from then on, and its summary comment says that no model looked, and what to do next', async () => {
    const { run, github, model: server } = await review({ world: afterReviews(50), model });
    expect([run.outputs['outcome'], run.outputs['stop-reason'], run.code]).toEqual(['partial', 'skipped', 0]);
    expect([server.requests, github.comments()]).toEqual([[], []]);
    expect(run.log).toMatch(/No model looked at this change.*has had 50 reviews.*set another `name`/);
    expect(github.conversation().map(({ body }) => body)).toEqual([
      expect.stringContaining('No model looked at this change'),
    ]);
    expect(readMarks(github.conversation()[0]?.body ?? '')).toMatchObject([
      { reviews: 50, unreviewed: ['src/total.ts'] },
    ]);
  });

  it('is still looked at by the rules, and `fail-on` counts what they find', async () => {
    const head = { ...totalWorld.head, 'src/run.py': 'os.system(f"ls {name}")\n' };
    const world = { ...afterReviews(50), head };
    const { run, model: server } = await review({ world, model, inputs: { 'fail-on': 'warning' } });
    expect([run.code, run.outputs['findings'], run.outputs['posted'], server.requests]).toEqual([1, '1', '1', []]);
  });

  it('is reviewed by another name, which is counted by itself', async () => {
    const { run } = await review({ world: afterReviews(50), model, inputs: { name: 'Second' } });
    expect(run.outputs['outcome']).toBe('findings');
  });

  it('is not stopped by a number that a stranger wrote', async () => {
    const { run } = await review({ world: afterReviews(50, { author: 'eve' }), model });
    expect(run.outputs['outcome']).toBe('findings');
  });

  it('is neither stopped nor started anew by a number that another workflow says as the same bot', async () => {
    const { run } = await review({ world: afterReviews(50, { key: 'a-key-of-a-stranger-01234' }), model });
    expect(run.outputs['outcome']).toBe('findings');
    const stage = await setStage({ world: afterReviews(50), model });
    const { author, body } = afterReviews(1, { key: 'a-key-of-a-stranger-01234' }).pullRequest.conversation[0] ?? {};
    stage.github.people.say({ author: author ?? '', body: body ?? '' });
    const { outputs } = await play(stage, { world: totalWorld, model });
    expect([outputs['outcome'], outputs['stop-reason']]).toEqual(['partial', 'skipped']);
  });

  it('counts a run once, however often its comment is written', async () => {
    const scenario = { world: totalWorld, model };
    const stage = await setStage(scenario);
    const countedAfter = async (attempt: string) => {
      await play(stage, { ...scenario, environment: { GITHUB_RUN_ATTEMPT: attempt } });
      const [mark] = readMarks(stage.github.conversation()[0]?.body ?? '');
      return mark?.kind === 'sticky' ? mark.reviews : null;
    };
    expect([await countedAfter('1'), await countedAfter('1'), await countedAfter('2')]).toEqual([1, 1, 2]);
  });
});
