import { transcriptFileRecorder } from '../report/json.ts';
import { placeOf } from '../report/wording.ts';
import type { Review } from '../review/review.ts';
import type { Recorder, ReviewRecord } from '../review/sink.ts';
import type { EndLine, TranscriptLine } from './transcript.ts';

/** Writes down what came out. */
export function endRecorder({
  write,
  finish,
  path,
}: {
  write: (line: TranscriptLine) => void;
  finish: () => Promise<string | null>;
  path: string;
}): Recorder {
  const sink = transcriptFileRecorder;
  return {
    name: sink,
    record: async (record) => {
      write(endLineOf(record));
      const reason = await finish();
      if (reason !== null) return { sink, status: 'failed', reason, delivered: [], url: null };
      return { sink, status: 'delivered', reason, delivered: [], url: path };
    },
  };
}

/** What a replay must come to as well: where each finding was to go, not where a server took it. */
export function endLineOf({ review, reflection }: Pick<ReviewRecord, 'review' | 'reflection'>): EndLine {
  return {
    type: 'end',
    outcome: review.outcome,
    headline: review.headline,
    findings: findingsOf(review),
    reflection,
  };
}

function findingsOf({ placements }: Review): EndLine['findings'] {
  return placements.map(({ finding, place }) => ({ title: finding.title, where: placeOf(finding), place }));
}

/** How a replay's end differs from the recorded one, one sentence each; empty when they are the same. */
export function compareRuns(recorded: EndLine | null, replayed: EndLine): readonly string[] {
  if (recorded === null) return ['The recorded run did not come to its end.'];
  const differences: string[] = [];
  if (recorded.outcome !== replayed.outcome) {
    differences.push(`The outcome is ${replayed.outcome}; it was ${recorded.outcome}.`);
  }
  const keyOf = (finding: EndLine['findings'][number]) => JSON.stringify([finding.title, finding.where, finding.place]);
  const before = new Set(recorded.findings.map(keyOf));
  const after = new Set(replayed.findings.map(keyOf));
  for (const finding of recorded.findings) {
    if (!after.has(keyOf(finding))) differences.push(`No longer found: ${sentenceOf(finding)}.`);
  }
  for (const finding of replayed.findings) {
    if (!before.has(keyOf(finding))) differences.push(`Not found before: ${sentenceOf(finding)}.`);
  }
  return differences;
}

function sentenceOf({ title, where, place }: EndLine['findings'][number]): string {
  return `${title} (${where}, ${place})`;
}
