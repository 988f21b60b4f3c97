import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { inEnglish } from '../../src/core/messages/languages.ts';
import { verdictOf } from '../../src/core/review/say-verdict.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import type { FaultAnswer } from '../fakes/github-server/world.ts';
import { FakeClock } from '../fakes/memory-repository.ts';
import { runJob, shopReviewer } from './cell.ts';
import { sceneOf, situations } from './situations.ts';

beforeAll(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(() => {
  vi.restoreAllMocks();
});

const counted = { totalCount: 2, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] };
const answer = (data: unknown): FaultAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: typeof data === 'string' ? data : JSON.stringify({ data }),
});
const contradiction = { reviewThreads: counted, comments: counted, reviews: counted };

const faults: readonly [string, FaultAnswer][] = [
  ['answers 502', 'status 502'],
  ['does not answer', 'hang'],
  ['breaks off', 'reset'],
  ['answers null', answer(null)],
  ['answers garbled JSON', answer('{"data": {"repository": {"pullRe')],
  ['answers empty data', answer({ repository: { pullRequest: {} } })],
  ['counts comments and lists none', answer({ repository: { pullRequest: contradiction } })],
];

const match = { method: 'POST', path: /graphql$/ };
const gate = { failOn: 'warning', requireComplete: false } as const;

/** A run, a push to another file, a run while GraphQL is broken, and one more; `says` is whether a run reports the defect. */
async function pushWhile(
  before: FaultAnswer,
  says: (id: string) => boolean,
  more: Readonly<Record<string, string>> = {},
) {
  const scene = sceneOf({ count: 1, situation: 'a push after a partial run' });
  const github = await startGitHub({ ...scene.world.github, viewer: 'postil[bot]' });
  onTestFinished(() => github.close());
  const run = (id: string, clock?: FakeClock) => {
    const reviewer = { ...situations['a push after which all is said otherwise'], left: () => says(id) };
    // Without it the whole change is looked at again.
    const inputs = { incremental: String(!says('2')), ...more };
    const model = shopReviewer({ ...reviewer, reworded: id !== '1', count: 1 });
    const job = { github, workspace: scene.workspace, model, inputs, run: id };
    return runJob(clock === undefined ? job : { ...job, clock });
  };
  const posted = () => [github.comments().length, github.conversation().length, github.reviews().length];
  await run('1');
  await github.moveHead(scene.pushed);
  github.breaks({ match, before, times: 999 });
  const clock = new FakeClock(Date.now());
  const unanswered = () => github.requests.filter(({ status }) => status === null).length;
  const second =
    before === 'hang' ? await clock.drive(run('2', clock), () => clock.isHanging(unanswered())) : await run('2');
  const broken = posted();
  github.heals();
  const third = await run('3');
  return { second, broken, third, healed: posted(), states: github.reviews().map(({ state }) => state) };
}

describe('the run after a push, while GraphQL is broken', () => {
  it.each(faults.flatMap(([name, fault]) => [false, true].map((says) => [name, says, fault] as const)))(
    'posts nothing and fails, and the next one posts nothing twice: it %s, found again is %s',
    async (_name, says, before) => {
      const { second, broken, third, healed } = await pushWhile(before, (id) => id === '1' || says);
      expect([second, third].map((record) => verdictOf(record, gate).gate)).toEqual([
        says ? 'findings' : 'unknown',
        'findings',
      ]);
      expect(inEnglish.sentences(second.review.headline)).toContain('Earlier findings are unknown');
      expect([broken, healed]).toEqual([
        [1, 1, 1],
        [1, 1, 1],
      ]);
      expect(third.placed.map(({ place }) => place)).toEqual(['standing']);
    },
  );

  it('approves nothing, and fails while an earlier approval may stand', async () => {
    const { second, third, states } = await pushWhile('status 502', () => false, { 'review-event': 'approve' });
    expect([second, third].map((record) => [record.review.event, verdictOf(record, gate).gate])).toEqual([
      ['COMMENT', 'failed'],
      ['APPROVE', 'fine'],
    ]);
    // The first of the first run.
    expect(states).toEqual(['APPROVED', 'APPROVED']);
  });
});
