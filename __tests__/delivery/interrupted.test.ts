import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lifeOfAll } from '../../src/core/history/life.ts';
import type { ReviewRecord } from '../../src/core/review/sink.ts';
import { stateIn } from '../fakes/earlier-rounds.ts';
import { type FakeGitHub, startGitHub } from '../fakes/github-server/start-github.ts';
import { borrowWorkTree, createWorld } from '../fakes/world/create-world.ts';
import { importCommits } from '../fakes/world/git.ts';
import { defectLine, shopFile, shopText, shopWorld } from '../scenarios/review.ts';
import { runJob, shopReviewer } from './cell.ts';

beforeAll(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(() => {
  vi.restoreAllMocks();
});

/** The defects 0 and 1; a push brings 2 and mends 1, one changes nothing of them, and one mends all. */
const world = createWorld(shopWorld(2));
const mended = (text: string, defect: number) => text.replace(defectLine(defect), '  return 0; // mended');
const pushes = {
  pushed: { [shopFile(0)]: mended(shopText(0, 3), 1) },
  later: { 'src/later.ts': 'export const later = 1;\n' },
  over: { [shopFile(0)]: [0, 1, 2].reduce(mended, shopText(0, 3)) },
};
const [pushed = '', later = '', over = ''] = importCommits(
  world.remote.directory,
  Object.entries(pushes).map(([name, files], index) => {
    const parent = index === 0 ? world.commits.head : index - 1;
    return { parent, changes: [{ files }], message: name, minute: 20 + index, refs: [`refs/heads/${name}`] };
  }),
);
const heads = { pushed, later, over };
const workspace = borrowWorkTree(world.remote.directory, world.commits.merge);

async function openWorld() {
  const github = await startGitHub(world.github);
  onTestFinished(() => github.close());
  let runs = 0;
  const run = (left: readonly number[] = [0, 2]): Promise<ReviewRecord> => {
    runs += 1;
    const seen = { count: 3, reworded: false, pathOf: shopFile, left: (defect: number) => left.includes(defect) };
    return runJob({ github, workspace, model: shopReviewer(seen), inputs: {}, run: String(100 + runs) });
  };
  return { github, run };
}

type Opened = Awaited<ReturnType<typeof openWorld>>;

function defectIn(text: string): number {
  return Number(/price(\d+) reads/.exec(text)?.[1] ?? -1);
}

/** What is open, by everything that tells of it, and what the last run posted. */
function toldBy({ placed, review }: ReviewRecord, github: FakeGitHub) {
  const open = github.threads().filter(({ resolved, comments: [first] }) => !resolved && first?.isMinimized === false);
  const [summary, ...others] = github.conversation();
  const state = stateIn(summary?.body ?? '');
  const isOpen = (life: string) => life === 'open' || life === 'changed' || life === 'returned';
  const known = (state?.findings ?? []).filter(({ places }) => isOpen(lifeOfAll(places.map(({ life }) => life))));
  const ended = (state?.findings ?? []).filter((one) => !known.includes(one)).map(({ title }) => defectIn(title));
  const counted = /(\d+) (?:new )?findings?[:,]/.exec(summary?.body ?? '')?.[1] ?? '0';
  const standing = /(\d+) still open/.exec(summary?.body ?? '')?.[1] ?? '0';
  return {
    run: placed.flatMap(({ place, title }) => (place === 'suppressed' ? [] : [defectIn(title)])).toSorted(),
    threads: open.map(({ comments: [first] }) => defectIn(first?.body ?? '')).toSorted(),
    state: known.map(({ title }) => defectIn(title)).toSorted(),
    summary: Number(counted) + Number(standing),
    summaries: 1 + others.length,
    isFixedTwice: new Set(ended).size < ended.length,
    outcome: review.outcome,
  };
}

const right = {
  run: [0, 2],
  threads: [0, 2],
  state: [0, 2],
  summary: 2,
  summaries: 1,
  isFixedTwice: false,
  outcome: 'findings',
};

/**
 * Runs to which nothing happens: the first may have to say again what was lost, the second has nothing to say, and after a push that mends everything
 * nothing is left of it.
 */
async function afterwards({ github, run }: Opened) {
  await github.moveHead(heads.later);
  const first = toldBy(await run(), github);
  const comments = github.comments().length;
  const second = toldBy(await run(), github);
  await github.moveHead(heads.over);
  const mending = toldBy(await run([]), github);
  const last = toldBy(await run([]), github);
  return {
    first: { ...first, outcome: 'findings' },
    second,
    posted: github.comments().length - comments,
    mending,
    last,
  };
}

const clean = { run: [], threads: [], state: [], summary: 0, summaries: 1, isFixedTwice: false, outcome: 'clean' };
const settled = { first: right, second: right, posted: 0, mending: clean, last: clean };

/** Where a run that nothing happens to begins to write, and how many requests it makes. */
async function requestsOf(prepare: (opened: Opened) => Promise<unknown>, left: readonly number[]) {
  const opened = await openWorld();
  await prepare(opened);
  const before = opened.github.requests.length;
  await opened.run(left);
  const own = opened.github.requests.slice(before);
  return { first: own.findIndex(({ method, path }) => method !== 'GET' && !path.endsWith('graphql')), all: own.length };
}

const beginnings = {
  'the first run': { prepare: async () => undefined, left: [0, 1] },
  'the run after a push': {
    prepare: async ({ github, run }: Opened) => {
      await run([0, 1]);
      await github.moveHead(heads.pushed);
    },
    left: [0, 2],
  },
} as const;

describe.each(Object.entries(beginnings))('%s', (_, { prepare, left }) => {
  it('that is killed at any of its requests loses nothing and says nothing twice', async () => {
    const { first, all } = await requestsOf(prepare, left);
    for (let at = first - 1; at < all; at += 1) {
      const opened = await openWorld();
      await prepare(opened);
      const match = { path: /./ };
      opened.github.breaks(
        { match, spares: at, times: 1, after: 'status 403' },
        { match, times: 1_000, before: 'status 403' },
      );
      await opened.run(left).catch(() => null);
      opened.github.mends();
      expect([at, await afterwards(opened)]).toEqual([at, settled]);
    }
  });

  it.each([
    ['on the same head', null],
    ['on a newer head', heads.later],
  ])('beside another run %s, at any of its requests, makes one finding of one', async (_name, newer) => {
    const { first, all } = await requestsOf(prepare, left);
    for (let at = first; at < all; at += 1) {
      const opened = await openWorld();
      const { github, run } = opened;
      await prepare(opened);
      const meanwhile = async () => {
        if (newer !== null) await github.moveHead(newer);
        await run(newer === null ? left : [0, 2]);
      };
      github.breaks({ match: { path: /./ }, spares: at, times: 1, meanwhile });
      await run(left);
      expect([at, await afterwards(opened)]).toEqual([at, settled]);
    }
  });
});
