import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folderRules } from '../adapters/files/folder.ts';
import { readRegularFile } from '../adapters/files/recorders.ts';
import { findWorkTree } from '../adapters/git/checkout.ts';
import { openLocalPullRequest } from '../adapters/git/local-pull-request.ts';
import type { LocalSubject } from '../adapters/git/local-subject.ts';
import { VirtualClock } from '../adapters/replay/virtual-clock.ts';
import { languageFor } from '../adapters/syntax/languages.ts';
import { openSyntax } from '../adapters/syntax/syntax.ts';
import { answerRequest } from '../core/answer-request.ts';
import { UserError } from '../core/errors.ts';
import type { Reporter } from '../core/events.ts';
import { type Asked, askedHere, settingsFor } from '../core/memory/asked.ts';
import type { Repository } from '../core/repository/repository.ts';
import type { Review } from '../core/review/review.ts';
import type { Destination, ReviewRecord } from '../core/review/sink.ts';
import { type ReviewParts, reviewPullRequest } from '../core/review-pull-request.ts';
import { createRedactor, type Redactor } from '../core/secrets/redact.ts';
import { namesConfig, readConfigFiles } from '../core/settings/config-file.ts';
import { type Layer, parseSettings } from '../core/settings/parse-settings.ts';
import type { Settings } from '../core/settings/settings.ts';
import { ownConfigOf } from '../core/settings/shared-config.ts';
import { checkDenyPaths } from '../core/tools/deny-paths.ts';
import { compareRuns, endLineOf } from '../core/transcript/record.ts';
import { replayParts, toldDifferences } from '../core/transcript/replay.ts';
import { parseTranscript, type Transcript } from '../core/transcript/transcript.ts';
import { systemClock, type Tokens } from './machine.ts';
import { announce, laptopKeyNames, modelsFor, readChangesFor, recorded, startParser } from './parts.ts';
import { globsFor, trusting, whatDiffers, workTreeFiles } from './work-tree.ts';

/** What is on this machine, or a pull request on GitHub by its number or address. */
export type ReviewSubject = LocalSubject | { readonly kind: 'pull-request'; readonly named: string };

export type LocalContext = {
  readonly command: {
    readonly directory: string;
    readonly subject: ReviewSubject;
    /** Files, folders and globs of it, all where there are none. */
    readonly paths?: readonly string[];
    /** Configuration and rules are those of the work tree, instead of those at the base commit. */
    readonly trustConfig?: boolean;
  };
  readonly apiKey: string;
  /** For a pull request on GitHub. */
  readonly tokens?: Tokens;
  readonly environment: NodeJS.ProcessEnv;
  /** Flags and environment. */
  readonly trusted: readonly Layer[];
  /** The settings as they are without the config file. */
  readonly preview: Settings;
  readonly notes: readonly string[];
  readonly report: Reporter;
  /** Takes secrets out of a text. */
  readonly redact: Redactor;
  readonly destinations: readonly Destination[];
  readonly temporaryFolder: string;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** Those behind the endpoint when left out. */
  readonly models?: typeof modelsFor;
  /** A question about the change; left out for a review. */
  readonly asked?: Asked;
};

/** Commits or uncommitted changes on a laptop, with everything their review needs. @throws UserError */
export async function openLocal(
  context: LocalContext,
): Promise<{ readonly parts: ReviewParts; readonly close: () => Promise<void> }> {
  const { command, report, destinations, apiKey, startedAt, signal, asked } = context;
  const syntax = openSyntax({ onProblem: (text) => report({ type: 'warning', text }) });
  const parser = startParser(syntax, context);
  const { git, source, reviewing } = await openSubject(context).catch(async (error: unknown) => {
    await syntax.close();
    throw error;
  });
  const close = async () => {
    await Promise.all([git.close(), syntax.close()]);
  };
  try {
    if (reviewing !== null) report({ type: 'note', text: reviewing });
    const pullRequest = await source.read();
    // Git computes it while the configuration is read and the model's client loaded.
    const diff = readChangesFor(parser, () => source.changes(pullRequest))();
    diff.catch(() => undefined);
    const trusted = [...(await pathLayer(command, diff)), ...context.trusted];
    const { repository, differs } = await decidingFiles(git.repository, context);
    const files = await readConfigFiles(repository, context.preview.config, namesConfig(trusted));
    const usual = parseSettings(trusted, files);
    // That of a pull request's number may be of another repository.
    const workTree = async () =>
      command.subject.kind === 'pull-request' ? [] : await workTreeFiles(command.directory);
    const doubts = await checkDenyPaths(usual, { repository, changes: () => diff, workTree });
    const { settings, notes: fromSettings } =
      asked === undefined ? usual : parseSettings([askedLayer(asked, usual.settings), ...trusted], files);
    const notes = [...context.notes, ...(differs === null ? [] : [differs]), ...fromSettings, ...doubts];
    const models = await (context.models ?? modelsFor)(settings, {
      apiKey,
      keyName: laptopKeyNames,
      subject: pullRequest.base.sha,
      images: git.images,
      report,
    });
    const subject = reviewing === null ? null : pullRequest.title;
    announce(report, { settings, model: models.model, notes, subject, answering: asked !== undefined });
    // Nothing is posted here, so nothing is limited.
    const local = { ...settings, maxComments: Number.MAX_SAFE_INTEGER };
    const { search } = git;
    const history = git.hasPast ? git.history : null;
    const read = { pullRequest, repository, search, history, changes: () => diff, syntax };
    const started = { isByHand: true, ...(asked === undefined ? {} : { asked }) };
    const told = { report, destinations, notes, handOver: null, ...started };
    const clocks = { clock: systemClock, random: Math.random, startedAt, signal };
    const nowhere = { identity: null, past: null, signs: false };
    const parts = { settings: local, ...nowhere, ...read, ...models, ...told, ...clocks };
    return { parts: recorded(parts, context.redact), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The repository that a review is decided by, and what of the work tree differs from what was decided by, in a line. */
async function decidingFiles(
  repository: Repository,
  { command, preview }: LocalContext,
): Promise<{ readonly repository: Repository; readonly differs: string | null }> {
  const { directory, subject, trustConfig = false } = command;
  // The work tree may be one of another repository.
  if (subject.kind === 'pull-request' && !trustConfig) return { repository, differs: null };
  const workTree = await findWorkTree(directory);
  if (workTree === null) {
    if (!trustConfig) return { repository, differs: null };
    const hint = 'Leave out --trust-config, or name a folder of a work tree with --directory.';
    throw new UserError(`There is no configuration to trust: ${directory} is in no work tree.`, { hint });
  }
  const deciding = { repository, own: folderRules(workTree), config: ownConfigOf(preview.config) };
  const differs = await whatDiffers(deciding, trustConfig);
  return { repository: trustConfig ? trusting(deciding) : repository, differs };
}

async function pathLayer(
  { directory, paths = [] }: LocalContext['command'],
  changes: ReturnType<ReviewParts['changes']>,
): Promise<readonly Layer[]> {
  if (paths.length === 0) return [];
  const workTree = (await findWorkTree(directory)) ?? directory;
  const globs = await globsFor(paths, { directory, workTree, changed: async () => (await changes).files });
  return [{ where: 'path', trusted: true, values: { include: globs.join('\n') } }];
}

/** Its own code is large, and few need it. */
async function openSubject(context: LocalContext) {
  const { directory, subject } = context.command;
  if (subject.kind !== 'pull-request') return await openLocalPullRequest({ ...context, directory, subject });
  const { openPullRequestHere } = await import(/* webpackMode: "eager" */ './pull-request-here.ts');
  const { pullRequest, sources, reviewing } = await openPullRequestHere(
    { ...context, directory, tokens: context.tokens ?? { gitHub: '', enterprise: '' } },
    subject.named,
  );
  for (const text of sources.notes) context.report({ type: 'note', text });
  const source = { read: async () => pullRequest, changes: sources.changes };
  return { git: { ...sources, hasPast: true }, source, reviewing };
}

/** A question is shallow, whatever depth reviews have. */
function askedLayer(asked: Asked, usual: Settings): Layer {
  return { where: 'question', trusted: true, values: settingsFor(asked, usual) };
}

/**
 * A question about the change, answered by the same bounded agent as a comment: `answer` of the review holds it, and is missing where the run failed or
 * was cancelled.
 *
 * @throws UserError without a question, a model or a change
 */
export async function askAboutChange(context: LocalContext, question: string): Promise<Review> {
  const asked = askedHere(question.trim());
  if (question.trim() === '') throw new UserError('The question is missing.', { hint: 'Ask about the change.' });
  const { parts, close } = await openLocal({ ...context, asked });
  try {
    if (parts.model === null) throw nobodyAnswers(parts.settings);
    const { nothing } = await parts.changes();
    if (nothing !== undefined) {
      throw new UserError(`There is no change to ask about. ${nothing}`, {
        hint: 'Change something, or name commits.',
      });
    }
    return (await answerRequest(parts, asked)).review;
  } finally {
    await close();
  }
}

function nobodyAnswers({ profile }: Settings): UserError {
  const hint =
    profile === 'offline'
      ? 'Choose another `profile` than `offline`.'
      : 'Set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';
  return new UserError('A question takes a model to answer it.', { hint });
}

export type Replayed = {
  readonly record: ReviewRecord;
  /** How it differs from the recording, one sentence each; empty when it does not. */
  readonly differences: readonly string[];
};

/** A recorded review of a change to an open-source project, which ships with Postil: beside `dist`, or `src` in a checkout. */
async function demonstration(): Promise<string> {
  const folder = dirname(await realpath(process.argv[1] ?? '.'));
  const places = ['../..', '..'].map((up) => join(folder, up, 'demo', 'transcript.jsonl'));
  return places.find((place) => existsSync(place)) ?? join(folder, 'demo', 'transcript.jsonl');
}

/** Runs a recorded review again, without a model, a network or git. @throws UserError for a file that is no transcript */
export async function replay(
  path: string | null,
  options: { report: Reporter; destinations: readonly Destination[]; onClock?: (now: () => number) => void },
): Promise<Replayed> {
  const { report, destinations, onClock } = options;
  const transcript = openTranscript(path ?? (await demonstration()));
  const { start, end } = transcript;
  const clock = new VirtualClock(start.recorded_at);
  onClock?.(clock.now);
  const { parts, divergences, hidden } = replayParts(transcript, {
    ...{ clock, report, destinations, redact: createRedactor([]), signal: new AbortController().signal },
    languageOf: (path) => languageFor(path)?.name ?? null,
  });
  report({
    type: 'review-start',
    version: start.postil,
    model: parts.model === null ? null : start.settings.model,
    profile: start.settings.profile,
    subject: `${start.pull_request.title} (replayed)`,
  });
  // A reflection is a call of the recording, too.
  const { asked } = parts;
  const record = await clock.drive(asked === undefined ? reviewPullRequest(parts) : answerRequest(parts, asked));
  const differences = [...divergences(), ...compareRuns(end, endLineOf(record))];
  return { record, differences: toldDifferences(differences, hidden()) };
}

function readNamed(path: string): string {
  try {
    return readRegularFile(path);
  } catch (cause) {
    throw new UserError(`The transcript ${path} could not be read.`, { hint: 'Check the path.', cause });
  }
}

/** @throws UserError for a file that is none */
export function openTranscript(path: string): Transcript {
  const parsed = parseTranscript(readNamed(path));
  if (parsed.ok) return parsed.value;
  const problem = `${path} is not a transcript that this version of Postil can replay: ${parsed.problems.join('; ')}.`;
  throw new UserError(problem, { hint: 'Give a file that `transcript-file` recorded.' });
}
