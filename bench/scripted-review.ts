import { startGitHub } from '../__tests__/fakes/github-server/start-github.ts';
import type { NormalisedRequest } from '../__tests__/fakes/model-server/normalise.ts';
import type { ModelScript } from '../__tests__/fakes/model-server/script.ts';
import { startModel } from '../__tests__/fakes/model-server/start-model.ts';
import { checkOut, createWorld, type WorldOptions } from '../__tests__/fakes/world/create-world.ts';
import { eventOf } from '../__tests__/fakes/world/event.ts';
import { runAction } from '../__tests__/scenarios/harness.ts';
import { type Sample, sampleChild } from './sample.ts';

export type ScriptedReview = {
  readonly world: WorldOptions;
  readonly model: ModelScript;
  readonly inputs?: Readonly<Record<string, string>>;
  /** The outcome that the script leads to. */
  readonly outcome: string;
};

export type Reviewed = {
  readonly requests: readonly NormalisedRequest[];
  /** Those that checked the findings. */
  readonly verifications: readonly NormalisedRequest[];
  /** What the action took. */
  readonly sample: Sample;
  /** CPU milliseconds of the fake servers while it ran, which it mostly waited for. */
  readonly servers: number;
};

/**
 * The built action over one pull request, with a scripted model. Each call plays in a new world.
 *
 * @throws Error when it comes to another outcome: a number of a run that went wrong would mean nothing.
 */
export async function playReview({ world, model: script, inputs, outcome }: ScriptedReview): Promise<Reviewed> {
  const made = createWorld(world);
  const github = await startGitHub(made.github);
  const model = await startModel(script);
  try {
    const workspace = await checkOut(github);
    const before = process.cpuUsage();
    const { result: run, sample } = await sampleChild(() =>
      runAction({
        event: eventOf(made),
        workspace,
        github,
        model,
        inputs: { api: 'chat', ...inputs },
        start: 'bundle',
      }),
    );
    const servers = process.cpuUsage(before);
    const [complaint] = model.complaints;
    if (complaint !== undefined) throw new Error(`The model server complained: ${complaint}`);
    if (run.outputs['outcome'] !== outcome) {
      throw new Error(`The outcome is ${run.outputs['outcome']}, not ${outcome}. The log:\n${run.log}`);
    }
    const { requests, verifications } = model;
    return { requests, verifications, sample, servers: (servers.user + servers.system) / 1_000 };
  } finally {
    await Promise.all([github.close(), model.close()]);
  }
}
