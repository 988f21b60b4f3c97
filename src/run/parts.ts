import { createHash } from 'node:crypto';
import { transcriptFile } from '../adapters/files/recorders.ts';
import { type ImageFiles, openImageCodec } from '../adapters/images/codec.ts';
import type { OpenSyntax } from '../adapters/syntax/syntax.ts';
import type { Model } from '../core/agent/model.ts';
import type { Reporter } from '../core/events.ts';
import { type Images, repositoryImages } from '../core/images/images.ts';
import type { Embedder } from '../core/knowledge/by-meaning.ts';
import { languages, translatorFor } from '../core/messages/languages.ts';
import type { Changes } from '../core/pull-request/pull-request.ts';
import { timeline } from '../core/report/timeline.ts';
import type { RunFacts } from '../core/report/wording.ts';
import type { ImageSource } from '../core/repository/repository.ts';
import type { ReviewLimits } from '../core/review/review.ts';
import { learningSecrets, type ReviewParts } from '../core/review-pull-request.ts';
import type { Redactor } from '../core/secrets/redact.ts';
import { temperatureOf } from '../core/settings/problems.ts';
import type { Settings } from '../core/settings/settings.ts';
import { recordParts } from '../core/transcript/record.ts';
import { version } from './machine.ts';

/** What the first lines of a run tell. */
export type Announcement = {
  readonly settings: Settings;
  /** Null where no model is asked. */
  readonly model: Model | null;
  /** What a person should know before. */
  readonly notes: readonly string[];
  /** What is reviewed; null where there is nothing. */
  readonly subject: string | null;
  /** Limits of the review that another job made and this one posts; null where this job reviews. */
  readonly made: ReviewLimits | null;
  readonly answering: boolean;
};

/** Reports what is reviewed, by which model, and the notes. */
export function announce(report: Reporter, run: Announcement): void {
  const { settings, model, notes, subject, made, answering } = run;
  const { mode, shard, profile } = settings;
  const by = made ?? { model: model === null ? null : settings.model, profile };
  if (subject !== null) {
    report({
      type: 'review-start',
      version,
      model: by.model,
      profile: by.profile,
      subject,
      posting: made === null ? undefined : true,
      answering: answering ? true : undefined,
      planning: mode === 'plan' ? true : undefined,
      shard: shard === '' ? undefined : shard,
    });
  }
  for (const text of notes) report({ type: 'note', text });
  if (translatorFor(settings.language) === null) report({ type: 'note', text: unspoken(settings.language) });
}

function unspoken(language: string): string {
  return `The model writes in ${language} (\`language\`). What Postil itself writes stays English: it speaks ${languages.join(', ')}.`;
}

/** What reports say of the run itself, and the reporter that takes it down. `now` counts milliseconds since 1970. */
export function takeDownRun(
  url: string | null,
  now: () => number,
): { readonly report: Reporter; readonly run: RunFacts } {
  const { report, entries, startedAt } = timeline(now);
  return { report, run: { version, startedAt: () => new Date(startedAt()).toISOString(), url, timeline: entries } };
}

/** Starts the parser for a run that will ask a model, unless the config file says otherwise: it takes as long as git and all the rest. Else null. */
export function startParser(syntax: OpenSyntax, apiKey: string, preview: Settings): OpenSyntax | null {
  if (apiKey === '' || preview.profile === 'offline') return null;
  syntax.prepare([]);
  return syntax;
}

/** Files of a change whose grammars are loaded beside the plan, and the files of a change for which that is done. */
const preparedFiles = 30;
const mostPrepared = 1_000;

/** The diff. As soon as it is known the parser loads its grammars: it takes as long as everything else before the first call of the model. */
export function readChangesFor(syntax: OpenSyntax | null, changes: () => Promise<Changes>): () => Promise<Changes> {
  if (syntax === null) return changes;
  return async () => {
    const read = await changes();
    const present = read.files.filter(({ status, kind }) => status !== 'deleted' && kind === 'text');
    // Of a very large change the memory is needed first, and its first question is not near.
    if (present.length <= mostPrepared) syntax.prepare(present.slice(0, preparedFiles).map(({ path }) => path));
    return read;
  };
}

/** The variables that hold a person's key. */
export const laptopKeyNames = 'OPENAI_API_KEY or POSTIL_API_KEY';

/** The models of a run, and the images that they are shown. */
export type Models = {
  /** Null without a key and in the `offline` profile. */
  readonly model: Model | null;
  /** Another model that checks findings; null where `model` does. */
  readonly verifyModel: Model | null;
  readonly embedder: Embedder | null;
  readonly images: Images | undefined;
};

export type ModelAccess = {
  readonly apiKey: string;
  /** Where people put the key; the action's input when left out. */
  readonly keyName?: string;
  /** What is reviewed: its runs share a cache at the server. */
  readonly subject: string;
  readonly images: ImageSource;
  readonly report: Reporter;
  /** Files of the image converter; what the build wrote when undefined. */
  readonly imageFiles?: ImageFiles | undefined;
};

/** Creates the models behind one endpoint. @throws UserError for a key that cannot be sent */
export async function modelsFor(settings: Settings, access: ModelAccess): Promise<Models> {
  const { apiKey, keyName, subject, report } = access;
  const { model, verify, verifyModel, embeddingsModel, profile, mode } = settings;
  const another = verify && verifyModel !== '' && verifyModel !== model;
  if (profile === 'offline' || (apiKey === '' && mode !== 'plan'))
    return { model: null, verifyModel: null, embedder: null, images: undefined };
  const images = settings.vision ? openImages(access) : undefined;
  if (mode === 'plan') return { model: nobody, verifyModel: another ? nobody : null, embedder: null, images };
  // Loaded when there is a key: the SDK takes a fifth of the start.
  const { openAiEmbedder, openAiModel, useProxyFromEnvironment } = await import(
    /* webpackMode: "eager" */ '../adapters/openai/open-ai-model.ts'
  );
  await useProxyFromEnvironment();
  const named = (model: string) =>
    openAiModel({
      apiKey,
      keyName,
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
      onAdjust: (adjustment) => report({ type: 'model-adjust', ...adjustment }),
    });
  return {
    model: named(model),
    verifyModel: another ? named(verifyModel) : null,
    embedder: embeddingsModel === '' ? null : openAiEmbedder({ ...settings, apiKey, keyName, model: embeddingsModel }),
    images,
  };
}

function openImages({ images, imageFiles, report }: ModelAccess): Images {
  const onProblem = (text: string) => report({ type: 'warning', text });
  return repositoryImages(images, openImageCodec({ onProblem, files: imageFiles }));
}

/** Stands for the model that other jobs ask what this one plans. */
const nobody: Model = { answer: () => Promise.reject(new Error('A job that plans asks no model.')) };

/** The parts, which name the credentials of a diff before it is written anywhere, recorded where `transcript-file` names a file. */
export function recorded(unrecorded: ReviewParts, redact: Redactor): ReviewParts {
  const parts = learningSecrets(unrecorded, redact.learn);
  const path = parts.settings.transcriptFile;
  if (path === '') return parts;
  const { write, finish } = transcriptFile(path, {
    redact,
    warn: (text) => parts.output.report({ type: 'warning', text }),
  });
  return recordParts(parts, { write, finish, path, redact, version });
}
