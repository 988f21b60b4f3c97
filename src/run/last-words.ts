import { type Journaled, lastRecord } from '../adapters/files/journal.ts';
import { reviewFiles } from '../adapters/files/recorders.ts';
import type { RenderContext } from '../core/report/wording.ts';
import { recordOf } from '../core/review/deliver.ts';
import type { StoppedDraft } from '../core/review/draft.ts';
import { emptyReview } from '../core/review/empty-review.ts';
import type { Delivery, Destination, ReviewRecord } from '../core/review/sink.ts';
import { openGate } from '../core/review/verdict.ts';
import type { LastWords } from './watched.ts';

type UndeliveredPlaces = Journaled['left'];
type Stop = StoppedDraft['stop'];

export function stopOf({ why, reason }: LastWords): Stop {
  return why === 'cancelled' ? { reason: 'cancelled' } : { reason: 'failed', message: reason, hint: '' };
}

type Rest = {
  /** Null where the run left none: then there is the reason alone. */
  readonly journal: Journaled | null;
  readonly stop: Stop;
  /** How long the run took, where that is known. */
  readonly milliseconds?: number;
};

/** Delivers what a run left that could not, beside its files to these. Never throws. */
export async function deliverRest(
  { journal, stop, milliseconds = 0 }: Rest,
  /** `left` is null where the run left no journal. */
  destinationsFor: (context: RenderContext, left: UndeliveredPlaces | null) => readonly Destination[],
): Promise<void> {
  const { record, context } =
    journal === null ? withoutJournal(stop, milliseconds) : lastRecord(journal, stop, milliseconds);
  const left = journal?.left ?? null;
  const files = reviewFiles(Object.fromEntries((left ?? []).map(({ recorder, to }) => [recorder, to])), context);
  const others = destinationsFor(context, left).filter(
    ({ name }) => left === null || left.some(({ recorder }) => recorder === name),
  );
  // What people look at first is written first; outputs name the files, so they are set again.
  const again = files.length === 0 ? [] : others.filter(({ name }) => name === 'outputs');
  const deliveries: Delivery[] = [...record.deliveries];
  for (const destination of [...others, ...files, ...again]) {
    try {
      deliveries.push(await destination.deliver({ ...record, deliveries: [...deliveries] }));
    } catch {
      // The others may still be written.
    }
  }
}

function withoutJournal(
  stop: Stop,
  milliseconds: number,
): { readonly record: ReviewRecord; readonly context: RenderContext } {
  const review = emptyReview(stop, { pullRequest: null, milliseconds, earlier: 'unknown' });
  const context = { serverUrl: null, repository: null, redact: (text: string) => text, name: 'Postil' };
  const told = { placed: [], deliveries: [], reflection: null, gate: openGate };
  return { record: recordOf(review, told), context };
}
