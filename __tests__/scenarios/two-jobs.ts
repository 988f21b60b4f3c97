import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allPermissions, type Permissions, readOnly } from '../fakes/github-server/world.ts';
import type { ModelScript } from '../fakes/model-server/script.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import type { ActionRun } from './harness.ts';
import { play, type Scenario, type Stage, setStage } from './review.ts';

type Inputs = Readonly<Record<string, string>>;

export type TwoJobs = {
  readonly stage: Stage;
  /** Where the review file goes. */
  readonly path: string;
  /** The job with the key, whose token only reads. */
  review(inputs?: Inputs, at?: Stage): Promise<ActionRun>;
  /** The job with a token that writes, and without a key. */
  post(inputs?: Inputs, at?: Stage): Promise<ActionRun>;
  readFile(): string;
  /** What somebody makes of the file between the jobs. */
  tamper(change: (text: string) => string): void;
};

/** In both jobs, as in docs/examples/forks.yml. */
export const stateKey = 'a-key-of-both-jobs-0123456789';

/** As docs/examples/forks.yml grants them. */
const poster: Permissions = { contents: 'read', 'pull-requests': 'write', issues: 'none', checks: 'none' };

/** A pull request, from a fork unless told, and the two jobs of one `pull_request_target` workflow without a checkout. */
export async function setTwoJobs(
  world: WorldOptions,
  model: ModelScript,
  { fork = true, ...how }: Pick<Scenario, 'start'> & { readonly fork?: boolean } = {},
): Promise<TwoJobs> {
  const permissions = { ...allPermissions };
  const ofJobs = { ...world, fork, github: { ...world.github, permissions } };
  const stage = await setStage({ world: ofJobs, model, checkout: null });
  const path = join(temporaryFolder(), 'review.json');
  const readFile = () => readFileSync(path, 'utf8');
  const job = (at: Stage, inputs: Inputs, asks: boolean) =>
    play(at, { ...how, world: at.world, model: asks ? model : null, event: 'pull_request_target', inputs });
  return {
    stage,
    path,
    review: (inputs = {}, at = stage) => {
      Object.assign(permissions, readOnly);
      return job(at, { mode: 'review', 'review-file': path, 'state-key': stateKey, ...inputs }, true);
    },
    post: (inputs = {}, at = stage) => {
      Object.assign(permissions, poster);
      return job(at, { mode: 'post', 'review-file': path, 'state-key': stateKey, ...inputs }, false);
    },
    readFile,
    tamper: (change) => {
      const before = readFile();
      const after = change(before);
      if (after === before) throw new Error('The change changes nothing.');
      writeFileSync(path, after);
    },
  };
}
