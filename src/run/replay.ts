import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readRegularFile } from '../adapters/files/recorders.ts';
import { VirtualClock } from '../adapters/replay/virtual-clock.ts';
import { languageFor } from '../adapters/syntax/languages.ts';
import { answerRequest } from '../core/answer-request.ts';
import { UserError } from '../core/errors.ts';
import type { Reporter } from '../core/events.ts';
import type { Destination, ReviewRecord } from '../core/review/sink.ts';
import { reviewPullRequest } from '../core/review-pull-request.ts';
import { createRedactor } from '../core/secrets/redact.ts';
import { compareRuns, endLineOf } from '../core/transcript/record.ts';
import { replayParts, toldDifferences } from '../core/transcript/replay.ts';
import { parseTranscript, type Transcript } from '../core/transcript/transcript.ts';

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
    clock,
    report,
    destinations,
    redact: createRedactor([]),
    signal: new AbortController().signal,
    languageOf: (path) => languageFor(path)?.name ?? null,
  });
  report({
    type: 'review-start',
    version: start.postil,
    model: parts.models.model === null ? null : start.settings.model,
    profile: start.settings.profile,
    subject: `${start.pull_request.title} (replayed)`,
  });
  // A reflection is a call of the recording, too.
  const {
    trigger: { asked },
  } = parts;
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
