import { openLocalPullRequest } from './adapters/git/local-pull-request.ts';
import { openSyntax } from './adapters/syntax/open-syntax.ts';
import type { Command } from './cli-arguments.ts';
import { announce, systemClock } from './compose.ts';
import { modelsFor } from './compose-model.ts';
import { recorded } from './compose-transcript.ts';
import type { Reporter } from './core/reporter.ts';
import type { Redactor } from './core/repository/redact.ts';
import type { Recorder } from './core/review/sink.ts';
import type { ReviewParts } from './core/review-pull-request.ts';
import { namesConfig, readConfigFile } from './core/settings/config-file.ts';
import type { Layer } from './core/settings/layers.ts';
import { parseSettings } from './core/settings/parse-settings.ts';
import type { Settings } from './core/settings/settings.ts';

export type LocalContext = {
  readonly command: Extract<Command, { kind: 'review' }>;
  readonly apiKey: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Flags and environment. */
  readonly trusted: readonly Layer[];
  /** The settings as they are without the config file. */
  readonly preview: Settings;
  readonly notes: readonly string[];
  readonly report: Reporter;
  /** Takes secrets out of a text. */
  readonly redact: Redactor;
  readonly recorders: readonly Recorder[];
  readonly temporaryFolder: string;
  readonly startedAt: number;
  readonly signal: AbortSignal;
};

/** How to get a model, in one line: said when there is none. */
const addModel =
  'No API key, so the pattern rules review alone (profile offline). For a review by a model set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';

/** Commits or uncommitted changes on a laptop, with everything their review needs. @throws UserError */
export async function openLocal(
  context: LocalContext,
): Promise<{ readonly parts: ReviewParts; readonly close: () => Promise<void> }> {
  const { command, report, recorders, apiKey, startedAt, signal } = context;
  const trusted = withoutKey(context);
  const { git, source, reviewing } = await openLocalPullRequest({ ...context, ...command });
  try {
    report({ type: 'note', text: reviewing });
    const pullRequest = await source.read();
    const { settings, notes: fromSettings } = parseSettings(
      trusted,
      await readConfigFile(git.repository, context.preview.config, namesConfig(context.trusted)),
    );
    const notes = [...context.notes, ...fromSettings];
    const models = await modelsFor(settings, { apiKey, subject: pullRequest.base.sha, images: git.images, report });
    announce(report, { settings, model: models.model, notes, subject: pullRequest.title });
    // Nothing is posted here, so nothing is limited, and whoever runs it wants the review.
    const local = { ...settings, maxComments: Number.MAX_SAFE_INTEGER, skipAuthors: [] };
    const syntax = openSyntax({ onProblem: (text) => report({ type: 'warning', text }) });
    const { repository, search, history, changes } = git;
    const told = { report, sinks: [], recorders, notes, handOver: null };
    const clocks = { clock: systemClock, random: Math.random, startedAt, signal };
    const nowhere = { identity: null, past: null, signs: false };
    const parts = {
      settings: local,
      ...nowhere,
      pullRequest,
      repository,
      search,
      history,
      changes,
      syntax,
      ...models,
      ...told,
      ...clocks,
    };
    const close = async () => {
      await Promise.all([git.close(), syntax.close()]);
    };
    return { parts: recorded(parts, context.redact), close };
  } catch (error) {
    await git.close();
    throw error;
  }
}

/** Without a key the profile is offline, whatever else was asked for: said in one line, with how to add a model. */
function withoutKey({ trusted, preview, apiKey, report }: LocalContext): readonly Layer[] {
  if (apiKey !== '' || preview.profile === 'offline') return trusted;
  report({ type: 'note', text: addModel });
  return [{ where: 'no key', trusted: true, values: { profile: 'offline' } }, ...trusted];
}
