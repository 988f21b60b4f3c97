import { transcriptFileRecorder } from '../report/outputs.ts';
import { placeOf } from '../report/wording.ts';
import type { Review } from '../review/review.ts';
import type { Recorder, ReviewRecord } from '../review/sink.ts';
import type { EndLine, TranscriptLine } from './transcript-line.ts';

export type Ending = {
  readonly write: (line: TranscriptLine) => void;
  readonly finish: () => Promise<string | null>;
  readonly path: string;
};

/** Writes down what came out. */
export function endRecorder({ write, finish, path }: Ending): Recorder {
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
