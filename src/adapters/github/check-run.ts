import type { Reporter } from '../../core/events.ts';
import { type CheckAnnotation, renderCheckAnnotations } from '../../core/report/annotations.ts';
import { characters, cutMarkdown, cutText, visibleLine } from '../../core/report/text.ts';
import type { Delivered, Delivery, Recorder, ReviewRecord, Sink } from '../../core/review/sink.ts';
import { conclusionOf } from '../../core/review/verdict.ts';
import {
  annotationsARequest,
  type CheckEnd,
  type CheckOutput,
  type CheckRequests,
  type CheckRunOptions,
  checkRequests,
  summaryCharacters,
  titleCharacters,
} from './check-requests.ts';
import { refusalIn, refusalOf } from './client.ts';

/**
 * A check of our own: in progress while the review runs, with all annotations, and with a conclusion that follows `fail-on`. Without `checks:
 * write` the annotations go to the fallback, and the check is left out.
 */
export function checkRun(options: CheckRunOptions): { reporter: Reporter; sink: Sink; recorder: Recorder } {
  const check = new OneCheck(options);
  return {
    reporter: (event) => {
      if (event.type === 'review-start') check.start();
      if (event.type === 'batch-end') check.tell(`${event.batch}: ${event.sentence}`);
    },
    sink: {
      name: 'annotations',
      follows: true,
      deliver: (review, posted = []) => annotate(review, { check, options, posted }),
    },
    recorder: { name: 'check run', record: (record) => conclude(record, { check, options }) },
  };
}

type Work = { readonly check: OneCheck; readonly options: CheckRunOptions };

async function annotate(
  review: ReviewRecord['review'],
  { check, options, posted }: Work & { posted: readonly Delivered[] },
): Promise<Delivery> {
  const started = await check.started();
  if (!started.ok) return withReason(await options.fallback.deliver(review, posted), started.reason);
  const annotations = renderCheckAnnotations(review, { redact: options.redact, posted });
  const { written, trouble } = await sendPages(check, annotations);
  const delivered = annotations
    .slice(0, written)
    .map(({ findingId }): Delivered => ({ findingId, place: 'annotation', url: check.url }));
  if (trouble !== null) {
    const there = new Set(delivered.map(({ findingId }) => findingId));
    const rest = review.findings.filter(({ id }) => !there.has(id));
    const fallen = withReason(await options.fallback.deliver({ ...review, findings: rest }, posted), trouble);
    return { ...fallen, delivered: [...delivered, ...fallen.delivered] };
  }
  const isEmpty = annotations.length === 0;
  return {
    sink: 'annotations',
    status: isEmpty ? 'skipped' : 'delivered',
    reason: isEmpty ? 'There is nothing to annotate.' : null,
    delivered,
    url: null,
  };
}

function withReason(delivery: Delivery, reason: string): Delivery {
  return { ...delivery, reason: [reason, delivery.reason ?? ''].join(' ').trim() };
}

/** Sends page after page, until GitHub refuses one. */
async function sendPages(check: OneCheck, annotations: readonly CheckAnnotation[]) {
  for (let start = 0; start < annotations.length; start += annotationsARequest) {
    try {
      await check.annotate(annotations.slice(start, start + annotationsARequest));
    } catch (error) {
      const which = start === 0 ? 'no annotations' : `no more than ${start} annotations`;
      return { written: start, trouble: `GitHub accepted ${which}: ${refusalIn(error).reason}.` };
    }
  }
  return { written: annotations.length, trouble: null };
}

const pointer = 'The rest did not fit here and is in the job summary.';

async function conclude(record: ReviewRecord, { check, options }: Work): Promise<Delivery> {
  const { review, deliveries } = record;
  const delivery = (status: Delivery['status'], reason: string | null, url: string | null = null): Delivery => {
    return { sink: 'check run', status, reason, delivered: [], url };
  };
  const started = await check.started();
  if (!started.ok) {
    // The annotations, where there are any, have said it already.
    const wasTold = deliveries.some(({ reason }) => reason?.includes(started.reason) === true);
    return delivery('refused', wasTold ? null : started.reason);
  }
  const conclusion = conclusionOf(record.verdict);
  const summary = cutMarkdown(options.render(record), { max: summaryCharacters, measure: characters, pointer });
  const headline = visibleLine(options.redact(record.verdict.title ?? review.headline));
  const title = cutText(headline, { max: titleCharacters, measure: characters });
  try {
    await check.complete({ conclusion, title, summary });
  } catch (error) {
    return delivery('failed', `The check could not be completed: ${refusalIn(error).reason}.`, check.url);
  }
  const trouble = check.troubleTelling;
  return delivery('delivered', trouble === null ? null : `Could not update its progress: ${trouble}.`, check.url);
}

type Started = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Progress is reported at most so often, and so many times: each is a write. */
const tellMilliseconds = 10_000;
const toldAtMost = 20;

/** The one check of a run, from its creation to its conclusion. Its writes go out one after the other. */
class OneCheck {
  readonly #options: CheckRunOptions;
  readonly #requests: CheckRequests;
  #id: number | null = null;
  /** Address of the check; null until it was created. */
  url: string | null = null;
  /** Why progress is not reported any more, in GitHub's words; null while nothing went wrong. */
  troubleTelling: string | null = null;
  #creating: Promise<Started> | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  #toldAt = 0;
  #told = 0;
  #annotated = 0;
  #title = 'The review is running.';

  constructor(options: CheckRunOptions) {
    this.#options = options;
    this.#requests = checkRequests(options);
  }

  /** Creates the check; nobody has to wait for it. */
  start(): void {
    // Whoever asks whether it started learns what went wrong.
    this.started().catch(() => undefined);
  }

  /** Whether there is a check, once it is known. */
  started(): Promise<Started> {
    this.#creating ??= this.#create();
    return this.#creating;
  }

  /** A line of progress, when the last one is some seconds old. Never waits and never fails. */
  tell(text: string): void {
    const now = this.#options.now();
    if (this.#id === null || this.troubleTelling !== null) return;
    if (this.#told >= toldAtMost || now - this.#toldAt < tellMilliseconds) return;
    this.#toldAt = now;
    this.#told += 1;
    this.#title = cutText(visibleLine(this.#options.redact(text)), { max: titleCharacters, measure: characters });
    this.#inTurn((id) => this.#requests.update(id, { status: 'in_progress', output: this.#output() })).catch(
      (error: unknown) => {
        this.troubleTelling = refusalOf(error)?.reason ?? String(error);
      },
    );
  }

  /** Adds annotations, 50 at most. */
  async annotate(page: readonly CheckAnnotation[]): Promise<void> {
    await this.#inTurn((id) => this.#requests.annotate(id, { output: this.#output(), page, before: this.#annotated }));
    this.#annotated += page.length;
  }

  async complete(end: CheckEnd): Promise<void> {
    await this.#inTurn(async (id) => {
      this.#options.onCheck?.({ id, end });
      await this.#requests.complete(id, end);
      this.#options.onCheck?.(null);
    });
  }

  async #create(): Promise<Started> {
    try {
      const { id, url } = await this.#requests.create(this.#output());
      this.#id = id;
      this.url = url;
      this.#options.onCheck?.({ id, end: null });
      this.#toldAt = this.#options.now();
      return { ok: true };
    } catch (error) {
      const { kind, reason } = refusalIn(error);
      const hint = kind === 'permission' ? ' Grant `checks: write`.' : '';
      return { ok: false, reason: `There is no check run: ${reason}.${hint}` };
    }
  }

  #output(): CheckOutput {
    return { title: this.#title, summary: '' };
  }

  #inTurn(write: (id: number) => Promise<void>): Promise<void> {
    const id = this.#id;
    if (id === null) return Promise.resolve();
    const turn = this.#writing.then(() => write(id));
    this.#writing = turn.catch(() => undefined);
    return turn;
  }
}
