import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type FakeGitHub, startGitHub } from '../fakes/github-server/start-github.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { type Answer, call, type ModelScript, type ScriptedFinding, submit } from '../fakes/model-server/script.ts';
import { type FakeModel, startModel } from '../fakes/model-server/start-model.ts';
import {
  borrowCheckout,
  type CheckoutOptions,
  checkOut,
  createWorld,
  mergeOf,
  type World,
  type WorldOptions,
} from '../fakes/world/create-world.ts';
import { type EventName, eventOf } from '../fakes/world/event.ts';
import { importCommits, type WorldFiles } from '../fakes/world/git.ts';
import { type ActionOptions, type ActionRun, runAction } from './harness.ts';

export type Scenario = {
  readonly world: WorldOptions | World;
  /** Null: a repository without a key. */
  readonly model: ModelScript | null;
  /** An event of its own where a name does not say enough, such as that of a comment. */
  readonly event?: EventName | ActionOptions['event'];
  /** Null: a job without checkout. With all of the history by default; as actions/checkout leaves it by default for the bundle. */
  readonly checkout?: CheckoutOptions | null;
} & Pick<ActionOptions, 'inputs' | 'environment' | 'signalAfter' | 'start' | 'time'>;

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
    event: typeof event === 'object' ? event : eventOf(stage.world, event ?? 'pull_request'),
    workspace: stage.workspace,
    github: stage.github,
    ...(model === null ? {} : { model: stage.model }),
  });
}

/** A model for one test of the command line, and the variables that name it. */
export async function laptopModel(script: ModelScript) {
  const model = await startModel(script);
  onTestFinished(() => model.close());
  return { model, env: { POSTIL_API_KEY: model.apiKey, POSTIL_BASE_URL: model.url } };
}

/** Settings that name files, by their own names in a folder that is still to be made, and what a run wrote there. */
export function outputFiles<Name extends string>(...names: readonly Name[]) {
  const folder = join(temporaryFolder(), 'new/folder');
  const inputs = Object.fromEntries(names.map((name) => [name, join(folder, name)]));
  const text = (name: Name) => readFileSync(join(folder, name), 'utf8');
  const lines = (name: Name) => text(name).trimEnd().split('\n');
  return {
    inputs,
    text,
    json: (name: Name) => JSON.parse(text(name)),
    events: (name: Name): { type: string; time: string }[] => lines(name).map((line) => JSON.parse(line)),
  };
}

/** Where the comments stand, as `path:line`. */
export function placesOf(github: FakeGitHub): readonly string[] {
  return github.comments().map(({ path, line }) => `${path}:${line}`);
}

/** What was written to GitHub apart from the one summary comment, which every review that looked at something keeps. */
export function writesBesideSummary(github: FakeGitHub): FakeGitHub['requests'] {
  return github.writes().filter(({ path }) => !/\/issues\/(?:\d+\/comments|comments\/\d+)$/.test(path));
}

type PushOptions = {
  /** Path → new content; null deletes. */
  readonly files: WorldFiles;
  /** Rewrites the branch: the change starts again from where it left main. */
  readonly force?: boolean;
};

/** Pushes a commit to the pull request's branch, as its author would; the stage that comes back stands on it. */
export async function push<S extends Stage>(stage: S, { files, force = false }: PushOptions): Promise<S> {
  const { commits, pull, remote } = stage.world;
  const change = { files };
  const branch = force ? [change] : [...stage.world.branch, change];
  // Later than everything before; a branch that starts again has a time of its own, too.
  const minute = 100 + stage.world.branch.length * 10 + (force ? 1 : 0);
  const refs = ['refs/heads/feature', `refs/pull/${pull.number}/head`];
  const [head = '', merge = ''] = importCommits(remote.directory, [
    { parent: force ? commits.mergeBase : commits.head, changes: [change], message: 'Push', minute, refs },
    mergeOf({ base: commits.base, head: 0, branch, number: pull.number, minute: minute + 1 }),
  ]);
  await stage.github.moveHead(head);
  const world = {
    github: stage.world.github,
    remote,
    branch,
    // Not read before it is asked for: it is made then.
    get author() {
      return stage.world.author;
    },
    commits: { ...commits, head, merge },
    pull: { ...pull, head: { ...pull.head, sha: head } },
  };
  return { ...stage, world };
}

const before = `/** Sum of all prices, in cents. */
export function total(prices: readonly number[]): number {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}
`;

/** Reads one past the end. */
export const wrongLine = '  for (let i = 0; i <= prices.length; i += 1) sum += prices[i] ?? Number.NaN;';

/** The line that `wrongLine` is on, at head. */
export const wrongLineNumber = 4;

/** One changed file with one true defect. */
export const totalWorld = {
  base: { 'src/total.ts': before, 'README.md': '# Spoon\n' },
  head: { 'src/total.ts': before.replace('  for (const price of prices) sum += price;', wrongLine) },
} as const satisfies WorldOptions;

/** What a good reviewer says of it. */
export const wrongLineFinding = {
  path: 'src/total.ts',
  quote: wrongLine,
  title: 'The loop reads one past the end',
  review: 'With `<=` the last round reads `prices[prices.length]`, so every total is `NaN`.',
  severity: 'critical',
} as const;

/** Reads the changed file, and finds the defect where it sees it. */
export const reader: ModelScript = (request, turn) => {
  if (turn === 0) return call('read_file', { path: 'src/total.ts' });
  return submit(request.lastResult('read_file').includes(wrongLine.trim()) ? [wrongLineFinding] : []);
};

/** `count` defects, a line each with good lines between, in files of ten. */
export function shopWorld(count: number): WorldOptions {
  const files = Object.fromEntries(
    Array.from({ length: Math.max(1, Math.ceil(count / 10)) }, (_, index) => [shopFile(index), shopText(index, count)]),
  );
  return { base: { 'README.md': '# Shop\n' }, head: files };
}

export function shopFile(index: number): string {
  return `src/shop-${index}.ts`;
}

/** The text of one file: defects `10 * index` to `10 * index + 9`, as far as there are so many. */
export function shopText(index: number, count: number): string {
  const lines = [`/** Part ${index} of the shop. */`];
  for (let defect = index * 10; defect < Math.min(count, index * 10 + 10); defect += 1) {
    lines.push(`export function price${defect}(items: readonly number[]): number {`);
    lines.push(defectLine(defect));
    lines.push('}', '');
  }
  return `${lines.join('\n')}\n`;
}

export function defectLine(defect: number): string {
  return `  return items[items.length] ?? ${defect};`;
}

/** What a good reviewer says of one of them. */
export function defectFinding(defect: number): ScriptedFinding & { readonly title: string } {
  return {
    path: shopFile(Math.floor(defect / 10)),
    quote: defectLine(defect),
    title: `price${defect} reads one past the end`,
    review: `\`price${defect}\` reads \`items[items.length]\`, which is never there.`,
    severity: 'warning',
  };
}

/** The same matter as another model would say it: more lines, other words, another category. */
export function defectFindingReworded(defect: number): ScriptedFinding {
  return {
    ...defectFinding(defect),
    quote: `export function price${defect}(items: readonly number[]): number {\n${defectLine(defect)}\n}`,
    title: `Index out of bounds (${defect})`,
    review: 'The last valid index is `length - 1`.',
    category: 'maintainability',
  };
}

/** A submission of these defects, and nothing when there are none. */
export function reviewOf(defects: readonly number[], say: (defect: number) => ScriptedFinding = defectFinding): Answer {
  return submit(defects.map(say));
}

/** The same, said otherwise by a model that names the earlier findings which its prompt lists. */
export function rewordedReviewOf(defects: readonly number[], changes: Partial<ScriptedFinding> = {}) {
  return (prompt: string): Answer =>
    reviewOf(defects, (defect) => ({
      ...defectFindingReworded(defect),
      ...changes,
      same_as: knownAs(defect, prompt),
    }));
}

/** The id of the finding on this defect that a prompt lists as raised before. */
export function knownAs(defect: number, prompt: string): string | null {
  return new RegExp(`\\[(p-[0-9a-f]{8}), [^\\]]*\\] \\S+ price${defect} reads`).exec(prompt)?.[1] ?? null;
}

/** Nothing new, and everything that the prompt asks about is fixed, as this line at head proves. */
export function fixedOf(quote: string): (prompt: string) => Answer {
  return (prompt) =>
    submit([], { earlier_findings: askedIn(prompt).map((id) => ({ id, path: null, quote, state: 'fixed' })) });
}

/** The ids of the earlier findings that a prompt asks about. */
export function askedIn(prompt: string): readonly string[] {
  return [...new Set([...prompt.matchAll(/\[(p-[0-9a-f]{8}(?:\.\d+)?)\] /g)].map(([, id = '']) => id))];
}

/** The titles of the comments that stand on the pull request, in order. */
export function titlesOf(github: FakeGitHub): readonly string[] {
  return github.comments().map(({ body }) => /price\d+ reads|Index out of bounds \(\d+\)/.exec(body)?.[0] ?? body);
}

/** A stage whose model says what `say` was last told. */
export async function openShop(count: number, more: Partial<WorldOptions> = {}) {
  let answer: Answer | ((prompt: string) => Answer) = reviewOf([]);
  const world = { ...shopWorld(count), ...more };
  const answers = ({ messages }: { readonly messages: unknown }) =>
    typeof answer === 'function' ? answer(JSON.stringify(messages)) : answer;
  let verdict: (() => Answer) | null = null;
  const model = { answers, verification: () => verdict?.() ?? call('submit_verification', { verdicts: [] }) };
  const check = (next: () => Answer) => {
    verdict = next;
  };
  const stage = await setStage({ world, model });
  const say = (next: typeof answer) => {
    answer = next;
  };
  const scenario = { world, model };
  const runJob = (inputs: Scenario['inputs'] = {}, at: Stage = stage) => play(at, { ...scenario, inputs });
  return { scenario, stage, say, check, runJob };
}

/** The changed lines that the model was never shown: the lower bound of a review is that there are none. */
export function unseenLines(world: World, model: FakeModel): readonly string[] {
  const seen = new Set(model.requests.flatMap((request) => request.messages.flatMap(({ text }) => text.split('\n'))));
  const shown = [...seen].join('\n');
  return changedLines(world).filter((line) => !shown.includes(line.trim()));
}

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
