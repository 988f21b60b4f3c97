import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOurs, object } from '../docs/workflows.ts';
import { at, textAt } from '../fakes/every-pair.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { type ActionOptions, type ActionRun, runAction } from '../scenarios/harness.ts';
import type { Stage } from '../scenarios/review.ts';
import { type Artifacts, knownActions, type PlayedAction } from './actions.ts';
import { type Contexts, evaluate, evaluateTexts, type Result, textOf } from './expressions.ts';

export type Texts = Readonly<Record<string, string>>;

export type WorkflowOptions = {
  readonly stage: Stage;
  readonly event: ActionOptions['event'];
  /** What the repository holds for Actions. A run for a fork gets none of it. */
  readonly secrets?: Texts;
  /** What it holds for Dependabot: all that a run gets that Dependabot caused. */
  readonly dependabotSecrets?: Texts;
  readonly vars?: Texts;
  /** Who caused the event. */
  readonly actor?: string;
  /** The token of the job, where the fake is not to take it. */
  readonly token?: string;
  /** Actions of others besides those that every test may use. */
  readonly actions?: Readonly<Record<string, PlayedAction>>;
  /** Texts of reusable workflows, by what stands behind `uses:`. */
  readonly workflows?: Texts;
  /** In the environment of each step, such as what the runner sets. */
  readonly environment?: Texts;
  /** Shell scripts by the names of programs, for what those of examples start. */
  readonly programs?: Texts;
  /** Who gives tokens to jobs with `id-token: write`. */
  readonly idToken?: { readonly url: string; readonly token: string };
  /** `src` in this process by default; as a job is started where it says so. */
  readonly start?: 'bundle';
  readonly number?: number;
  readonly attempt?: number;
};

export type StepRun = {
  readonly name: string;
  readonly result: Result;
  readonly outputs: Texts;
  /** What a step of ours or a script left behind. */
  readonly run: ActionRun | null;
};

type StepPlace = {
  readonly place: WorkflowOptions & { readonly artifacts: Artifacts; readonly granted: Texts };
  readonly contexts: Contexts;
  readonly folders: { readonly workspace: string; readonly temporary: string };
  readonly variables: Record<string, string>;
};

/** One step, ours, a script, or an action of others that the runner plays. */
export async function runStep(step: unknown, { place, contexts, folders, variables }: StepPlace): Promise<StepRun> {
  const { stage, event, environment = {}, granted, start } = place;
  const uses = textAt(step, 'uses').replace(/@.*/, '');
  const inputs = evaluateTexts(at(step, 'with'), contexts);
  const own = evaluateTexts(at(step, 'env'), contexts);
  const name = nameOf(step);
  const github = object(contexts['github']);
  if (isOurs({ uses: `${uses}@` }) || uses === '') {
    const inside = textOf(evaluate(at(step, 'working-directory'), contexts));
    const run = await runAction({
      ...{ event, github: stage.github, workspace: resolve(folders.workspace, inside), inputs: {} },
      ...(uses === ''
        ? { script: textOf(evaluate(at(step, 'run'), contexts)) }
        : { inputs: { 'github-token': textAt(github, 'token'), ...inputs } }),
      ...(start === undefined ? {} : { start }),
      environment: {
        ...(uses === '' ? { PATH: `${programsOf(place)}:${programs}:${process.env['PATH']}` } : {}),
        POSTIL_BASE_URL: stage.model.url,
        RUNNER_TEMP: folders.temporary,
        GITHUB_RUN_ID: textAt(github, 'run_id'),
        GITHUB_RUN_ATTEMPT: textAt(github, 'run_attempt'),
        GITHUB_ACTOR: textAt(github, 'actor'),
        ...identityOf(place),
        ...environment,
        ...evaluateTexts(contexts['env'], {}),
        ...own,
      },
    });
    Object.assign(variables, run.variables);
    return { name, result: run.code === 0 ? 'success' : 'failure', outputs: run.outputs, run };
  }
  const action = place.actions?.[uses] ?? knownActions[uses];
  if (action === undefined) throw new Error(`The runner does not know the action ${uses}.`);
  const end = await action({
    ...{ inputs, stage, artifacts: place.artifacts, variables, workspace: folders.workspace },
    run: Number(textAt(github, 'run_id')),
    from: textAt(event.payload, 'pull_request', 'head', 'repo', 'full_name') || textAt(github, 'repository'),
    become: (identity) => takeRights(stage, identity),
    granted,
  });
  const isFailed = 'problem' in end;
  return {
    name: isFailed ? `${name}: ${end.problem}` : name,
    result: isFailed ? 'failure' : 'success',
    outputs: isFailed ? {} : (end.outputs ?? {}),
    run: null,
  };
}

function programsOf({ programs: own = {} }: WorkflowOptions): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(own)) {
    writeFileSync(join(folder, name), `#!/bin/bash -e\n${script}\n`, { mode: 0o755 });
  }
  return folder;
}

/** Where a step asks for a token that says whose job this is. */
function identityOf({ granted, idToken }: StepPlace['place']): Texts {
  if (granted['id-token'] !== 'write' || idToken === undefined) return {};
  return { ACTIONS_ID_TOKEN_REQUEST_URL: idToken.url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: idToken.token };
}

/** `gh`, as far as scripts of examples use it. */
const programs = fileURLToPath(new URL('programs', import.meta.url));

/** From now on the token is this one. */
export function takeRights(
  { github }: Stage,
  { viewer, permissions }: { readonly viewer: string; readonly permissions: Texts },
): void {
  Object.assign(github.world, { viewer, permissions });
}

export function nameOf(step: unknown): string {
  return textAt(step, 'id') || textAt(step, 'uses').replace(/@.*/, '') || textAt(step, 'name') || 'run';
}
