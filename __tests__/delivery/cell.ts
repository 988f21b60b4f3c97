import { onTestFinished } from 'vitest';
import type { ReviewRecord } from '../../src/core/review/sink.ts';
import { type FakeGitHub, startGitHub } from '../fakes/github-server/start-github.ts';
import { allPermissions, type Fault, readOnly } from '../fakes/github-server/world.ts';
import { createWorld, type World } from '../fakes/world/create-world.ts';
import { shopWorld } from '../scenarios/shop-world.ts';
import { runJob } from './run-job.ts';
import { shopReviewer } from './shop-reviewer.ts';
import { type Situation, situations } from './situations.ts';

export const rights = {
  'full rights': allPermissions,
  'a read-only token': readOnly,
  'no checks permission': { ...allPermissions, checks: 'read' },
} as const;

const reviews = { method: 'POST', path: /\/reviews$/ };

export const faults: Readonly<Record<string, readonly Fault[]>> = {
  'no fault': [],
  '422 on one anchor': [{ match: { ...reviews, body: /"line":\d+[^}]*price0 /s }, times: 99, before: 'status 422' }],
  'a secondary limit': [{ match: reviews, times: 1, before: 'secondary rate limit' }],
  '502 before the write': [{ match: reviews, times: 1, before: 'status 502' }],
  '502 after the write': [{ match: reviews, times: 1, after: 'status 502' }],
  'a reset in the middle': [{ match: reviews, times: 1, after: 'reset' }],
  'a head that moved': [],
};

export type CellOptions = {
  readonly count: number;
  readonly situation: keyof typeof situations;
  readonly rights: keyof typeof rights;
  readonly fault: string;
};

export type Cell = { readonly github: FakeGitHub; readonly world: World; readonly last: readonly ReviewRecord[] };

const worlds = new Map<string, { readonly world: World; readonly head: string; readonly moved: string }>();

/** Plays one cell: the runs of its situation, with its rights and its fault, in a GitHub of its own. */
export async function playCell(options: CellOptions): Promise<Cell> {
  const situation: Situation = situations[options.situation];
  const { world, head, moved } = worldOf(options);
  const github = await startGitHub({
    ...world.github,
    permissions: rights[options.rights],
    faults: faults[options.fault] ?? [],
  });
  onTestFinished(() => github.close());
  const run = (id: string, model: ReturnType<typeof shopReviewer>, more: Record<string, string> = {}) =>
    runJob({
      github,
      workspace: world.author.directory,
      model,
      inputs: { 'max-comments': '100', 'check-run': 'true', 'files-per-batch': '100', ...more },
      run: id,
    });
  const first = { ...situation, left: () => true, pathOf: situations['a first run'].pathOf, reworded: false };
  const moving = options.fault === 'a head that moved' ? () => github.moveHead(moved) : undefined;
  const reviewer = (seen: Situation) => shopReviewer({ ...seen, count: options.count }, moving);
  if (situation.runs === 'one') return { github, world, last: [await run('1', reviewer(first))] };
  if (situation.runs === 'two at once') {
    return { github, world, last: await Promise.all(['1', '2'].map((id) => run(id, reviewer(first)))) };
  }
  const partial = situation.runs === 'a partial one, then another' ? { 'max-total-tokens': '1000' } : {};
  await run('1', shopReviewer({ ...first, count: options.count }), partial);
  if (situation.push !== null) await github.moveHead(head);
  return { github, world, last: [await run('2', reviewer(situation))] };
}

/** Repositories are only read, so one serves all cells of its size and situation. */
function worldOf({ count, situation }: CellOptions) {
  const key = `${count} ${situation}`;
  const known = worlds.get(key);
  if (known !== undefined) return known;
  const world = createWorld(shopWorld(count));
  const { push }: Situation = situations[situation];
  const head = push === null ? world.commits.head : push(world, count);
  world.author.git('checkout', '--quiet', '--force', '--detach', head);
  const moved = world.author.commit({ files: { 'LATER.md': 'later\n' }, message: 'Later' });
  world.author.git('push', '--quiet', 'origin', `${head}:refs/heads/pushed`, `${moved}:refs/heads/moved`);
  const made = { world, head, moved };
  worlds.set(key, made);
  return made;
}
