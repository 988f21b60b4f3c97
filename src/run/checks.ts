import manifest from '../../package.json' with { type: 'json' };
import { readingEnvironment } from '../adapters/git/environment.ts';
import { createGit } from '../adapters/git/git.ts';
import { openLocalPullRequest } from '../adapters/git/local-pull-request.ts';
import type { ToolDefinition } from '../core/agent/model.ts';
import { explain } from '../core/errors.ts';
import type { ReviewEvent } from '../core/events.ts';
import type { Repository } from '../core/repository/repository.ts';
import { loadRules } from '../core/rules/load-rules.ts';
import { exactly, yesOrNo } from '../core/schema.ts';
import { configFaults, namesConfig, readConfigFiles } from '../core/settings/config-file.ts';
import { type Layer, parseSettings, previewSettings } from '../core/settings/parse-settings.ts';
import type { Settings } from '../core/settings/settings.ts';
import { ownConfigOf } from '../core/settings/shared-config.ts';
import { grouped } from '../core/text.ts';
import { checkDenyPaths } from '../core/tools/deny-paths.ts';
import { eventPolicyNote } from './event-policy.ts';
import { laptopKeyNames, modelsFor } from './parts.ts';
import { workTreeFiles } from './work-tree.ts';

/** One thing that a run needs, or that changes it. */
export type Check = {
  readonly state: 'ok' | 'note' | 'fails';
  readonly name: string;
  /** One line. It may quote a server or a file, and is not redacted yet. */
  readonly found: string;
  readonly todo?: string;
};

type Machine = {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly temporaryFolder: string;
  readonly signal: AbortSignal;
  readonly apiKey: string;
  /** Those that hold a key, the one that is used first. */
  readonly keyVariables: readonly string[];
  /** Settings of the environment, and what is to be said of it. */
  readonly layer: Layer;
  readonly notes: readonly string[];
};

/** Everything that a local review needs, the cheapest first. The last is one tiny call of the model. */
export async function* checks(machine: Machine): AsyncGenerator<Check> {
  yield nodeCheck(process.versions.node);
  yield await gitCheck(machine);
  yield keyCheck(machine.keyVariables);
  for (const note of machine.notes) yield { state: 'note', name: 'Variables', found: note };
  const settings: Settings[] = [];
  yield* repositoryChecks(machine, (read) => settings.push(read));
  const { proxyVariable } = await import(/* webpackMode: "eager" */ '../adapters/openai/open-ai-model.ts');
  yield proxyCheck(proxyVariable(machine.environment), machine.environment);
  yield* modelChecks(settings[0] ?? previewSettings([machine.layer]), machine);
}

function nodeCheck(version: string): Check {
  const needed = manifest.engines.node.replace('>=', '');
  const isEnough = compare(version, needed) >= 0;
  const todo = isEnough ? {} : { todo: `Install Node.js ${needed} or later.` };
  return { state: isEnough ? 'ok' : 'fails', name: 'Node.js', found: version, ...todo };
}

const oldestGit = '2.31';

async function gitCheck({ directory, environment, signal, temporaryFolder }: Machine): Promise<Check> {
  const name = 'git';
  const todo = `Install git ${oldestGit} or later, and have it on PATH.`;
  try {
    const git = createGit({ directory, environment: readingEnvironment(environment, temporaryFolder), signal });
    // Such as `git version 2.39.5 (Apple Git-154)`.
    const [, , version = ''] = (await git.line(['version'])).split(' ');
    return compare(version, oldestGit) >= 0
      ? { state: 'ok', name, found: version }
      : { state: 'fails', name, found: `Version ${version || 'unknown'} is too old.`, todo };
  } catch {
    return { state: 'fails', name, found: 'git could not be started.', todo };
  }
}

/** Of versions; below zero where the first is older. */
function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split('.').slice(0, 3).map(Number));
  const difference = (left ?? []).map((part, index) => part - (right?.[index] ?? 0)).find((part) => part !== 0);
  return Number.isNaN(difference) ? -1 : (difference ?? 0);
}

function keyCheck([used, ...others]: readonly string[]): Check {
  const name = 'Key';
  if (used === undefined) {
    const todo = 'For a review by a model set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';
    return { state: 'note', name, found: 'None: the pattern rules alone review.', todo };
  }
  const rest = others.length === 0 ? '' : ` (${others.join(', ')} is not used)`;
  return { state: 'ok', name, found: `From ${used}${rest}.` };
}

/** The repository, and what of it a review reads: as it is at the commit that the change is compared with. */
async function* repositoryChecks(machine: Machine, onSettings: (settings: Settings) => void): AsyncGenerator<Check> {
  let opened: Awaited<ReturnType<typeof openLocalPullRequest>>;
  try {
    opened = await openLocalPullRequest({ ...machine, subject: { kind: 'changes' } });
  } catch (error) {
    yield { state: 'fails', name: 'Repository', ...told(error) };
    return;
  }
  const { git, source, reviewing } = opened;
  try {
    const { base } = await source.read();
    yield { state: 'ok', name: 'Repository', found: reviewing ?? 'There is no change to review now.' };
    const at = `${base.ref} (${base.sha.slice(0, 7)})`;
    const { config } = previewSettings([machine.layer]);
    const path = ownConfigOf(config);
    try {
      const files = await readConfigFiles(git.repository, config, namesConfig([machine.layer]));
      const parsed = parseSettings([machine.layer], files);
      const workTree = () => workTreeFiles(machine.directory);
      const doubts = await checkDenyPaths(parsed, { repository: git.repository, changes: git.changes, workTree });
      onSettings(parsed.settings);
      const found = files.length === 0 ? `None at ${at}: defaults are used.` : `${path} as it is at ${at}.`;
      yield { state: 'ok', name: 'Configuration', found };
      for (const note of [...parsed.notes, ...doubts]) yield { state: 'note', name: 'Configuration', found: note };
    } catch (error) {
      yield { state: 'fails', name: 'Configuration', ...told(error) };
    }
    yield* workTreeChecks(git.repository, { path, at });
    yield* workflowChecks(git.repository);
    const { rules, problems } = await loadRules(git.repository);
    const own = rules.filter(({ origin }) => origin === 'repository').length;
    const count = `${rules.length - own} built-in, ${own} of this repository at ${at}.`;
    if (problems.length === 0) yield { state: 'ok', name: 'Rules', found: count };
    for (const found of problems) {
      yield { state: 'fails', name: 'Rules', found, todo: '`postil rules` runs their examples while you fix them.' };
    }
  } finally {
    await git.close();
  }
}

/** The config file in the work tree, where that is another one than what counts. */
async function* workTreeChecks(
  repository: Repository,
  { path, at }: { readonly path: string; readonly at: string },
): AsyncGenerator<Check> {
  const [now, counting] = await Promise.all([repository.readFile(path, 'head'), repository.readFile(path, 'base')]);
  if (now.kind !== 'text' || (counting.kind === 'text' && counting.text === now.text)) return;
  const name = 'Configuration';
  const [fault] = configFaults(now.text);
  if (fault === undefined) {
    yield { state: 'note', name, found: `Your changes to ${path} are valid, and count once they are at ${at}.` };
    return;
  }
  const found = `Your changes to ${path} have a mistake in line ${fault.line}: ${fault.text}.`;
  yield {
    state: 'fails',
    name,
    found,
    todo: 'Fix it before you commit: every run fails with such a file at the base.',
  };
}

/** The workflows of the work tree: what is about to be pushed, untracked files too. */
async function* workflowChecks(repository: Repository): AsyncGenerator<Check> {
  const paths = (await repository.listFiles('head')).map(({ path }) => path);
  const note = await eventPolicyNote(paths, repository);
  if (note !== null) yield { state: 'note', name: 'Workflows', ...note };
}

function proxyCheck(variable: string | null, environment: NodeJS.ProcessEnv): Check {
  const name = 'Proxy';
  if (variable === null) return { state: 'ok', name, found: 'None.' };
  const without = environment['NO_PROXY'] ?? environment['no_proxy'] ?? '';
  const rest = without === '' ? '' : `, but for ${without} (NO_PROXY)`;
  try {
    // The address may hold a password.
    const { host } = new URL(environment[variable] ?? '');
    return { state: 'ok', name, found: `${host}, from ${variable}${rest}.` };
  } catch {
    return { state: 'fails', name, found: `${variable} is not an address.`, todo: 'Write it like http://proxy:3128.' };
  }
}

const ping: ToolDefinition = {
  name: 'report_ready',
  description: 'Say that you are ready.',
  parameters: exactly({ ready: yesOrNo }),
};
/** Room for a model that thinks first. */
const tokensOfCall = 1_000;
const millisecondsOfCall = 60_000;

type Adjustment = Extract<ReviewEvent, { type: 'model-adjust' }>;

async function* modelChecks(settings: Settings, { apiKey, signal }: Machine): AsyncGenerator<Check> {
  const { baseUrl, model: called } = settings;
  const { host } = new URL(baseUrl);
  const name = 'Model server';
  if (apiKey === '' || settings.profile === 'offline') {
    const why = apiKey === '' ? 'there is no key' : 'the profile is `offline`';
    yield { state: 'note', name, found: `${host} was not asked: ${why}.` };
    return;
  }
  const ending = AbortSignal.any([signal, AbortSignal.timeout(millisecondsOfCall)]);
  const adjusted: Adjustment[] = [];
  let streamed = false;
  const startedAt = performance.now();
  try {
    const report = (event: ReviewEvent) => void (event.type === 'model-adjust' && adjusted.push(event));
    const images = { readBytes: () => Promise.reject(new Error('Nothing is shown.')) };
    const own = { ...settings, vision: false, embeddingsModel: '', verifyModel: '' };
    const { model } = await modelsFor(own, {
      apiKey,
      keyName: laptopKeyNames,
      subject: 'doctor',
      images,
      report,
    });
    if (model === null) return;
    const answer = await model.answer(
      {
        messages: [{ role: 'user', text: 'Call report_ready with ready: true.' }],
        tools: [ping],
        toolChoice: { tool: ping.name },
        maxOutputTokens: tokensOfCall,
        onProgress: () => {
          streamed = true;
        },
      },
      ending,
    );
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    yield { state: 'ok', name, found: `${host} answered as ${called} in ${seconds} s.` };
    yield toolsCheck(
      answer.message.toolCalls.some((call) => call.name === ping.name),
      { end: answer.end, adjusted },
    );
  } catch (error) {
    yield { state: 'fails', name, ...told(error) };
    return;
  }
  yield streamingCheck(streamed, { settings, adjusted });
  yield schemasCheck(adjusted);
  const { contextWindow } = await import(/* webpackMode: "eager" */ '../adapters/openai/open-ai-model.ts');
  const tokens = await contextWindow({ ...settings, apiKey, model: called }, ending);
  const found = tokens === null ? 'The server does not say.' : `${grouped(tokens)} tokens.`;
  yield { state: 'ok', name: 'Context', found };
}

const lacksTools = /^calling tools in text/;
const lacksStream = /^not streaming/;
const lacksStrict = /\bstrict\b/;

function toolsCheck(
  called: boolean,
  { end, adjusted }: { readonly end: string; readonly adjusted: readonly Adjustment[] },
): Check {
  const name = 'Tools';
  const step = adjusted.find(({ change }) => lacksTools.test(change));
  if (!called) {
    const found =
      end === 'length'
        ? `Not called within ${grouped(tokensOfCall)} tokens.`
        : 'The model did not call the tool that it was asked for.';
    return { state: 'fails', name, found, todo: 'Choose a `model` that calls tools, or a lower `reasoning-effort`.' };
  }
  if (step === undefined) return { state: 'ok', name, found: 'Called as asked.' };
  const todo = 'Reviews work, less reliably. A server with function calling is better.';
  return { state: 'note', name, found: `Called in text: ${step.because}`, todo };
}

function streamingCheck(
  streamed: boolean,
  { settings, adjusted }: { readonly settings: Settings; readonly adjusted: readonly Adjustment[] },
): Check {
  const name = 'Streaming';
  if (streamed) return { state: 'ok', name, found: 'Yes.' };
  if (!settings.stream) return { state: 'ok', name, found: 'Switched off (`stream: false`).' };
  const because = adjusted.find(({ change }) => lacksStream.test(change))?.because ?? 'the server answers whole';
  return { state: 'note', name, found: `No: ${because}` };
}

function schemasCheck(adjusted: readonly Adjustment[]): Check {
  const step = adjusted.find(({ change }) => lacksStrict.test(change) || lacksTools.test(change));
  const name = 'Schemas';
  if (step === undefined) return { state: 'ok', name, found: 'Strict schemas are accepted.' };
  return { state: 'note', name, found: `Not held by the server, so Postil checks every call itself: ${step.because}` };
}

/** The reasons of an error, and the next step apart from them where it has one. */
function told(error: unknown): Pick<Check, 'found' | 'todo'> {
  if (!(error instanceof Error) || !('hint' in error) || typeof error.hint !== 'string')
    return { found: explain(error) };
  const found = explain(new Error(error.message, { cause: error.cause }));
  return error.hint === '' ? { found } : { found, todo: error.hint };
}
