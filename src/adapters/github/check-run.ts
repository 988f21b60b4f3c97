import type { Reporter } from '../../core/events.ts';
import type { Message } from '../../core/messages/message.ts';
import type { Translator } from '../../core/messages/translator.ts';
import { type CheckAnnotation, renderCheckAnnotations } from '../../core/report/annotations.ts';
import { characters, cutMarkdown, cutText, visibleLine } from '../../core/report/text.ts';
import { failureTitle } from '../../core/report/wording.ts';
import {
  type Delivered,
  type Delivery,
  type Destination,
  deliveredIn,
  deliveryOf,
  type ReviewRecord,
} from '../../core/review/sink.ts';
import { conclusionOf } from '../../core/review/verdict.ts';
import { capitalised } from '../../core/text.ts';
import { type GitHub, inRepository, refusalIn, refusalOf } from './client.ts';
import { writeOnce } from './posted.ts';
import type { GitHubSession } from './pull.ts';

type CheckOutput = { readonly title: string; readonly summary: string };
type Conclusion = 'success' | 'neutral' | 'failure' | 'skipped';
type CheckEnd = CheckOutput & { readonly conclusion: Conclusion };

/** What somebody else needs to conclude a check that this process could not. */
type OpenCheck = { readonly id: number; readonly end: CheckEnd | null };

export type CheckRunOptions = {
  /** Full hash of the reviewed head: the check belongs to it. */
  readonly headSha: string;
  /** As it is shown on the pull request. */
  readonly name: string;
  /** Address behind "Details"; null when it is not known. */
  readonly detailsUrl: string | null;
  readonly now: () => number;
  /** Takes the annotations when the token may not write checks. */
  readonly fallback: Destination;
  readonly render: (record: ReviewRecord) => string;
  readonly redact: (text: string) => string;
  /** In the language of the pull request. */
  readonly t: Translator;
  /** Called when the check is open, how it is to end before that is asked for, and null once it is concluded. */
  readonly onCheck?: ((check: OpenCheck | null) => void) | undefined;
};

type CheckRunWork = GitHubSession & CheckRunOptions;

/** What the checks API takes, in characters. */
const titleCharacters = 255;
const summaryCharacters = 65_535;
/** What it takes in one request. */
const annotationsARequest = 50;

/**
 * A check of our own: in progress while the review runs, with all annotations, and with a conclusion that follows `fail-on`. Without `checks:
 * write` the annotations go to the fallback, and the check is left out.
 */
export function checkRun(
  session: GitHubSession,
  given: CheckRunOptions,
): {
  readonly reporter: Reporter;
  readonly annotations: Destination;
  readonly conclusion: Destination;
} {
  const options = { ...session, ...given };
  const check = new OneCheck(options);
  return {
    reporter: (event) => {
      if (event.type === 'review-start') check.start();
      if (event.type === 'batch-end') {
        check.tell(
          `${event.batch}${options.t({ code: 'punctuation.colon-space' })}${capitalised(options.t(event.result))}`,
        );
      }
    },
    annotations: { name: 'annotations', deliver: (record) => annotate(record, { check, options }) },
    conclusion: { name: 'check run', deliver: (record) => conclude(record, { check, options }) },
  };
}

type Work = { readonly check: OneCheck; readonly options: CheckRunWork };

async function annotate(record: ReviewRecord, { check, options }: Work): Promise<Delivery> {
  const { review } = record;
  const started = await check.started();
  if (!started.ok) return withReason(await options.fallback.deliver(record), ...started.reason);
  const annotations = renderCheckAnnotations(review, {
    redact: options.redact,
    posted: deliveredIn(record),
    t: options.t,
  });
  const { written, trouble } = await sendPages(check, annotations);
  const delivered = annotations
    .slice(0, written)
    .map(({ findingId }): Delivered => ({ findingId, place: 'annotation', url: check.url }));
  if (trouble !== null) {
    const there = new Set(delivered.map(({ findingId }) => findingId));
    const rest = review.findings.filter(({ id }) => !there.has(id));
    const left = { ...record, review: { ...review, findings: rest } };
    const fallen = withReason(await options.fallback.deliver(left), trouble);
    return { ...fallen, delivered: [...delivered, ...fallen.delivered] };
  }
  const isEmpty = annotations.length === 0;
  return {
    sink: 'annotations',
    status: isEmpty ? 'skipped' : 'delivered',
    reason: isEmpty ? [{ code: 'annotation.nothing' }] : [],
    delivered,
    url: null,
  };
}

function withReason(delivery: Delivery, ...reason: readonly Message[]): Delivery {
  return { ...delivery, reason: [...reason, ...delivery.reason] };
}

/** Sends page after page, until GitHub refuses one. */
async function sendPages(check: OneCheck, annotations: readonly CheckAnnotation[]) {
  for (let start = 0; start < annotations.length; start += annotationsARequest) {
    try {
      await check.annotate(annotations.slice(start, start + annotationsARequest));
    } catch (error) {
      const why = refusalIn(error).reason;
      const trouble: Message =
        start === 0
          ? { code: 'delivery.no-annotations', why }
          : { code: 'delivery.some-annotations', accepted: start, why };
      return { written: start, trouble };
    }
  }
  return { written: annotations.length, trouble: null };
}

async function conclude(record: ReviewRecord, { check, options }: Work): Promise<Delivery> {
  const { deliveries } = record;
  const started = await check.started();
  if (!started.ok) {
    // The annotations, where there are any, have said it already.
    const wasTold = deliveries.some(({ reason }) => reason.some(({ code }) => code === 'delivery.no-check'));
    return deliveryOf('check run', 'refused', wasTold ? null : started.reason);
  }
  const conclusion = conclusionOf(record.verdict);
  const { t } = options;
  const pointer = t({ code: 'cut.job-summary' });
  const summary = cutMarkdown(options.render(record), { max: summaryCharacters, measure: characters, pointer });
  const { verdict, review } = record;
  const told = visibleLine(options.redact(failureTitle(verdict, t) ?? t.sentences(review.headline)));
  const title = cutText(told, { max: titleCharacters, measure: characters });
  try {
    await check.complete({ conclusion, title, summary });
  } catch (error) {
    const reason: Message = { code: 'delivery.check-not-completed', why: refusalIn(error).reason };
    return deliveryOf('check run', 'failed', reason, check.url);
  }
  const trouble = check.troubleTelling;
  const note: Message | null = trouble === null ? null : { code: 'delivery.check-progress', why: trouble };
  return deliveryOf('check run', 'delivered', note, check.url);
}

type Started = { readonly ok: true } | { readonly ok: false; readonly reason: readonly Message[] };

/** Progress is reported at most so often, and so many times: each is a write. */
const tellMilliseconds = 10_000;
const toldAtMost = 20;

type Check = Awaited<ReturnType<GitHub['rest']['checks']['get']>>['data'];
type Change = {
  readonly status?: 'in_progress' | 'completed';
  readonly conclusion?: Conclusion;
  readonly completed_at?: string;
  readonly output: CheckOutput & { annotations?: ReturnType<typeof asParameters>[] };
};

/**
 * The one check of a run, from its creation to its conclusion. Its writes go out one after the other. After a lost answer the check itself tells
 * whether it has what was sent, and nothing is sent twice: annotations would be appended again, and a second check would never be completed.
 */
class OneCheck {
  readonly #options: CheckRunWork;
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
  #title: string;

  constructor(options: CheckRunWork) {
    this.#options = options;
    this.#title = options.t({ code: 'check.running' });
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
    this.#update({ status: 'in_progress', output: this.#output() }).catch((error: unknown) => {
      this.troubleTelling = refusalOf(error)?.reason ?? String(error);
    });
  }

  /** Adds annotations, 50 at most. */
  async annotate(page: readonly CheckAnnotation[]): Promise<void> {
    const before = this.#annotated;
    const output = { ...this.#output(), annotations: page.map(asParameters) };
    await this.#update({ output }, (check) => check.output.annotations_count > before);
    this.#annotated += page.length;
  }

  async complete(end: CheckEnd): Promise<void> {
    const { conclusion, ...output } = end;
    const id = this.#id;
    if (id === null) return;
    await this.#writing;
    this.#options.onCheck?.({ id, end });
    const completed_at = new Date(this.#options.now()).toISOString();
    await this.#update(
      { status: 'completed', conclusion, completed_at, output },
      ({ status }) => status === 'completed',
    );
    this.#options.onCheck?.(null);
  }

  async #create(): Promise<Started> {
    const { github, reference, headSha, name, detailsUrl, now, onCheck } = this.#options;
    const startedAt = new Date(now()).toISOString();
    // Others may be called the same: a re-run, or a run at the same time.
    const externalId = `postil ${startedAt}`;
    try {
      const { id, html_url } = await writeOnce(github, {
        write: async () => {
          const sent = {
            ...inRepository(reference),
            name,
            head_sha: headSha,
            external_id: externalId,
            status: 'in_progress',
            started_at: startedAt,
            output: this.#output(),
            ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
          } as const;
          return (await github.rest.checks.create(sent)).data;
        },
        look: async () => {
          const asked = { ref: headSha, check_name: name, filter: 'all', per_page: 100 } as const;
          const checks = await github.paginate(github.rest.checks.listForRef, { ...inRepository(reference), ...asked });
          return checks.find(({ external_id }) => external_id === externalId) ?? null;
        },
      });
      this.#id = id;
      this.url = html_url;
      onCheck?.({ id, end: null });
      this.#toldAt = now();
      return { ok: true };
    } catch (error) {
      const { kind, reason } = refusalIn(error);
      const hint: readonly Message[] = kind === 'permission' ? [{ code: 'grant.checks' }] : [];
      return { ok: false, reason: [{ code: 'delivery.no-check', why: reason }, ...hint] };
    }
  }

  #output(): CheckOutput {
    return { title: this.#title, summary: '' };
  }

  /** In its turn. Without `isThere` an answer that is lost stays lost. */
  #update(change: Change, isThere?: (check: Check) => boolean): Promise<unknown> {
    const { github, reference } = this.#options;
    if (this.#id === null) return Promise.resolve();
    const check = { ...inRepository(reference), check_run_id: this.#id };
    const write = async () => (await github.rest.checks.update({ ...check, ...change })).data;
    const look = async () => {
      const { data } = await github.rest.checks.get(check);
      return isThere?.(data) ? data : null;
    };
    const turn = this.#writing.then(() => (isThere === undefined ? write() : writeOnce(github, { write, look })));
    this.#writing = turn.catch(() => undefined);
    return turn;
  }
}

function asParameters({ path, startLine, endLine, level, title, message }: CheckAnnotation) {
  return { path, start_line: startLine, end_line: endLine, annotation_level: level, title, message };
}
