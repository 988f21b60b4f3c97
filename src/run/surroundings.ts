import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from '../../package.json' with { type: 'json' };
import { progressFile, transcriptFile } from '../adapters/files/recorders.ts';
import { targetOf } from '../adapters/files/write.ts';
import { type ImageFiles, openImageCodec } from '../adapters/images/codec.ts';
import type { OpenSyntax } from '../adapters/syntax/syntax.ts';
import type { Clock } from '../core/agent/agent.ts';
import { UserError } from '../core/errors.ts';
import { combineReporters, type Reporter } from '../core/events.ts';
import { repositoryImages } from '../core/images/images.ts';
import { timeline } from '../core/report/timeline.ts';
import type { RunFacts } from '../core/report/wording.ts';
import type { ImageSource } from '../core/repository/repository.ts';
import type { ReviewLimits } from '../core/review/review.ts';
import { learningSecrets, type ReviewParts } from '../core/review-pull-request.ts';
import type { Redactor } from '../core/secrets/redact.ts';
import { isSettingName, settingNames } from '../core/settings/definitions.ts';
import type { NamedFiles } from '../core/settings/files.ts';
import type { Layer } from '../core/settings/parse-settings.ts';
import { temperatureOf } from '../core/settings/problems.ts';
import { nearest } from '../core/settings/setting.ts';
import { deadlines, type Settings } from '../core/settings/settings.ts';
import { recordParts } from '../core/transcript/record.ts';
import { onceStopped, type StopSignal, tell, tellSteps } from './watched.ts';

export const version: string = manifest.version;

/**
 * The clock of this machine as it was when the process began, and the time since: whoever sets it meanwhile moves no deadline. Waiting ends early,
 * without an error, when the run is aborted.
 */
export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  wait: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};

/** Aborts at the first signal that stops, such as SIGINT. A second one ends the run at once. */
export function cancelOnSignals(onSignal: (signal: StopSignal) => void = () => undefined): AbortSignal {
  const controller = new AbortController();
  onceStopped((signal) => {
    onSignal(signal);
    controller.abort();
  });
  return controller.signal;
}

/** Tells the process that watches by when the run must have ended: again, once the config file was read. */
export function tellEnd(startedAt: number, timeoutMinutes: number, clock: Clock = systemClock): void {
  tell({ seconds: (deadlines(startedAt, timeoutMinutes).end - clock.now()) / 1_000 });
}

/** A temporary folder of this run; `remove` deletes it and never throws. */
export async function temporaryFolder(
  parent: string | undefined,
): Promise<{ path: string; remove: () => Promise<void> }> {
  const inSystem = () => mkdtemp(join(tmpdir(), 'postil-'));
  // A parent that cannot be written to must not end the run before it can report it.
  const path = await (parent === undefined || parent === ''
    ? inSystem()
    : mkdtemp(join(parent, 'postil-')).catch(inSystem));
  const remove = () => rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  return { path, remove };
}

const variablePrefix = 'POSTIL_';
const secretVariables = ['POSTIL_API_KEY', 'POSTIL_STATE_KEY'];

/** Settings from variables such as POSTIL_MAX_COMMENTS. Misspelled ones are reported, and those of settings that are `unused` here. */
export function environmentLayer(environment: NodeJS.ProcessEnv, unused: readonly string[] = []): TrustedLayer {
  const values: Record<string, string> = {};
  const notes: string[] = [];
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith(variablePrefix) || secretVariables.includes(variable)) continue;
    const name = variable.slice(variablePrefix.length).toLowerCase().replaceAll('_', '-');
    if (unused.includes(name)) {
      notes.push(
        `${variable} has no effect: '${name}' is an input of the action, and the command line has no use for it.`,
      );
    } else if (isSettingName(name)) values[name] = value ?? '';
    else notes.push(unknownName(`variable ${variable}`, { name, spell: variableOf }));
  }
  return { layer: { where: 'environment (POSTIL_…)', trusted: true, values }, notes };
}

type TrustedLayer = { readonly layer: Layer; readonly notes: readonly string[] };

/** Inputs as a layer. The runner hands over whatever a workflow wrote, misspelled names too: those are reported, not obeyed. */
export function inputLayer(inputs: Readonly<Record<string, string>>): TrustedLayer {
  const values = Object.fromEntries(Object.entries(inputs).filter(([name]) => isSettingName(name)));
  const unknown = Object.keys(inputs).filter((name) => !isSettingName(name));
  const notes = unknown.map((name) => unknownName(`input '${name}'`, { name, spell: (guess) => guess }));
  return { layer: { where: 'input', trusted: true, values }, notes };
}

function unknownName(written: string, { name, spell }: { name: string; spell: (name: string) => string }): string {
  const guess = nearest(name, settingNames);
  return `Postil has no ${written}${guess === null ? '.' : `; did you mean '${spell(guess)}'?`}`;
}

function variableOf(name: string): string {
  return `${variablePrefix}${name.toUpperCase().replaceAll('-', '_')}`;
}

/** The first words of a run: what is reviewed, null where there is nothing, by what, and what a person should know before. */
export function announce(
  report: Reporter,
  run: Pick<ReviewParts, 'settings' | 'model' | 'notes'> & {
    readonly subject: string | null;
    /** Of the review that another job made and this one posts. */
    readonly made?: ReviewLimits | null;
  },
): void {
  const { settings, model, notes, subject, made = null } = run;
  const by = made ?? { model: model === null ? null : settings.model, profile: settings.profile };
  const start = { type: 'review-start', version, model: by.model, profile: by.profile } as const;
  if (subject !== null) report({ ...start, subject, ...(made === null ? {} : { posting: true }) });
  for (const text of notes) report({ type: 'note', text });
}

/** Starts the parser for a run that will ask a model, unless the config file says otherwise: it takes as long as git and all the rest. Else null. */
export function startParser(
  syntax: OpenSyntax,
  { apiKey, preview }: { readonly apiKey: string; readonly preview: Settings },
): OpenSyntax | null {
  if (apiKey === '' || preview.profile === 'offline') return null;
  syntax.prepare([]);
  return syntax;
}

/** Files of a change whose grammars are loaded beside the plan, and the files of a change for which that is done. */
const preparedFiles = 30;
const mostPrepared = 1_000;

/** The diff. As soon as it is known the parser loads its grammars: it takes as long as everything else before the first call of the model. */
export function readChangesFor(
  syntax: OpenSyntax | null,
  changes: () => ReturnType<ReviewParts['changes']>,
): ReviewParts['changes'] {
  if (syntax === null) return changes;
  return async () => {
    const read = await changes();
    const present = read.files.filter(({ status, kind }) => status !== 'deleted' && kind === 'text');
    // Of a very large change the memory is needed first, and its first question is not near.
    if (present.length <= mostPrepared) syntax.prepare(present.slice(0, preparedFiles).map(({ path }) => path));
    return read;
  };
}

/** The given reporter, who watches over the run, and the progress file when it is named. */
export function reporterFor(
  first: Reporter,
  { path, redact }: { path: string; redact: (text: string) => string },
): Reporter {
  const told = combineReporters(first, tellSteps(redact));
  if (path === '') return told;
  const warn = (text: string) => first({ type: 'warning', text });
  return combineReporters(told, progressFile(path, { now: systemClock.now, warn, redact }));
}

/**
 * Tells of what cannot be written before a review is paid for; `read` is a file that must stay as it is.
 *
 * @throws UserError for it, and for one that another would overwrite. With `onProblem` only for the latter.
 */
export function requireWritable(
  named: NamedFiles,
  { read = '', onProblem }: { read?: string; onProblem?: (text: string) => void } = {},
): void {
  const source = read === '' ? null : targetOf(read);
  const takenBy = new Map(source?.kind === 'file' ? [[identityOf(source), 'the file that is read']] : []);
  const problems = Object.entries(named).flatMap(([name, path]) => {
    if (path === '') return [];
    const target = targetOf(path);
    if (target.kind === 'none') {
      const problem = `'${name}' names ${path}, which cannot be written: ${target.problem}.`;
      if (onProblem === undefined) return [problem];
      onProblem(problem);
      return [];
    }
    // A device keeps nothing that could be overwritten.
    if (target.kind !== 'file') return [];
    const other = takenBy.get(identityOf(target));
    takenBy.set(identityOf(target), `the file of '${name}'`);
    return other === undefined ? [] : [`'${name}' names ${path}, ${other}: one would overwrite the other.`];
  });
  if (problems.length > 0) throw new UserError(problems.join(' '), { hint: 'Name a file in a writable folder.' });
}

/** The same for all names of one file, hard links too. */
function identityOf({ path, stats }: { readonly path: string; readonly stats: Stats | null }): string {
  return stats === null || stats.ino === 0 ? path : `${stats.dev}:${stats.ino}`;
}

/** What reports say of the run itself, and the reporter that takes it down. `now` counts milliseconds since 1970. */
export function takeDownRun(
  url: string | null,
  now: () => number,
): { readonly report: Reporter; readonly run: RunFacts } {
  const { report, entries, startedAt } = timeline(now);
  return { report, run: { version, startedAt: () => new Date(startedAt()).toISOString(), url, timeline: entries } };
}

/** The models of a run, behind one endpoint: none without a key and in the `offline` profile. @throws UserError for a key that cannot be sent */
export async function modelsFor(
  settings: Settings,
  access: {
    apiKey: string;
    /** What is reviewed: its runs share a cache at the server. */
    subject: string;
    /** Where images are read. */
    images: ImageSource;
    report: Reporter;
    /** Of the converter; what the build wrote when left out. */
    imageFiles?: ImageFiles | undefined;
  },
): Promise<Pick<ReviewParts, 'model' | 'verifyModel' | 'images' | 'embedder'>> {
  const { apiKey, subject, report } = access;
  if (apiKey === '' || settings.profile === 'offline') return { model: null, verifyModel: null, embedder: null };
  // Loaded when there is a key: the SDK takes a fifth of the start.
  const { openAiEmbedder, openAiModel, useProxyFromEnvironment } = await import(
    /* webpackMode: "eager" */ '../adapters/openai/open-ai-model.ts'
  );
  await useProxyFromEnvironment();
  const named = (model: string) =>
    openAiModel({
      apiKey,
      model,
      baseUrl: settings.baseUrl,
      api: settings.api,
      temperature: temperatureOf(settings),
      reasoningEffort: settings.reasoningEffort,
      stream: settings.stream,
      extraHeaders: settings.extraHeaders,
      extraQuery: settings.extraQuery,
      extraBody: settings.extraBody,
      // The same for every run on a pull request: its prompts begin alike.
      cacheKey: `postil-${createHash('sha256').update(subject).digest('hex').slice(0, 24)}`,
      onAdjust: ({ change, because }) => report({ type: 'model-adjust', change, because }),
    });
  const { model, verify, verifyModel, embeddingsModel } = settings;
  const another = verify && verifyModel !== '' && verifyModel !== model;
  const models = {
    model: named(model),
    verifyModel: another ? named(verifyModel) : null,
    embedder: embeddingsModel === '' ? null : openAiEmbedder({ ...settings, apiKey, model: embeddingsModel }),
  };
  if (!settings.vision) return models;
  const codec = openImageCodec({
    onProblem: (text) => report({ type: 'warning', text }),
    ...(access.imageFiles === undefined ? {} : { files: access.imageFiles }),
  });
  return { ...models, images: repositoryImages(access.images, codec) };
}

/** The parts, which name the credentials of a diff before it is written anywhere, recorded where `transcript-file` names a file. */
export function recorded(unrecorded: ReviewParts, redact: Redactor): ReviewParts {
  const parts = learningSecrets(unrecorded, redact.learn);
  const path = parts.settings.transcriptFile;
  if (path === '') return parts;
  const { write, finish } = transcriptFile(path, { redact, warn: (text) => parts.report({ type: 'warning', text }) });
  return recordParts(parts, { write, finish, path, redact, version });
}
