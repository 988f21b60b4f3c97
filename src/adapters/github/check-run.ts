import { renderCheckAnnotations } from '../../core/report/check-annotations.ts';
import { visibleLine } from '../../core/report/invisible.ts';
import { characters, cutMarkdown, cutText } from '../../core/report/limits.ts';
import type { Reporter } from '../../core/reporter.ts';
import type { Delivery, Recorder, ReviewRecord, Sink } from '../../core/review/sink.ts';
import { verdictOf } from '../../core/review/verdict.ts';
import type { CheckRunOptions } from './check-run-options.ts';
import { OneCheck } from './one-check.ts';
import { refusalOf } from './refusal.ts';

export type CheckRun = { readonly reporter: Reporter; readonly sink: Sink; readonly recorder: Recorder };

/**
 * A check of our own: in progress while the review runs, with all annotations, and with a conclusion that follows `fail-on`. Without `checks:
 * write` the annotations go to the fallback, and the check is left out.
 */
export function checkRun(options: CheckRunOptions): CheckRun {
  const check = new OneCheck(options);
  return {
    reporter: (event) => {
      if (event.type === 'review-start') check.start();
      if (event.type === 'bundle-end') check.tell(`${event.bundle}: ${event.sentence}`);
    },
    sink: { name: 'annotations', deliver: (review) => annotate(review, { check, options }) },
    recorder: { name: 'check run', record: (record) => conclude(record, { check, options }) },
  };
}

type Work = { readonly check: OneCheck; readonly options: CheckRunOptions };

async function annotate(review: ReviewRecord['review'], { check, options }: Work): Promise<Delivery> {
  const started = await check.started();
  if (!started.ok) {
    const delivery = await options.fallback.deliver(review);
    return { ...delivery, reason: [started.reason, delivery.reason ?? ''].join(' ').trim() };
  }
  const annotations = renderCheckAnnotations(review, options.redact);
  const sink = 'annotations';
  const nothing = { sink, delivered: [], url: null } as const;
  if (annotations.length === 0) return { ...nothing, status: 'skipped', reason: 'There is nothing to annotate.' };
  try {
    await check.annotate(annotations);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    const delivery = await options.fallback.deliver(review);
    return {
      ...delivery,
      reason: [`The check took no annotations: ${refusal.reason}.`, delivery.reason ?? ''].join(' '),
    };
  }
  const delivered = annotations.map(({ findingId }) => ({ findingId, place: 'annotation', url: check.url }) as const);
  return { sink, status: 'delivered', reason: null, delivered, url: null };
}

const conclusions = { fine: 'success', warn: 'neutral', findings: 'failure', failed: 'failure' } as const;

/** What the checks API takes, in characters. */
const titleCharacters = 255;
const summaryCharacters = 65_535;

async function conclude(record: ReviewRecord, { check, options }: Work): Promise<Delivery> {
  const nothing = { sink: 'check run', delivered: [], url: null } as const;
  const started = await check.started();
  if (!started.ok) return { ...nothing, status: 'refused', reason: started.reason };
  const { review } = record;
  const conclusion = review.outcome === 'skipped' ? 'skipped' : conclusions[verdictOf(review, options.failOn).kind];
  const pointer = 'The rest did not fit here and is in the job summary.';
  const summary = cutMarkdown(options.render(record), { max: summaryCharacters, measure: characters, pointer });
  const headline = visibleLine(options.redact(review.headline));
  const title = cutText(headline, { max: titleCharacters, measure: characters });
  try {
    await check.complete({ conclusion, title, summary });
    return { ...nothing, status: 'delivered', reason: null, url: null };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return { ...nothing, status: 'failed', reason: `The check could not be completed: ${refusal.reason}.` };
  }
}
