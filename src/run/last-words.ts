import { type Journaled, lastRecord } from '../adapters/files/journal.ts';
import { reportFileRecorder, reportHtmlRecorder, sarifFileRecorder } from '../core/report/json.ts';
import type { RenderContext } from '../core/report/wording.ts';
import { recordOf } from '../core/review/deliver.ts';
import type { StoppedDraft } from '../core/review/draft.ts';
import { emptyReview } from '../core/review/empty-review.ts';
import type { Delivery, Recorder, ReviewRecord } from '../core/review/sink.ts';
import { openGate } from '../core/review/verdict.ts';
import type { Settings } from '../core/settings/settings.ts';
import { fileRecorders } from './surroundings.ts';
import type { LastWords } from './watched.ts';

type Left = Journaled['left'];
type Stop = StoppedDraft['stop'];

/** What a run is to write, for its journal: the files that are named, and what more its surroundings read. */
export function leftToWrite(
  { reportFile, reportHtml, sarifFile }: Pick<Settings, 'reportFile' | 'reportHtml' | 'sarifFile'>,
  more: Left,
): Left {
  const files = { [reportFileRecorder]: reportFile, [reportHtmlRecorder]: reportHtml, [sarifFileRecorder]: sarifFile };
  return [...Object.entries(files).flatMap(([recorder, to]) => (to === '' ? [] : [{ recorder, to }])), ...more];
}

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

/** Delivers what a run left that could not. Never throws. */
export async function deliverRest(
  { journal, stop, milliseconds = 0 }: Rest,
  /** What a run without a journal leaves, and what writes it beside the files. */
  to: { readonly usual: Left; readonly recorders: (context: RenderContext, left: Left) => readonly Recorder[] },
): Promise<void> {
  const { record, context } =
    journal === null ? withoutJournal(stop, milliseconds) : lastRecord(journal, stop, milliseconds);
  const left = journal?.left ?? to.usual;
  const pathOf = (name: string) => left.find(({ recorder }) => recorder === name)?.to ?? '';
  const files = fileRecorders(
    {
      reportFile: pathOf(reportFileRecorder),
      reportHtml: pathOf(reportHtmlRecorder),
      sarifFile: pathOf(sarifFileRecorder),
    },
    context,
  );
  const others = to.recorders(context, left).filter(({ name }) => left.some(({ recorder }) => recorder === name));
  // What people look at first is written first; outputs name the files, so they are set again.
  const again = files.length === 0 ? [] : others.filter(({ name }) => name === 'outputs');
  const deliveries: Delivery[] = [...record.deliveries];
  for (const recorder of [...others, ...files, ...again]) {
    try {
      deliveries.push(await recorder.record({ ...record, deliveries: [...deliveries] }));
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
