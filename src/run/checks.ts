import manifest from '../../package.json' with { type: 'json' };
import { readingEnvironment } from '../adapters/git/environment.ts';
import { createGit } from '../adapters/git/git.ts';
import { openLocalPullRequest } from '../adapters/git/local-pull-request.ts';
import type { Model } from '../core/agent/model.ts';
import { reasons } from '../core/errors.ts';
import type { ReviewEvent } from '../core/events.ts';
import type { Changes, PullRequest } from '../core/pull-request/pull-request.ts';
import { renderEvent } from '../core/report/log-line.ts';
import type { Repository } from '../core/repository/repository.ts';
import { exactly, yesOrNo } from '../core/schema.ts';
import { namesConfig, readConfigFiles } from '../core/settings/config-file.ts';
import { type Layer, parseSettings } from '../core/settings/parse-settings.ts';
import type { Settings } from '../core/settings/settings.ts';
import { ownConfigOf } from '../core/settings/shared-config.ts';
import { checkDenyPaths } from '../core/tools/deny-paths.ts';
import { eventPolicyNote } from './event-policy.ts';
import { laptopKeyNames, modelsFor } from './parts.ts';
import { workTreeFiles } from './work-tree.ts';

/** A line of `postil doctor`. It may quote a server or a file, and is not redacted yet. */
export type Check = { readonly name: string; readonly found: string } & (
  | { readonly state: 'ok' }
  /** `todo` is the next step. */
  | { readonly state: 'note' | 'fails'; readonly todo: string }
);

type Machine = {
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly temporaryFolder: string;
  readonly signal: AbortSignal;
  readonly apiKey: string;
  /** Those that hold a key, the one that is used first. */
  readonly keyVariables: readonly string[];
  /** Settings of the environment, what is wrong with them, and the settings without a config file. */
  readonly layer: Layer;
  readonly notes: readonly string[];
  readonly preview: Settings;
};

/** What a first review needs, the cheapest first. The last is one tiny call of the model. */
export async function* checks(machine: Machine): AsyncGenerator<Check> {
  yield checkVersion('Node.js', process.versions.node, manifest.engines.node.replace('>=', ''));
  yield await checkGit(machine);
  yield checkKey(machine.keyVariables);
  const settings = yield* checkRepository(machine);
  yield await checkProxy(machine.environment);
  yield* checkModel(settings ?? machine.preview, machine);
}

const ok = (name: string, found: string): Check => ({ state: 'ok', name, found });
const note = (name: string, found: string, todo: string): Check => ({ state: 'note', name, found, todo });
const fails = (name: string, found: string, todo: string): Check => ({ state: 'fails', name, found, todo });

/** The reasons of an error, and its own next step where it has one. */
function thrown(name: string, error: unknown, todo: string): Check {
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? error.hint : '';
  return fails(name, reasons(error).join(' '), hint || todo);
}

/** Compares numbers with dots between them; what follows the third is left aside. */
function checkVersion(name: string, found: string, needed: string): Check {
  const [has, needs] = [found, needed].map((version) => version.split('.').slice(0, 3).map(Number));
  const difference = (has ?? []).map((part, index) => part - (needs?.[index] ?? 0)).find((part) => part !== 0) ?? 0;
  if (difference >= 0) return ok(name, found);
  return fails(name, `Version ${found || 'unknown'} is too old.`, `Install ${name} ${needed} or later.`);
}

const oldestGit = '2.31';

async function checkGit({ directory, environment, signal, temporaryFolder }: Machine): Promise<Check> {
  try {
    const git = createGit({ directory, environment: readingEnvironment(environment, temporaryFolder), signal });
    // Such as `git version 2.39.5 (Apple Git-154)`.
    const [, , version = ''] = (await git.line(['version'])).split(' ');
    return checkVersion('git', version, oldestGit);
  } catch (error) {
    return thrown('git', error, `Install git ${oldestGit} or later, and have it on PATH.`);
  }
}

function checkKey([used, ...others]: readonly string[]): Check {
  const todo = 'For a review by a model set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';
  if (used === undefined) return note('Key', 'None: the pattern rules alone review.', todo);
  return ok('Key', `From ${used}${others.length === 0 ? '' : ` (${others.join(', ')} is not used)`}.`);
}

/** Gives the settings of the repository; null where they cannot be read. */
async function* checkRepository(machine: Machine): AsyncGenerator<Check, Settings | null> {
  const subject = { kind: 'changes' } as const;
  const opened = await openLocalPullRequest({ ...machine, subject }).catch((error: unknown) =>
    thrown('Repository', error, 'Run it inside a clone of the repository.'),
  );
  if ('state' in opened) {
    yield opened;
    return null;
  }
  const { git, source, reviewing } = opened;
  try {
    const { base } = await source.read();
    yield ok('Repository', reviewing ?? 'There is no change to review now.');
    yield* checkWorkflows(git.repository);
    return yield* checkConfiguration(machine, { base, ...git });
  } finally {
    await git.close();
  }
}

/** As it is at the commit that the change is compared with. */
async function* checkConfiguration(
  { layer, notes, directory, preview: { config } }: Machine,
  { base, repository, changes }: { base: PullRequest['base']; repository: Repository; changes: () => Promise<Changes> },
): AsyncGenerator<Check, Settings | null> {
  const name = 'Configuration';
  try {
    const files = await readConfigFiles(repository, config, namesConfig([layer]));
    const read = parseSettings([layer], files);
    const doubts = await checkDenyPaths(read, { repository, changes, workTree: () => workTreeFiles(directory) });
    const at = `${base.ref} (${base.sha.slice(0, 7)})`;
    yield ok(
      name,
      files.length === 0 ? `None at ${at}: defaults are used.` : `${ownConfigOf(config)} as it is at ${at}.`,
    );
    for (const text of [...notes, ...read.notes, ...doubts]) yield note(name, text, 'Change it where it is set.');
    return read.settings;
  } catch (error) {
    yield thrown(name, error, 'Correct what it names.');
    return null;
  }
}

/** The workflows of the work tree: what is about to be pushed, untracked files too. */
async function* checkWorkflows(repository: Repository): AsyncGenerator<Check> {
  const paths = (await repository.listFiles('head')).map(({ path }) => path);
  const stopped = await eventPolicyNote(paths, repository);
  if (stopped !== null) yield note('Workflows', stopped.found, stopped.todo);
}

async function checkProxy(environment: NodeJS.ProcessEnv): Promise<Check> {
  const { proxyVariable } = await import(/* webpackMode: "eager" */ '../adapters/openai/open-ai-model.ts');
  const variable = proxyVariable(environment);
  if (variable === null) return ok('Proxy', 'None.');
  const address = environment[variable] ?? '';
  if (!URL.canParse(address))
    return fails('Proxy', `${variable} is not an address.`, 'Write it like http://proxy:3128.');
  const without = environment['NO_PROXY'] ?? environment['no_proxy'] ?? '';
  // The address may hold a password.
  const { host } = new URL(address);
  return ok('Proxy', `${host}, from ${variable}${without === '' ? '' : `, but for ${without} (NO_PROXY)`}.`);
}

const ping = {
  name: 'report_ready',
  description: 'Say that you are ready.',
  parameters: exactly({ ready: yesOrNo }),
};
/** Room for a model that thinks first. */
const tokensOfCall = 1_000;
const millisecondsOfCall = 60_000;

/** One call of a tool, and every change that the server requires for it. Without a key there is no call: the key has its own line. */
async function* checkModel(settings: Settings, { apiKey, signal }: Machine): AsyncGenerator<Check> {
  const name = 'Model server';
  const changes: Check[] = [];
  const report = (event: ReviewEvent) => {
    if (event.type !== 'model-adjust') return;
    const todo = 'Reviews do the same by themselves. Where they are weak, try another `model` or server.';
    changes.push(note(name, renderEvent(event)?.text ?? '', todo));
  };
  const images = { readBytes: () => Promise.reject(new Error('Nothing is shown.')) };
  const only = { ...settings, vision: false, embeddingsModel: '', verifyModel: '' };
  try {
    const { host } = new URL(settings.baseUrl);
    const { model } = await modelsFor(only, { apiKey, keyName: laptopKeyNames, subject: 'doctor', images, report });
    const offline = `${host} was not asked: the profile is \`offline\`.`;
    if (model !== null) yield await checkCall(model, { called: `${host}, asked for ${settings.model}`, signal });
    else if (apiKey !== '') yield note(name, offline, 'Choose another `profile` for a review by a model.');
  } catch (error) {
    yield thrown(name, error, 'Check `base-url`, `model` and `api`.');
  }
  yield* changes;
}

async function checkCall(model: Model, { called, signal }: { called: string; signal: AbortSignal }): Promise<Check> {
  const request = {
    messages: [{ role: 'user', text: 'Call report_ready with ready: true.' }],
    ...{ tools: [ping], toolChoice: { tool: ping.name }, maxOutputTokens: tokensOfCall },
  } as const;
  const { message } = await model.answer(request, AbortSignal.any([signal, AbortSignal.timeout(millisecondsOfCall)]));
  if (message.toolCalls.some(({ name }) => name === ping.name)) return ok('Model server', `${called}, called a tool.`);
  const todo = 'Choose a `model` that calls tools, or a lower `reasoning-effort`.';
  return fails('Model server', `${called}, answered without the tool that it was to call.`, todo);
}
