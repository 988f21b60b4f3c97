import type { Clock } from '../agent/agent.ts';
import type { Model } from '../agent/model.ts';
import type { Reporter } from '../events.ts';
import type { Syntax } from '../languages/syntax.ts';
import { type ChangedFile, hunkLines } from '../pull-request/changed-file.ts';
import type { Changes } from '../pull-request/pull-request.ts';
import type { Destination } from '../review/sink.ts';
import type { ReviewParts } from '../review-pull-request.ts';
import { previewSettings } from '../settings/parse-settings.ts';
import { plural } from '../text.ts';
import { RecordedCalls, replayedEmbedder, replayPort } from './calls.ts';
import { requestKey, startedBy, type Transcript } from './transcript.ts';

export type Replaying = {
  readonly report: Reporter;
  readonly destinations: readonly Destination[];
  readonly signal: AbortSignal;
  /** Its time passes only while everybody waits, from `recorded_at` on. */
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** The language of a path, as the parser knows it. */
  readonly languageOf: Syntax['languageOf'];
};

export type Replay = {
  readonly parts: ReviewParts;
  /** Where the replay asked something else than the recording, one sentence each, the first first. */
  readonly divergences: () => readonly string[];
  /** The lines of the change whose credential the recording hides, such as `src/a.ts:2`: no rule finds it again. */
  readonly hidden: () => readonly string[];
};

/** The parts of a recorded run, with every port answered from the transcript, after as long as it took. */
export function replayParts(transcript: Transcript, replaying: Replaying): Replay {
  const { start } = transcript;
  const { clock, redact, report, destinations, signal, languageOf } = replaying;
  const calls = new RecordedCalls(transcript.calls, clock);
  let hidden: readonly string[] = [];
  const has = (port: string) => start.ports.includes(port);
  const parts: ReviewParts = {
    // A setting that is newer than the recording has its default.
    settings: { ...previewSettings([]), ...start.settings },
    identity: start.identity,
    pullRequest: start.pull_request,
    trigger: { ...startedBy(start), notes: start.notes },
    models: {
      model: has('model') ? replayedModel('model', { calls, redact }) : null,
      verifyModel: has('verifyModel') ? replayedModel('verifyModel', { calls, redact }) : null,
      embedder: has('embedder') ? replayedEmbedder({ calls, redact }) : null,
    },
    code: {
      repository: replayPort('repository', calls),
      search: has('search') ? replayPort('search', calls) : null,
      history: has('history') ? replayPort('history', calls) : null,
      syntax: has('syntax') ? { ...replayPort('syntax', calls), languageOf } : null,
      images: has('images') ? replayPort('images', calls) : undefined,
      changes: async () => {
        const changes = await calls.answer<Changes>({ call: 'changes', key: '[]' });
        hidden = hiddenIn(changes.files);
        return changes;
      },
    },
    past: has('past') ? replayPort('past', calls) : null,
    // Waits are recorded with their length, so that no chance is left.
    run: { clock, random: () => 0, startedAt: start.started_at, signal },
    output: { report, destinations, signs: start.signs, handOver: null },
  };
  return { parts, divergences: () => calls.divergences, hidden: () => hidden };
}

function hiddenIn(files: readonly ChangedFile[]): readonly string[] {
  return files.flatMap(({ path, hunks }) =>
    hunks.flatMap((hunk) =>
      [...hunkLines(hunk)].flatMap(({ kind, newLine, text }) =>
        kind === 'added' && text.includes('[redacted: ') ? [`${path}:${newLine}`] : [],
      ),
    ),
  );
}

const mostNamed = 3;

/** The differences as people see them: where a credential is hidden they follow from that, and none of them says so. */
export function toldDifferences(differences: readonly string[], hidden: readonly string[]): readonly string[] {
  if (differences.length === 0 || hidden.length === 0) return differences;
  const more = hidden.length > mostNamed ? ` and ${hidden.length - mostNamed} more` : '';
  const places = `${hidden.slice(0, mostNamed).join(', ')}${more}`;
  return [
    `The recording hides what was a credential at ${places}, so no rule finds it again; ${plural(differences.length, 'difference')} may follow from that.`,
  ];
}

export function replayedModel(
  name: string,
  { calls, redact }: { calls: RecordedCalls; redact: Replaying['redact'] },
): Model {
  return {
    answer: (request, signal) =>
      calls.answer({ call: `${name}.answer`, key: requestKey(request, redact), inOrder: true, signal }),
  };
}
