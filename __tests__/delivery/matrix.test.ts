import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { explain } from '../../src/core/errors.ts';
import { everyPair } from '../fakes/every-pair.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import type { Fault } from '../fakes/github-server/store.ts';
import { FakeClock } from '../fakes/memory-repository.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import { shopWorld } from '../scenarios/review.ts';
import { type CellOptions, faults, playCell, type rights, runJob, shopReviewer } from './cell.ts';
import { accounted, onWrongLines, told } from './judge.ts';
import { type Situation, situations, sizes } from './situations.ts';

const situationNames: readonly (keyof typeof situations)[] = [
  'a first run',
  'a run again',
  'a push that mends some',
  'a push after which all is said otherwise',
  'a force-push',
  'a push that renames the files',
  'two runs at once',
  'a push after a partial run',
];
const rightNames: readonly (keyof typeof rights)[] = ['full rights', 'a read-only token', 'no checks permission'];

const sizeNames: readonly (keyof typeof sizes)[] = ['clean', 'one finding', '40 findings'];

// Nothing found is nothing posted: what goes wrong with a review that is not written makes no other cell.
const unwritten = ['no fault', 'a head that moved'];

/** Sizes, situations, rights and faults: what must hold in every cell. */
const cells = sizeNames.flatMap((size) =>
  situationNames.flatMap((situation) =>
    rightNames.flatMap((right) =>
      Object.keys(faults)
        .filter((fault) => sizes[size] > 0 || unwritten.includes(fault))
        .map((fault) => [size, situation, right, fault] as const),
    ),
  ),
);

// Workflow commands go to this process's output, where nobody reads them.
beforeAll(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(() => {
  vi.restoreAllMocks();
});

describe('what was found is reported once and nothing is lost', () => {
  it.each(everyPair(cells))('%s in %s, with %s and %s', async (size, situation, right, fault) => {
    await judge({ count: sizes[size], situation, rights: right, fault });
  });
});

async function judge(options: CellOptions): Promise<void> {
  const { count, rights: right } = options;
  const { left }: Situation = situations[options.situation];
  const all = Array.from({ length: count }, (_, defect) => defect);
  const open = all.filter(left);
  const cell = await playCell(options);
  for (const record of cell.last) {
    expect(accounted(record)).toEqual(open);
    expect(record.review.outcome).toBe(open.length === 0 ? 'clean' : 'findings');
  }
  const said = told(cell.github);
  expect(said).toEqual([...new Set(said)]);
  expect(onWrongLines(cell)).toEqual([]);
  // Nothing is lost: what is open is told on the pull request, when the token may write there.
  expect(open.filter((defect) => !said.includes(defect))).toEqual(right === 'a read-only token' ? open : []);
}

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
  const clock = new FakeClock(Date.now());
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
