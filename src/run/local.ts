import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRegularFile } from '../adapters/files/recorders.ts';
import { openLocalPullRequest } from '../adapters/git/local-pull-request.ts';
import type { LocalSubject } from '../adapters/git/local-subject.ts';
import { VirtualClock } from '../adapters/replay/virtual-clock.ts';
import { languageFor } from '../adapters/syntax/languages.ts';
import { openSyntax } from '../adapters/syntax/syntax.ts';
import { answerRequest } from '../core/answer-request.ts';
import { UserError } from '../core/errors.ts';
import type { Reporter } from '../core/events.ts';
import type { Destination, ReviewRecord } from '../core/review/sink.ts';
import { type ReviewParts, reviewPullRequest } from '../core/review-pull-request.ts';
import { createRedactor, type Redactor } from '../core/secrets/redact.ts';
import { namesConfig, readConfigFile } from '../core/settings/config-file.ts';
import { type Layer, parseSettings } from '../core/settings/parse-settings.ts';
import type { Settings } from '../core/settings/settings.ts';
import { compareRuns, endLineOf } from '../core/transcript/record.ts';
import { replayParts, toldDifferences } from '../core/transcript/replay.ts';
import { parseTranscript, type Transcript } from '../core/transcript/transcript.ts';
import { systemClock } from './machine.ts';
import { announce, modelsFor, readChangesFor, recorded, startParser } from './parts.ts';

export type LocalContext = {
  readonly command: { readonly directory: string; readonly subject: LocalSubject };
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
  readonly destinations: readonly Destination[];
  readonly temporaryFolder: string;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** Those behind the endpoint when left out. */
  readonly models?: typeof modelsFor;
};

/** Commits or uncommitted changes on a laptop, with everything their review needs. @throws UserError */
export async function openLocal(
  context: LocalContext,
): Promise<{ readonly parts: ReviewParts; readonly close: () => Promise<void> }> {
  const { command, report, destinations, apiKey, trusted, startedAt, signal } = context;
  const syntax = openSyntax({ onProblem: (text) => report({ type: 'warning', text }) });
  const parser = startParser(syntax, context);
  const { git, source, reviewing } = await openLocalPullRequest({ ...context, ...command }).catch(
    async (error: unknown) => {
      await syntax.close();
      throw error;
    },
  );
  const close = async () => {
    await Promise.all([git.close(), syntax.close()]);
  };
  try {
    if (reviewing !== null) report({ type: 'note', text: reviewing });
    const pullRequest = await source.read();
    // Git computes it while the configuration is read and the model's client loaded.
    const diff = readChangesFor(parser, () => source.changes(pullRequest))();
    diff.catch(() => undefined);
    const { settings, notes: fromSettings } = parseSettings(
      trusted,
      await readConfigFile(git.repository, context.preview.config, namesConfig(trusted)),
    );
    const notes = [...context.notes, ...fromSettings];
    const models = await (context.models ?? modelsFor)(settings, {
      apiKey,
      subject: pullRequest.base.sha,
      images: git.images,
      report,
    });
    announce(report, { settings, model: models.model, notes, subject: reviewing === null ? null : pullRequest.title });
    // Nothing is posted here, so nothing is limited, and whoever runs it wants the review.
    const local = { ...settings, maxComments: Number.MAX_SAFE_INTEGER, skipAuthors: [] };
    const { repository, search } = git;
    const history = git.hasPast ? git.history : null;
    const read = { pullRequest, repository, search, history, changes: () => diff, syntax };
    const told = { report, destinations, notes, handOver: null };
    const clocks = { clock: systemClock, random: Math.random, startedAt, signal };
    const nowhere = { identity: null, past: null, signs: false };
    const parts = { settings: local, ...nowhere, ...read, ...models, ...told, ...clocks };
    return { parts: recorded(parts, context.redact), close };
  } catch (error) {
    await close();
    throw error;
  }
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
  const transcript = await openTranscript(path ?? (await demonstration()));
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

async function openTranscript(path: string): Promise<Transcript> {
  const parsed = parseTranscript(readNamed(path));
  if (parsed.ok) return parsed.value;
  const problem = `${path} is not a transcript that this version of Postil can replay: ${parsed.problems.join('; ')}.`;
  throw new UserError(problem, { hint: 'Give a file that `transcript-file` recorded.' });
}
