import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VirtualClock } from './adapters/replay/virtual-clock.ts';
import { languageFor } from './adapters/syntax/languages.ts';
import { UserError } from './core/errors.ts';
import type { Reporter } from './core/reporter.ts';
import { createRedactor } from './core/repository/redact.ts';
import type { Recorder, ReviewRecord } from './core/review/sink.ts';
import { reviewPullRequest } from './core/review-pull-request.ts';
import { compareRuns } from './core/transcript/compare-runs.ts';
import { endLineOf } from './core/transcript/end-line.ts';
import { replayParts } from './core/transcript/replay-parts.ts';
import { parseTranscript, type Transcript } from './core/transcript/transcript-line.ts';

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
  { report, recorders }: { readonly report: Reporter; readonly recorders: readonly Recorder[] },
): Promise<Replayed> {
  const transcript = await openTranscript(path ?? (await demonstration()));
  const { start, end } = transcript;
  const clock = new VirtualClock(start.recorded_at);
  const signal = new AbortController().signal;
  const redact = createRedactor([]);
  const { parts, divergences } = replayParts(transcript, {
    clock,
    redact,
    report,
    recorders,
    signal,
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
  const record = await clock.drive(reviewPullRequest(parts));
  return { record, differences: [...divergences(), ...compareRuns(end, endLineOf(record))] };
}

async function openTranscript(path: string): Promise<Transcript> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new UserError(`The transcript ${path} could not be read.`, { hint: 'Check the path.', cause });
  });
  const parsed = parseTranscript(text);
  if (parsed.ok) return parsed.value;
  throw new UserError(`${path} is no transcript that this Postil can replay: ${parsed.problems.join('; ')}.`, {
    hint: 'Give a file that `transcript-file` recorded.',
  });
}
