import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allPermissions, type Permissions, readOnly } from '../fakes/github-server/store.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, type ModelScript, type ScriptedFinding, submit } from '../fakes/model-server/script.ts';
import type { FakeModel } from '../fakes/model-server/start-model.ts';
import type { World, WorldOptions } from '../fakes/world/create-world.ts';
import { type ActionRun, builtFile } from './harness.ts';
import { play, type Scenario, type Stage, setStage } from './review.ts';
import { type ChildRun, runCliInProcess, runNode } from './runner/start.ts';

/** Texts of all added and removed lines of the pull request, from git itself. */
function changedLines(world: World): readonly string[] {
  const { mergeBase, head } = world.commits;
  const diff = world.remote.git('diff', '-U0', '--find-renames', '--ignore-submodules=none', mergeBase, head);
  const lines: string[] = [];
  let inHunk = false;
  for (const line of diff.split('\n')) {
    if (line.startsWith('diff --git ')) inHunk = false;
    if (line.startsWith('@@ ')) inHunk = true;
    else if (inHunk && /^[+-]/.test(line)) lines.push(line.slice(1));
  }
  return lines;
}

/** The changed lines that the model was never shown: the lower bound of a review is that there are none. */
export function unseenLines(world: World, model: FakeModel): readonly string[] {
  const seen = new Set(model.requests.flatMap((request) => request.messages.flatMap(({ text }) => text.split('\n'))));
  const shown = [...seen].join('\n');
  return changedLines(world).filter((line) => !shown.includes(line.trim()));
}

/** Longer than what the code around a change shows of a body. */
const guards = Array.from({ length: 40 }, (_, index) => `  if (items.length === ${index + 100}) return ${index};`);
const cart = [
  'export function lastPrice(items: readonly number[]): number {',
  ...guards,
  '  if (items.length === 0) return 0;',
  '  return items[items.length - 1] ?? 0;',
  '}',
  '',
].join('\n');
const checkout = `import { lastPrice } from './cart.ts';

export function tip(items: readonly number[]): number {
  return 0;
}
`;

/** A change whose danger is decided by a line that the code around it does not show. */
export const world = {
  base: {
    'src/cart.ts': cart,
    'src/checkout.ts': checkout,
    'src/secret.ts': 'export const far = 1;\n',
    'README.md': '# Shop\n',
  },
  head: { 'src/checkout.ts': checkout.replace('return 0;', 'return 10 / lastPrice(items);') },
} as const satisfies WorldOptions;

const suspicion = {
  path: 'src/checkout.ts',
  quote: '  return 10 / lastPrice(items);',
  title: 'An empty cart throws',
  review: '`lastPrice` may read from an empty list.',
  severity: 'critical',
} as const;
export const division = {
  ...suspicion,
  title: 'A free item divides by zero',
  review: 'A price of 0 gives `Infinity`.',
};

export function first(request: unknown, findings: readonly ScriptedFinding[] = [suspicion]) {
  const answer = submit(findings).calls[0];
  return call('submit_review', {
    ...JSON.parse(JSON.stringify(answer?.arguments)),
    confirmed: null,
    dismissed: null,
    context_request: request,
  });
}

export function second(said: { confirmed?: number[]; dismissed?: unknown[]; findings?: readonly ScriptedFinding[] }) {
  const { arguments: submission } = submit(said.findings ?? []).calls[0] ?? {};
  const { confirmed = [], dismissed = [] } = said;
  return call('submit_review', {
    ...JSON.parse(JSON.stringify(submission)),
    confirmed,
    dismissed,
    context_request: null,
  });
}

export const lines = {
  file: 'src/cart.ts',
  line_start: 40,
  line_end: 44,
  reason: 'Does lastPrice guard against an empty cart?',
};

type Inputs = Readonly<Record<string, string>>;

type TwoJobs = {
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
const stateKey = 'a-key-of-both-jobs-0123456789';

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

type CliOptions = {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to PATH and an empty HOME: nothing else is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Another Node than the one that runs the tests: it starts what is built. */
  readonly node?: string;
  /** What is built, in a process of its own, instead of `src` in this one. */
  readonly start?: 'bundle';
};

/** Runs the command line in a folder. */
export function runCli({ args, cwd, env, input, node, start }: CliOptions): Promise<ChildRun> {
  const environment = { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), ...env };
  if (start === undefined && node === undefined && input === undefined) {
    return runCliInProcess(args, { environment, directory: cwd });
  }
  return runNode({
    node: node ?? process.execPath,
    args: [builtFile('dist/cli/index.js'), ...args],
    directory: cwd,
    environment,
    timeout: 100_000,
    ...(input === undefined ? {} : { input }),
  });
}
