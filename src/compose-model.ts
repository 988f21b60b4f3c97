import { createHash } from 'node:crypto';
import type { Model } from './core/agent/model.ts';
import type { Reporter } from './core/reporter.ts';
import { temperatureOf } from './core/settings/output-tokens.ts';
import type { Settings } from './core/settings/settings.ts';

export type Models = {
  /** Null without a key and in the `offline` profile: then the rules review alone. */
  readonly model: Model | null;
  /** Null: `model` checks its own findings. */
  readonly verifyModel: Model | null;
};

type Access = {
  readonly apiKey: string;
  /** What is reviewed: its runs share a cache at the server. */
  readonly subject: string;
  readonly report: Reporter;
};

/** The models of a run, behind one endpoint. @throws UserError for a key that cannot be sent */
export async function modelsFor(settings: Settings, access: Access): Promise<Models> {
  const { apiKey, subject, report } = access;
  if (apiKey === '' || settings.profile === 'offline') return { model: null, verifyModel: null };
  // Loaded when there is a key: the SDK takes a fifth of the start.
  const { openAiModel, useProxyFromEnvironment } = await import(
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
  const { model, verify, verifyModel } = settings;
  const another = verify && verifyModel !== '' && verifyModel !== model;
  return { model: named(model), verifyModel: another ? named(verifyModel) : null };
}
