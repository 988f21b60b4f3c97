import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { distProblem } from '../../scripts/sources-digest.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import { type QuietTime, temporaryFolder } from '../fakes/memory-repository.ts';
import type { FakeModel } from '../fakes/model-server/start-model.ts';
import { surfaces } from '../fakes/surfaces/surfaces.ts';
import { type Annotation, type Command, parseCommands } from './runner/commands.ts';
import {
  type ChildOptions,
  type ChildRun,
  inputVariables,
  parseCommandFile,
  runCliInProcess,
  runInProcess,
  runNode,
} from './runner/start.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const stale = distProblem(root);

export type ActionOptions = {
  /** The step's `with`. What a fake model needs is filled in. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly event: { readonly name: string; readonly payload: object; readonly sha?: string; readonly ref?: string };
  readonly environment?: Readonly<Record<string, string>>;
  /** A checkout; null or absent is an empty folder, as in a job without checkout. */
  readonly workspace?: string | null;
  readonly github?: FakeGitHub;
  readonly model?: FakeModel;
  /** Milliseconds; 100,000 by default. */
  readonly timeout?: number;
  readonly signalAfter?: ChildOptions['signalAfter'];
  /** 'bundle' starts `dist/` in a process of its own: for what only that can show. Needed for a signal and for runs at once. */
  readonly start?: 'bundle';
  /** A time that leaps while it is quiet, for a run in this process. */
  readonly time?: QuietTime;
  /** A `run:` of the workflow, in place of the action. */
  readonly script?: string;
};

export type ActionRun = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** stdout and stderr by line, as they came. Secrets are not masked. */
  readonly log: string;
  readonly annotations: readonly Annotation[];
  readonly commands: readonly Command[];
  readonly masks: readonly string[];
  readonly outputs: Readonly<Record<string, string>>;
  /** What it sets for the steps behind it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The job summary's Markdown. */
  readonly summary: string;
  /** RUNNER_TEMP of the run. */
  readonly temporary: string;
  readonly milliseconds: number;
  /** The `post:` step of the same job, however this run ended. */
  readonly afterwards: (more?: Pick<ActionOptions, 'signalAfter'>) => Promise<ActionRun>;
};

/** Runs the job as GitHub's runner does, and reads what it left behind as the runner does. */
export async function runAction(options: ActionOptions): Promise<ActionRun> {
  return await runStep(options, { files: await createRunnerFiles(options), state: {}, file: 'dist/index.js' });
}

type StepFiles = Pick<Step, 'file'> & {
  readonly files: RunnerFiles;
  readonly state: Readonly<Record<string, string>>;
};

async function runStep(options: ActionOptions, { files, state, file }: StepFiles): Promise<ActionRun> {
  const environment = {
    ...runnerEnvironment(options, files),
    ...(options.script === undefined ? await stepInputs(options) : {}),
    ...state,
    ...options.environment,
  };
  const step = { directory: files.workspace, environment, file };
  const isStarted = [options.start, options.signalAfter, options.script].some((one) => one !== undefined);
  const child = await (isStarted ? startStep(options, step) : runInProcess({ ...step, time: options.time }));
  const { all: commands, ...parsed } = parseCommands(child.log);
  const outputs = parseCommandFile(await readFile(files.output, 'utf8'));
  const variables = parseCommandFile(await readFile(files.env, 'utf8'));
  const summary = await readFile(files.summary, 'utf8');
  surfaces?.add(child, { 'job summary': summary, outputs, variables, ...writtenFiles(options) });
  return {
    code: child.code,
    signal: child.signal,
    log: child.log,
    ...parsed,
    commands,
    outputs,
    variables,
    summary,
    temporary: files.temporary,
    milliseconds: child.milliseconds,
    afterwards: async (more = {}) => {
      const kept = Object.entries(parseCommandFile(await readFile(files.state, 'utf8')));
      const { temporary, workspace, event } = files;
      const own = { ...(await createRunnerFiles(options)), temporary, workspace, event };
      const { signalAfter: _, ...rest } = options;
      return runStep(
        { ...rest, ...more, start: 'bundle' },
        {
          files: own,
          file: 'dist/post.js',
          state: Object.fromEntries(kept.map(([name, text]) => [`STATE_${name}`, text])),
        },
      );
    },
  };
}

/** The reports that the step's inputs name, as far as they are there. */
function writtenFiles({ inputs = {} }: ActionOptions): Readonly<Record<string, string>> {
  const paths = ['report-file', 'report-html', 'sarif-file'].map((name) => [name, inputs[name] ?? ''] as const);
  const there = paths.filter(([, path]) => isAbsolute(path) && existsSync(path) && statSync(path).isFile());
  return Object.fromEntries(there.map(([name, path]) => [name, readFileSync(path, 'utf8')]));
}

type Step = Pick<ChildOptions, 'directory' | 'environment'> & {
  /** What action.yml names. */
  readonly file: 'dist/index.js' | 'dist/post.js';
};

function startStep(options: ActionOptions, { file, ...step }: Step): Promise<ChildRun> {
  const { script } = options;
  return runNode({
    ...step,
    // The Node that runs the tests: `npm run` puts the runner's version first on PATH.
    node: script === undefined ? process.execPath : 'bash',
    args: script === undefined ? [builtFile(file)] : ['-ec', script],
    timeout: options.timeout ?? 100_000,
    ...(options.signalAfter === undefined ? {} : { signalAfter: options.signalAfter }),
  });
}

export function builtFile(path: string): string {
  if (stale !== null) throw new Error(stale);
  return join(root, path);
}

type RunnerFiles = Awaited<ReturnType<typeof createRunnerFiles>>;

async function createRunnerFiles({ workspace, event }: ActionOptions) {
  const folder = temporaryFolder();
  const inside = (name: string) => join(folder, name);
  const folders = { workspace: workspace ?? inside('workspace'), home: inside('home'), temporary: inside('temp') };
  const empty = {
    ...{ output: inside('output'), summary: inside('summary'), env: inside('env') },
    ...{ state: inside('state'), path: inside('path') },
  };
  for (const directory of Object.values(folders)) await mkdir(directory, { recursive: true });
  for (const file of Object.values(empty)) await writeFile(file, '');
  await writeFile(inside('event.json'), JSON.stringify(event.payload));
  return { ...folders, ...empty, event: inside('event.json') };
}

function runnerEnvironment(options: ActionOptions, files: RunnerFiles): Record<string, string> {
  const { event, github } = options;
  const repository = github === undefined ? 'octo/spoon' : `${github.world.owner}/${github.world.repository}`;
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: files.home,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__octo_postil',
    GITHUB_ACTION_PATH: root,
    GITHUB_ACTOR: 'ada',
    GITHUB_API_URL: github?.apiUrl ?? 'http://127.0.0.1:9/api/v3',
    GITHUB_GRAPHQL_URL: github?.graphqlUrl ?? 'http://127.0.0.1:9/api/graphql',
    GITHUB_SERVER_URL: github?.serverUrl ?? 'http://127.0.0.1:9',
    GITHUB_EVENT_NAME: event.name,
    GITHUB_EVENT_PATH: files.event,
    GITHUB_REPOSITORY: repository,
    GITHUB_REPOSITORY_OWNER: repository.split('/')[0] ?? '',
    GITHUB_SHA: event.sha ?? '0'.repeat(40),
    GITHUB_REF: event.ref ?? 'refs/heads/main',
    GITHUB_WORKFLOW: 'Review',
    GITHUB_WORKFLOW_REF: `${repository}/.github/workflows/review.yml@refs/heads/main`,
    GITHUB_JOB: 'review',
    GITHUB_RUN_ID: '987654321',
    GITHUB_RUN_NUMBER: '12',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_WORKSPACE: files.workspace,
    GITHUB_OUTPUT: files.output,
    GITHUB_STEP_SUMMARY: files.summary,
    GITHUB_ENV: files.env,
    GITHUB_STATE: files.state,
    GITHUB_PATH: files.path,
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    RUNNER_NAME: 'runner',
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_TEMP: files.temporary,
    RUNNER_TOOL_CACHE: files.home,
  };
}

function stepInputs({ inputs, github, model }: ActionOptions): Promise<Readonly<Record<string, string>>> {
  const ofModel = model === undefined ? {} : { 'api-key': model.apiKey, 'base-url': model.url, model: 'scripted' };
  return inputVariables({ ...ofModel, ...inputs }, { token: github?.world.token ?? '', workflow: 'Review' });
}

type CliOptions = {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to PATH and an empty HOME: nothing else is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** Another Node than the one that runs the tests: it starts what is built. */
  readonly node?: string;
  /** What is built, in a process of its own, instead of `src` in this one. */
  readonly start?: 'bundle';
};

/** Runs the command line in a folder. */
export function runCli({ args, cwd, env, node, start }: CliOptions): Promise<ChildRun> {
  const environment = { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), ...env };
  if (start === undefined && node === undefined) {
    return runCliInProcess(args, { environment, directory: cwd });
  }
  return runNode({
    node: node ?? process.execPath,
    args: [builtFile('dist/cli/index.js'), ...args],
    directory: cwd,
    environment,
    timeout: 100_000,
  });
}
