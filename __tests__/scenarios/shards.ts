import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allPermissions, readOnly } from '../fakes/github-server/world.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import type { ModelScript } from '../fakes/model-server/script.ts';
import { submit } from '../fakes/model-server/script.ts';
import type { ActionRun } from './harness.ts';
import { defectFinding, play, type Scenario, type Stage, setStage, shopWorld } from './review.ts';

/** In all three jobs, as in docs/examples/sharded.yml. */
export const stateKey = 'a-key-of-all-jobs-0123456789';

type Inputs = Readonly<Record<string, string>>;

/** Finds every defect that its own part of the change shows. */
export const shopReader: ModelScript = ({ prompt }) => {
  const defects = new Set([...prompt.matchAll(/export function price(\d+)\(/g)].map(([, number]) => Number(number)));
  return submit([...defects].map((defect) => defectFinding(defect)));
};

/** A batch for each file, and a shard for each batch, as far as there may be so many. */
export const dividing = {
  model: 'scripted',
  'files-per-batch': '1',
  'shard-tokens': '1000',
  'timeout-minutes': '120',
  profile: 'quick',
} as const;

/** A pull request with `count` defects, ten in a file, and the three kinds of jobs of one workflow. */
export async function openShards(
  count: number,
  { model = shopReader, event, ...how }: Partial<Scenario> & { readonly model?: ModelScript } = {},
) {
  const permissions = { ...allPermissions };
  const world = how.world ?? { ...shopWorld(count), github: { permissions } };
  const stage = await setStage({ ...how, world, model });
  const folder = temporaryFolder();
  const planFile = join(folder, 'plan.json');
  const fileOf = (number: number) => join(folder, `shard-${number}.json`);
  const job = (asks: ModelScript | null, inputs: Inputs, { at = stage, attempt = 1 }: At) =>
    play(at, {
      ...{ ...how, world: at.world, model: asks, event: event ?? 'pull_request' },
      inputs: { ...dividing, 'plan-file': planFile, 'state-key': stateKey, ...inputs },
      environment: { ...how.environment, GITHUB_RUN_ATTEMPT: String(attempt) },
    });
  const jobs = {
    stage,
    folder,
    planFile,
    fileOf,
    plan: (inputs: Inputs = {}, at: At = {}) => {
      Object.assign(permissions, readOnly);
      return job(null, { mode: 'plan', ...inputs }, at);
    },
    review: (shard: string, inputs: Inputs = {}, at: At = {}) => {
      Object.assign(permissions, readOnly);
      const file = fileOf(Number.parseInt(shard, 10));
      return job(model, { mode: 'review', shard, 'review-file': file, ...inputs }, at);
    },
    post: (inputs: Inputs = {}, at: At = {}) => {
      Object.assign(permissions, allPermissions);
      return job(null, { mode: 'post', 'review-file': join(folder, 'shard-*.json'), ...inputs }, at);
    },
    /** One job that does all of it. */
    alone: (inputs: Inputs = {}, at: Stage = stage) => {
      Object.assign(permissions, allPermissions);
      return play(at, { ...how, world: at.world, model, inputs: { ...dividing, 'state-key': stateKey, ...inputs } });
    },
    /** What somebody makes of a file between the jobs. */
    tamper: (path: string, change: (text: string) => string) => {
      const before = readFileSync(path, 'utf8');
      const after = change(before);
      if (after === before) throw new Error('The change changes nothing.');
      writeFileSync(path, after);
    },
    lose: (number: number) => rmSync(fileOf(number)),
  };
  return {
    ...jobs,
    /** The plan and every shard but those that are left out. */
    reviewAll: async (inputs: Inputs = {}, { but = [] }: { readonly but?: readonly number[] } = {}) => {
      const shards = shardsOf(await jobs.plan(inputs));
      for (const shard of shards) {
        if (!but.includes(Number.parseInt(shard, 10))) await jobs.review(shard, inputs);
      }
      return shards;
    },
  };
}

type At = { readonly at?: Stage; readonly attempt?: number };

/** The matrix that a job with `mode: plan` gives to the next ones. */
export function shardsOf(run: Pick<ActionRun, 'outputs'>): readonly string[] {
  return JSON.parse(run.outputs['shards'] ?? '');
}
