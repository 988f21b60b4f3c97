/**
 * Records the demonstration again, or the transcript that is named, such as those of eval/cases: the recorded answers, in their order, to what
 * Postil asks today. For a change of a prompt or of the tools, after which the replay of it would differ.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '../src/adapters/replay/virtual-clock.ts';
import { languageFor } from '../src/adapters/syntax/languages.ts';
import { reviewPullRequest } from '../src/core/review-pull-request.ts';
import { createRedactor } from '../src/core/secrets/redact.ts';
import { compareRuns, endLineOf } from '../src/core/transcript/record.ts';
import { replayParts } from '../src/core/transcript/replay.ts';
import { parseTranscript } from '../src/core/transcript/transcript.ts';
import { recorded } from '../src/run/parts.ts';

const file = process.argv[2] ?? join(import.meta.dirname, '../demo/transcript.jsonl');
const transcript = parseTranscript(readFileSync(file, 'utf8'));
if (!transcript.ok) throw new Error(transcript.problems.join('; '));
const { start, end } = transcript.value;
const clock = new VirtualClock(start.recorded_at);
const redact = createRedactor([]);
const { parts, divergences } = replayParts(transcript.value, {
  clock,
  redact,
  report: () => {},
  destinations: [],
  signal: new AbortController().signal,
  languageOf: (path) => languageFor(path)?.name ?? null,
});
const recording = { ...parts, settings: { ...parts.settings, transcriptFile: file } };
const record = await clock.drive(reviewPullRequest(recorded(recording, redact)));
// What came out is not the recording's business alone: whoever runs this looks whether it should be so.
for (const text of [...divergences(), ...compareRuns(end, endLineOf(record))]) console.log(text);
