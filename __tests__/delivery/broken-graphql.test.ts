import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { verdictOf } from '../../src/core/review/say-verdict.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import type { FaultAnswer } from '../fakes/github-server/store.ts';
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

const graphql = { method: 'POST', path: /graphql$/ };
const gate = { failOn: 'warning', requireComplete: false, reviewEvent: 'comment' } as const;

/** A run that reports a defect, a push to another file, and a run in which something is broken; `says` is whether that one finds it again. */
async function pushWhile(breaks: readonly { match: typeof graphql; before: FaultAnswer }[], says: boolean) {
  const scene = sceneOf({ count: 1, situation: 'a push after a partial run' });
  const github = await startGitHub(scene.world.github);
  onTestFinished(() => github.close());
  const run = (id: string, more: object = {}) => {
    const reviewer = { ...situations['a push after which all is said otherwise'], left: () => id === '1' || says };
    // Without it the whole change is looked at again.
    const inputs = { incremental: String(!says) };
    const model = shopReviewer({ ...reviewer, reworded: id === '2', count: 1 });
    return runJob({ github, workspace: scene.workspace, model, inputs, run: id, ...more });
  };
  await run('1');
  await github.moveHead(scene.pushed);
  github.breaks(...breaks.map((fault) => ({ ...fault, times: 999 })));
  const clock = new FakeClock(Date.now());
  const unanswered = () => github.requests.filter(({ status }) => status === null).length;
  const isHanging = breaks.some(({ before }) => before === 'hang');
  const second = await (isHanging ? clock.drive(run('2', { clock }), () => clock.isHanging(unanswered())) : run('2'));
  return { github, second };
}

describe('the run after a push, while GraphQL is broken', () => {
  it.each(faults.flatMap(([name, fault]) => [false, true].map((says) => [name, says, fault] as const)))(
    'posts nothing twice, and still fails for the finding: it %s, found again is %s',
    async (_name, says, before) => {
      const { github, second } = await pushWhile([{ match: graphql, before }], says);
      expect(second.placed.map(({ place }) => place)).toEqual(['standing']);
      expect(verdictOf(second, gate).gate).toBe('findings');
      expect([github.comments().length, github.conversation().length, github.reviews().length]).toEqual([1, 1, 1]);
    },
  );

  it('posts nothing where REST does not tell it either', async () => {
    const rest = { method: 'GET', path: /\/(?:issues|pulls)\/7\/(?:comments|reviews)$/ };
    const breaks = [graphql, rest].map((match) => ({ match, before: 'status 502' as const }));
    const { github, second } = await pushWhile(breaks, true);
    expect(second.review.pullRequest?.discussionRead).toBe(false);
    expect([github.comments().length, github.conversation().length, github.reviews().length]).toEqual([1, 1, 1]);
  });
});
