import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../src/core/agent/agent.ts';
import type { Model } from '../src/core/agent/model.ts';
import { UserError } from '../src/core/errors.ts';
import { RecordedCalls, recorder, replayedEmbedder } from '../src/core/transcript/calls.ts';
import { recordedModel } from '../src/core/transcript/record.ts';
import { replayedModel } from '../src/core/transcript/replay.ts';
import { type CallLine, requestKey } from '../src/core/transcript/transcript.ts';
import { openTranscript } from '../src/run/replay.ts';
import type { EvalCase } from './case.ts';

type Redact = (text: string) => string;

/** `CASE.transcript.jsonl`, with the name of the configuration where there is one. */
export function transcriptPath(folder: string, { of, label }: { of: EvalCase; label: string }): string {
  return join(folder, `${of.name}${label === 'default' ? '' : `.${label}`}.transcript.jsonl`);
}

const timeless: Clock = { now: () => 0, wait: () => Promise.resolve() };

/** What the models of a recorded review answered, while everything else is real. @throws UserError */
export function openRecording(path: string, redact: Redact) {
  if (!existsSync(path)) {
    const hint = 'Record it with --record, or name the folder with --transcripts.';
    throw new UserError(`There is no transcript in ${dirname(path)}.`, { hint });
  }
  const { start, calls, end } = openTranscript(path);
  if (end === null) throw new UserError(`The recording ${path} did not come to its end.`, { hint: 'Record it again.' });
  // A replay need not live through what another attempt made good.
  const made = calls.filter(({ error }) => error?.kind !== 'transient' && error?.kind !== 'aborted');
  const recorded = { calls: new RecordedCalls(made, timeless), redact };
  const has = (port: string) => start.ports.includes(port);
  return {
    model: start.settings.model,
    subject: `${start.pull_request.mergeBase}..${start.pull_request.head.sha}`,
    milliseconds: end.milliseconds ?? 0,
    /** Requests that the recording does not hold, and those of them that found no answer. */
    misses: () => ({ changed: recorded.calls.divergences.length, unanswered: recorded.calls.unanswered }),
    models: {
      model: has('model') ? replayedModel('model', recorded) : null,
      verifyModel: has('verifyModel') ? replayedModel('verifyModel', recorded) : null,
      embedder: has('embedder') ? replayedEmbedder(recorded) : null,
    },
    // An answer numbers the findings of its own question: for another question it would mean others.
    judge: {
      answer: (request, signal) =>
        recorded.calls.answer({ call: 'judge.answer', key: requestKey(request, redact), signal }),
    } satisfies Model,
  };
}

/** The same judge, and its answers as further lines of the transcript. */
export function recordJudge(
  judge: Model | null,
  { clock, redact }: { clock: Clock; redact: Redact },
): { readonly judge: Model | null; readonly lines: () => string } {
  const lines: CallLine[] = [];
  const record = recorder({ clock, write: (line) => lines.push(line) });
  const redacted = (_key: string, value: unknown) => (typeof value === 'string' ? redact(value) : value);
  return {
    judge: recordedModel(judge, { name: 'judge', record, redact }),
    lines: () => lines.map((line) => `${JSON.stringify(line, redacted)}\n`).join(''),
  };
}
