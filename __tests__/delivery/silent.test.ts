import { expect, it, onTestFinished } from 'vitest';
import { explain } from '../../src/core/errors.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import type { Fault } from '../fakes/github-server/world.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import { QuietClock } from '../model-matrix/quiet-clock.ts';
import { shopWorld } from '../scenarios/shop-world.ts';
import { runJob } from './run-job.ts';
import { shopReviewer } from './shop-reviewer.ts';
import { situations } from './situations.ts';

const world = createWorld(shopWorld(1));
const first = { ...situations['a first run'], left: () => true, reworded: false };

/** What comes of a run in which GitHub accepts these requests and says nothing. */
async function runWithSilent(matches: readonly Fault['match'][]): Promise<string> {
  const github = await startGitHub({
    ...world.github,
    faults: matches.map((match) => ({ match, times: 99, before: 'hang' })),
  });
  onTestFinished(() => github.close());
  const model = shopReviewer({ ...first, count: 1 });
  const inputs = { 'check-run': 'true' };
  const clock = new QuietClock(Date.now());
  const unanswered = () => github.requests.filter(({ status }) => status === null).length;
  const job = runJob({ github, workspace: world.author.directory, model, inputs, run: '1', clock });
  const said = await clock
    .drive(job, () => clock.isHanging(unanswered()))
    .then(
      ({ review }) => review.headline,
      (error: unknown) => explain(error).split('. ')[0] ?? '',
    );
  // An endpoint that no run asks proves nothing.
  expect(unanswered()).toBeGreaterThan(0);
  return said;
}

const found = '1 finding (1 warning) in 1 file.';

it.each<[string, readonly Fault['match'][], string]>([
  ['the pull request', [{ method: 'GET', path: /\/pulls\/7$/ }], 'GitHub could not be reached for pull request #7'],
  ['its merge base', [{ method: 'GET', path: /\/compare\// }], 'GitHub could not be reached for common ancestor'],
  ['its commits', [{ method: 'GET', path: /\/pulls\/7\/commits$/ }], found],
  ['GraphQL', [{ method: 'POST', path: /graphql$/ }], `${found} Not delivered: pull request review.`],
  ['reviews', [{ method: 'POST', path: /\/reviews$/ }], `${found} Not delivered: pull request review.`],
  [
    'reviews, and about what was posted',
    [
      { method: 'POST', path: /\/reviews$/ },
      { method: 'GET', path: /\/pulls\/7\/(?:reviews|comments)$/ },
    ],
    `${found} Not delivered: pull request review.`,
  ],
  ['comments', [{ method: 'GET', path: /\/pulls\/7\/comments$/ }], found],
  ['the summary comment', [{ method: 'POST', path: /\/issues\/7\/comments$/ }], found],
  ['checks', [{ method: 'POST', path: /\/check-runs$/ }], found],
])(
  'a GitHub that is silent about %s does not hold the run, which says what came of it',
  async (_name, matches, said) => {
    expect(await runWithSilent(matches)).toContain(said);
  },
);
