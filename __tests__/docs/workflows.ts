import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { actionReference, referenceComment } from '../../src/core/addresses.ts';
import { starterFiles } from '../../src/core/team/starter.ts';
import { at, isObject } from '../fakes/every-pair.ts';

const folder = new URL('../../docs/examples/', import.meta.url);

type Job = {
  readonly permissions: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly text: string;
};
export type Step = {
  readonly uses: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly stateKey: unknown;
};

/** As examples name it, in `uses:` and for a checkout. */
export const [ownRepository = '', ownRef = ''] = actionReference().split('@');

export const isOurs = ({ uses }: Pick<Step, 'uses'>) => uses.startsWith(`${ownRepository}@`);

export const files = readdirSync(folder).filter((name) => name.endsWith('.yml'));
/** Those that call Postil themselves. */
export const examples = files.filter((name) => !['eval.yml', 'reusable-caller.yml'].includes(name)).map(read);
export const starter = starterFiles()
  .filter(({ path }) => path.endsWith('.yml') && path.startsWith('.github/'))
  .map(({ path, text }) => exampleOf(path, text));

export function read(name: string) {
  return exampleOf(name, readFileSync(new URL(name, folder), 'utf8'));
}

function exampleOf(name: string, text: string) {
  const workflow: unknown = parse(text);
  return { name, text, workflow, jobs: jobsOf(workflow) };
}

function jobsOf(workflow: unknown): readonly Job[] {
  const common = inputsIn(strings(at(workflow, 'env')));
  return Object.values(object(at(workflow, 'jobs'))).map((job) => ({
    permissions: strings(at(job, 'permissions') ?? at(workflow, 'permissions')),
    steps: list(at(job, 'steps')).map((step) => ({
      uses: String(at(step, 'uses')),
      inputs: {
        ...(isOurs({ uses: String(at(step, 'uses')) })
          ? { ...common, ...inputsIn(strings(at(job, 'env'))), ...inputsIn(strings(at(step, 'env'))) }
          : {}),
        ...strings(at(step, 'with')),
      },
      stateKey: at(step, 'with', 'state-key') ?? at(step, 'env', 'POSTIL_STATE_KEY'),
    })),
    text: JSON.stringify(job),
  }));
}

/** What variables of the workflow set in all of its jobs. */
function inputsIn(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = Object.entries(environment).filter(([name]) => name.startsWith('POSTIL_'));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(7).toLowerCase().replaceAll('_', '-'), value]));
}

export function object(value: unknown): object {
  return isObject(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function strings(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(object(value)).map(([name, one]) => [name, String(one)]));
}

/** Of the workflow, or of its one job that has it. */
export function concurrencyOf(workflow: unknown): { readonly group: string; readonly cancels: string } {
  const ofJobs = Object.values(object(at(workflow, 'jobs'))).map((job) => at(job, 'concurrency'));
  const found = [at(workflow, 'concurrency'), ...ofJobs].filter((one) => one !== undefined);
  const [concurrency] = found.length === 1 ? found : [];
  return { group: String(at(concurrency, 'group')), cancels: String(at(concurrency, 'cancel-in-progress')) };
}

/** What stands behind `uses:`: an action of others by its commit, ours as it is released, a workflow of the reader's by a tag. */
export function isPinned(uses: string): boolean {
  if (uses === `${actionReference()} # ${referenceComment()}`) return true;
  if (uses === 'acme/review-settings/.github/workflows/review.yml@v1 # better: the full commit hash') return true;
  return /^[\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(uses);
}
