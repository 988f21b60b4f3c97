import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { list, object } from '../docs/workflows.ts';
import { at, isObject, textAt } from '../fakes/every-pair.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import type { Artifacts } from './actions.ts';
import { type Contexts, evaluate, evaluateTexts, holds, type Result } from './expressions.ts';
import { combinationsOf } from './matrix.ts';
import { nameOf, runStep, type StepRun, type Texts, takeRights, type WorkflowOptions } from './run-step.ts';
import { startsOn } from './triggers.ts';

export type JobRun = {
  readonly name: string;
  readonly result: Result;
  readonly outputs: Texts;
  readonly steps: readonly StepRun[];
  /** The concurrency group it waits in, and whether it ends who is in there. */
  readonly group: string;
};

/** A workflow as GitHub runs it for one event: the jobs in order, one for each combination of a matrix. Null: the event does not start it. */
export async function runWorkflow(text: string, options: WorkflowOptions): Promise<readonly JobRun[] | null> {
  const workflow: unknown = parse(text);
  if (!startsOn(at(workflow, 'on'), options.event)) return null;
  return runJobs(workflow, { ...options, ...contextsOf(workflow, options), artifacts: new Map(), granted: null });
}

type Running = WorkflowOptions & {
  readonly contexts: Contexts;
  readonly secretsThere: Texts;
  readonly artifacts: Artifacts;
  /** What the caller of a reusable workflow permits. */
  readonly granted: Texts | null;
};

function contextsOf(workflow: unknown, options: WorkflowOptions): Pick<Running, 'contexts' | 'secretsThere'> {
  const { event, stage, actor = 'ada', token, number = 1, attempt = 1, vars = {} } = options;
  const secrets = actor === 'dependabot[bot]' ? options.dependabotSecrets : options.secrets;
  const { owner, repository, token: accepted } = stage.world.github;
  const github = {
    event: event.payload,
    event_name: event.name,
    repository: `${owner}/${repository}`,
    repository_owner: owner,
    actor,
    run_id: String(987_654_320 + number),
    run_attempt: String(attempt),
    ref: event.ref,
    sha: event.sha,
    workflow: textAt(workflow, 'name'),
    token: token ?? accepted,
    server_url: stage.github.serverUrl,
    api_url: stage.github.apiUrl,
  };
  const inputs = event.name === 'workflow_dispatch' ? at(event.payload, 'inputs') : {};
  return { contexts: { github, vars, inputs }, secretsThere: isOfStranger(event) ? {} : (secrets ?? {}) };
}

/** A run for a fork. Who starts it by hand, by a comment, or on the target's side, is trusted. */
function isOfStranger({ name, payload }: WorkflowOptions['event']): boolean {
  const [head, base] = ['head', 'base'].map((side) => at(payload, 'pull_request', side, 'repo', 'full_name'));
  return name.startsWith('pull_request') && name !== 'pull_request_target' && head !== base;
}

async function runJobs(workflow: unknown, running: Running): Promise<readonly JobRun[]> {
  const waiting = new Map(Object.entries(object(at(workflow, 'jobs'))));
  const ended = new Map<string, readonly JobRun[]>();
  const ofWorkflow = groupOf(at(workflow, 'concurrency'), running.contexts);
  while (waiting.size > 0) {
    const ready = [...waiting].find(([, job]) => needsOf(job).every((name) => ended.has(name)));
    if (ready === undefined) throw new Error(`Jobs that wait for each other: ${[...waiting.keys()]}`);
    const [name, job] = ready;
    waiting.delete(name);
    const before = needsOf(job).map((need) => ended.get(need) ?? []);
    const needs = Object.fromEntries(
      needsOf(job).map((need, index) => [
        need,
        { result: resultOf(before[index] ?? []), outputs: before[index]?.at(-1)?.outputs },
      ]),
    );
    const contexts = { ...running.contexts, needs };
    const isRun = holds(at(job, 'if'), contexts, before.map(resultOf));
    const skipped: JobRun = { name, result: 'skipped', outputs: {}, steps: [], group: ofWorkflow };
    ended.set(name, isRun ? await runMatrix(job, { ...running, contexts, workflow, name, ofWorkflow }) : [skipped]);
  }
  return [...ended.values()].flat();
}

function needsOf(job: unknown): readonly string[] {
  return [at(job, 'needs') ?? []].flat().map(String);
}

function resultOf(ended: readonly { readonly result: Result }[]): Result {
  const results = ended.map(({ result }) => result);
  return results.find((result) => result === 'failure') ?? results.find((result) => result !== 'success') ?? 'success';
}

type JobPlace = Running & { readonly workflow: unknown; readonly name: string; readonly ofWorkflow: string };

/** Side by side, as far as that is possible. */
async function runMatrix(job: unknown, place: JobPlace): Promise<readonly JobRun[]> {
  const matrix = evaluate(at(job, 'strategy', 'matrix'), place.contexts);
  const combinations = matrix === undefined ? [{}] : combinationsOf(object(matrix));
  const runs: Promise<JobRun | readonly JobRun[]>[] = [];
  for (const [index, combination] of combinations.entries()) {
    const strategy = { 'job-index': index, 'job-total': combinations.length };
    const named = { matrix: combination, strategy };
    const run = runJob(job, { ...place, contexts: { ...place.contexts, ...named } });
    if (place.start === undefined) await run;
    runs.push(run);
  }
  return (await Promise.all(runs)).flat();
}

async function runJob(job: unknown, place: JobPlace): Promise<JobRun | readonly JobRun[]> {
  const { contexts, workflow, name } = place;
  const granted = permissionsOf(at(job, 'permissions') ?? at(workflow, 'permissions'), place);
  const group = groupOf(at(job, 'concurrency'), contexts) || place.ofWorkflow;
  if (at(job, 'uses') !== undefined) return callWorkflow(job, { ...place, granted });
  const folder = temporaryFolder();
  const folders = { workspace: join(folder, 'work'), temporary: join(folder, 'temp') };
  for (const path of Object.values(folders)) mkdirSync(path);
  const withSecrets = { ...contexts, secrets: place.secretsThere, runner: { temp: folders.temporary, os: 'Linux' } };
  const base = { ...withSecrets, env: {} };
  const env = { ...evaluateTexts(at(workflow, 'env'), base), ...evaluateTexts(at(job, 'env'), base) };
  const steps: StepRun[] = [];
  const ended: Record<string, object> = {};
  const variables: Record<string, string> = {};
  takeRights(place.stage, { viewer: 'github-actions[bot]', permissions: granted });
  for (const step of list(at(job, 'steps'))) {
    const status = resultOf(steps.filter(({ result }) => result !== 'skipped'));
    const ofStep = { ...withSecrets, env: { ...env, ...variables }, steps: ended, job: { status } };
    const run = holds(at(step, 'if'), ofStep, [status])
      ? await runStep(step, { place: { ...place, granted }, contexts: ofStep, folders, variables })
      : { name: nameOf(step), result: 'skipped' as const, outputs: {}, run: null };
    const isForgiven = run.result === 'failure' && at(step, 'continue-on-error') === true;
    steps.push(isForgiven ? { ...run, result: 'success' } : run);
    const id = at(step, 'id');
    if (typeof id === 'string')
      ended[id] = { outputs: run.outputs, outcome: run.result, conclusion: steps.at(-1)?.result };
  }
  const outputs = evaluateTexts(at(job, 'outputs'), { ...contexts, steps: ended });
  return { name, result: resultOf(steps.filter(({ result }) => result !== 'skipped')), outputs, steps, group };
}

/** A group and ` cancels`, where it does; empty without one. */
function groupOf(concurrency: unknown, contexts: Contexts): string {
  if (concurrency === undefined) return '';
  const { group, 'cancel-in-progress': cancels } = evaluateTexts(concurrency, contexts);
  return `${group}${cancels === 'true' ? ' cancels' : ''}`;
}

const levels = ['none', 'read', 'write'];

/** What is not named is none. A run for a fork only reads; a called workflow can only take away. */
function permissionsOf(named: unknown, { granted, event, workflow }: JobPlace): Texts {
  const asked = evaluateTexts(named, {});
  const most = (name: string) =>
    Math.min(isOfStranger(event) ? 1 : 2, levels.indexOf(granted?.[name] ?? (granted === null ? 'write' : 'none')));
  if (named === undefined) throw new Error(`A job of ${textAt(workflow, 'name')} says nothing about permissions.`);
  return Object.fromEntries(
    Object.entries(asked).map(([name, level]) => [name, levels[Math.min(levels.indexOf(level), most(name))] ?? 'none']),
  );
}

async function callWorkflow(job: unknown, place: JobPlace): Promise<readonly JobRun[]> {
  const uses = textAt(job, 'uses');
  const called: unknown = parse(place.workflows?.[uses] ?? '');
  if (!isObject(called)) throw new Error(`The test has no workflow ${uses}.`);
  const trigger = at(called, 'on', 'workflow_call');
  const known = { ...place.contexts, secrets: place.secretsThere };
  const passed = { inputs: evaluateTexts(at(job, 'with'), known), secrets: evaluateTexts(at(job, 'secrets'), known) };
  for (const kind of ['inputs', 'secrets'] as const) {
    const declared = object(at(trigger, kind));
    const unknown = Object.keys(passed[kind]).filter((name) => !Object.hasOwn(declared, name));
    const missing = Object.entries(declared).filter(
      ([name, one]) => at(one, 'required') === true && !Object.hasOwn(passed[kind], name),
    );
    if (unknown.length + missing.length > 0) throw new Error(`Wrong ${kind}: ${[...unknown, ...missing.flat()]}`);
  }
  const contexts = { github: place.contexts['github'], vars: place.contexts['vars'], inputs: passed.inputs };
  const jobs = await runJobs(called, { ...place, contexts, secretsThere: passed.secrets });
  return jobs.map((one) => ({ ...one, name: `${place.name} / ${one.name}` }));
}
