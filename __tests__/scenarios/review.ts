import { onTestFinished } from 'vitest';
import { type FakeGitHub, startGitHub } from '../fakes/github-server/start-github.ts';
import type { ModelScript } from '../fakes/model-server/script.ts';
import { type FakeModel, startModel } from '../fakes/model-server/start-model.ts';
import { borrowCheckout, type CheckoutOptions, checkOut } from '../fakes/world/checkout.ts';
import { createWorld, type World, type WorldOptions } from '../fakes/world/create-world.ts';
import { type EventName, eventOf } from '../fakes/world/event.ts';
import { type ActionOptions, type ActionRun, runAction } from './harness.ts';

export type Scenario = {
  readonly world: WorldOptions | World;
  /** Null: a repository without a key. */
  readonly model: ModelScript | null;
  readonly event?: EventName;
  /** Null: a job without checkout. With all of the history by default; as actions/checkout leaves it by default for the bundle. */
  readonly checkout?: CheckoutOptions | null;
} & Pick<ActionOptions, 'inputs' | 'environment' | 'signalAfter' | 'timeout' | 'start' | 'time'>;

export type Stage = {
  readonly world: World;
  readonly github: FakeGitHub;
  /** Never asked when the scenario has no model. */
  readonly model: FakeModel;
  readonly workspace: string | null;
};

export type Reviewed = Stage & { readonly run: ActionRun };

/** One whole run of the action in a world of its own. */
export async function review(scenario: Scenario): Promise<Reviewed> {
  const stage = await setStage(scenario);
  return { ...stage, run: await play(stage, scenario) };
}

/** The servers and the checkout, for tests that run more than once in one world. */
export async function setStage(scenario: Scenario): Promise<Stage> {
  const world = 'commits' in scenario.world ? scenario.world : createWorld(scenario.world);
  const github = await startGitHub(world.github);
  const model = await startModel(scenario.model ?? []);
  onTestFinished(async () => {
    await Promise.all([github.close(), model.close()]);
  });
  return { world, github, model, workspace: await workspaceOf(scenario, { world, github }) };
}

async function workspaceOf({ checkout, start }: Scenario, { world, github }: Pick<Stage, 'world' | 'github'>) {
  if (checkout === null) return null;
  if (checkout === undefined && start !== 'bundle') return borrowCheckout(github, world.commits.merge);
  return checkOut(github, checkout);
}

export function play(stage: Stage, scenario: Scenario): Promise<ActionRun> {
  const { world: _, model, event, checkout: __, ...options } = scenario;
  return runAction({
    ...options,
    event: eventOf(stage.world, event ?? 'pull_request'),
    workspace: stage.workspace,
    github: stage.github,
    ...(model === null ? {} : { model: stage.model }),
  });
}

/** What was written to GitHub apart from the one summary comment, which every review that looked at something keeps. */
export function writesBesideSummary(github: FakeGitHub): FakeGitHub['requests'] {
  return github.writes().filter(({ path }) => !/\/issues\/(?:\d+\/comments|comments\/\d+)$/.test(path));
}
