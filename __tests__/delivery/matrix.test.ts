import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { explain } from '../../src/core/errors.ts';
import { inEnglish } from '../../src/core/messages/languages.ts';
import { everyPair } from '../fakes/every-pair.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import type { Fault } from '../fakes/github-server/world.ts';
import { FakeClock } from '../fakes/memory-repository.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import { shopWorld } from '../scenarios/review.ts';
import { playCell, runJob, shopReviewer } from './cell.ts';
import { faults, rights, situations, sizes } from './situations.ts';

// Nothing found is nothing posted: what goes wrong with a review that is not written makes no other cell.
const unwritten: readonly string[] = ['no fault', 'a head that moved'];

/** Sizes, situations, rights and faults: what must hold in every cell. */
const cells = namesOf(sizes).flatMap((size) =>
  namesOf(situations).flatMap((situation) =>
    namesOf(rights).flatMap((right) =>
      namesOf(faults)
        .filter((fault) => sizes[size] > 0 || unwritten.includes(fault))
        .map((fault) => [size, situation, right, fault] as const),
    ),
  ),
);

function namesOf<Name extends string>(values: Readonly<Record<Name, unknown>>): readonly Name[] {
  const names: Name[] = [];
  for (const name in values) names.push(name);
  return names;
}

// Workflow commands go to this process's output, where nobody reads them.
beforeAll(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(() => {
  vi.restoreAllMocks();
});

it.each(everyPair(cells))(
  'what was found is reported once and nothing is lost: %s in %s, with %s and %s',
  async (size, situation, right, fault) => {
    for (const round of await playCell({ count: sizes[size], situation, rights: right, fault })) {
      const { open, told } = round;
      expect(round.accounted).toEqual(round.accounted.map(() => open));
      expect(round.outcomes).toEqual(round.outcomes.map(() => (open.length === 0 ? 'clean' : 'findings')));
      expect([told, round.onWrongLines]).toEqual([[...new Set(told)], []]);
      // Nothing is lost: what is open is told on the pull request, when the token may write there.
      expect(open.filter((defect) => !told.includes(defect))).toEqual(right === 'a read-only token' ? open : []);
    }
  },
);

const world = createWorld(shopWorld(1));

/** What comes of a run in which GitHub accepts these requests and says nothing. */
async function runWithSilent(matches: readonly Fault['match'][]): Promise<string> {
  const github = await startGitHub({
    ...world.github,
    faults: matches.map((match) => ({ match, times: 99, before: 'hang' })),
  });
  onTestFinished(() => github.close());
  const model = shopReviewer({ ...situations['a run again'], count: 1 });
  const inputs = { 'check-run': 'true' };
  const clock = new FakeClock(Date.now());
  const unanswered = () => github.requests.filter(({ status }) => status === null).length;
  const job = runJob({ github, workspace: world.author.directory, model, inputs, run: '1', clock });
  const said = await clock
    .drive(job, () => clock.isHanging(unanswered()))
    .then(
      ({ review }) => inEnglish.sentences(review.headline),
      (error: unknown) => explain(error).split('. ')[0] ?? '',
    );
  // An endpoint that no run asks proves nothing.
  expect(unanswered()).toBeGreaterThan(0);
  return said;
}

const found = '1 finding: 1 warning · 1 file reviewed.';

it.each<[string, readonly Fault['match'][], string]>([
  ['the pull request', [{ method: 'GET', path: /\/pulls\/7$/ }], 'GitHub could not be reached for pull request #7'],
  ['its merge base', [{ method: 'GET', path: /\/compare\// }], 'GitHub could not be reached for common ancestor'],
  ['its commits', [{ method: 'GET', path: /\/pulls\/7\/commits$/ }], found],
  [
    'GraphQL',
    [{ method: 'POST', path: /graphql$/ }],
    `${found} Earlier findings are unknown: the existing comments could not be read, or no key of this run signed them. Run it again. Not delivered: pull request review.`,
  ],
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
