import { readFileSync } from 'node:fs';
import { read } from '../docs/workflows.ts';
import { type ModelScript, submit } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import { eventOf } from '../fakes/world/event.ts';
import { type Scenario, type Stage, setStage, totalWorld, wrongLine, wrongLineFinding } from '../scenarios/review.ts';
import type { WorkflowOptions } from './run-step.ts';
import { type JobRun, runWorkflow } from './run-workflow.ts';

/** What a repository has that uses an example. */
export const secrets = { OPENAI_API_KEY: modelKey, POSTIL_STATE_KEY: 'a-key-of-all-jobs-0123456789' };

/** One defect in one changed file, a model that sees it, and a runner without a checkout. */
export function openStage({ world = totalWorld, model = watcher, ...more }: Partial<Scenario> = {}): Promise<Stage> {
  return setStage({ ...more, world, model, checkout: null });
}

export type ExampleOptions = Partial<Omit<WorkflowOptions, 'stage' | 'start'>> & {
  /** What is built, by default. `src` in this process is quicker, for what another test has shown of what is built. */
  readonly start?: 'bundle' | 'source';
  /** What stands in the file, and what the test has in its place: servers of others. */
  readonly instead?: Readonly<Record<string, string>>;
};

/** The example of this name, as it stands, for one event. */
export async function runExample(name: string, stage: Stage, options: ExampleOptions = {}): Promise<readonly JobRun[]> {
  const { instead = {}, start = 'bundle', ...more } = options;
  let { text } = read(name);
  for (const [there, here] of Object.entries(instead)) {
    if (!text.includes(there)) throw new Error(`${name} does not say ${there}.`);
    text = text.replaceAll(there, here);
  }
  const started = start === 'bundle' ? { start } : {};
  const jobs = await runWorkflow(text, { ...started, secrets, event: eventOf(stage.world), ...more, stage });
  return jobs ?? [];
}

/** A line for each job: what became of it, and of each step that is ours. */
export function endsOf(jobs: readonly JobRun[]): readonly string[] {
  return jobs.map(({ name, result, steps }) => {
    const ours = steps.flatMap(({ outputs }) => outputs['outcome'] ?? []);
    return [`${name}: ${result}`, ...ours].join(', ');
  });
}

/** Everything that the job's steps printed. */
export function logOf(jobs: readonly JobRun[]): string {
  return jobs.flatMap(({ steps }) => steps.map(({ name, run }) => `${name}\n${run?.log ?? ''}`)).join('\n');
}

/** The text of an example that another calls. */
export const textOfExample = (name: string) =>
  readFileSync(new URL(`../../docs/examples/${name}`, import.meta.url), 'utf8');

/** A model that says of the defect what it should wherever it is shown, and nothing else, however often it is asked. */
export const watcher: ModelScript = ({ prompt }) => submit(prompt.includes(wrongLine.trim()) ? [wrongLineFinding] : []);
