import { createHash } from 'node:crypto';
import type { ImageFiles } from './adapters/images/image-files.ts';
import { openImageCodec } from './adapters/images/open-image-codec.ts';
import type { Model } from './core/agent/model.ts';
import type { Embedder } from './core/context/embedder.ts';
import { type Images, repositoryImages } from './core/images/images.ts';
import type { Reporter } from './core/reporter.ts';
import type { ImageSource } from './core/repository/image-source.ts';
import { temperatureOf } from './core/settings/output-tokens.ts';
import type { Settings } from './core/settings/settings.ts';

export type Models = {
  /** Null without a key and in the `offline` profile: then the rules review alone. */
  readonly model: Model | null;
  /** Null: `model` checks its own findings. */
  readonly verifyModel: Model | null;
  /** What the model may be shown; absent without `vision`. */
  readonly images?: Images;
  /** Null: documents are searched by words alone. */
  readonly embedder: Embedder | null;
};

type Access = {
  readonly apiKey: string;
  /** What is reviewed: its runs share a cache at the server. */
  readonly subject: string;
  /** Where images are read. */
  readonly images: ImageSource;
  readonly report: Reporter;
  /** Of the converter; what the build wrote when left out. */
  readonly imageFiles?: ImageFiles | undefined;
};

/** The models of a run, behind one endpoint. @throws UserError for a key that cannot be sent */
export async function modelsFor(settings: Settings, access: Access): Promise<Models> {
  const { apiKey, subject, report } = access;
  if (apiKey === '' || settings.profile === 'offline') return { model: null, verifyModel: null, embedder: null };
  // Loaded when there is a key: the SDK takes a fifth of the start.
  const { openAiEmbedder, openAiModel, useProxyFromEnvironment } = await import(
    /* webpackMode: "eager" */ './adapters/openai/open-ai-model.ts'
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
