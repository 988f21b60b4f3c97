import { createHmac, timingSafeEqual } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { Meter } from '../../core/agent/meter.ts';
import { encode, readerFor } from '../../core/codec.ts';
import type { Reporter } from '../../core/events.ts';
import { type Finding, type PlacedFinding, placed } from '../../core/findings/finding.ts';
import { inEnglish, translatorFor } from '../../core/messages/languages.ts';
import { recordFrom, redactedBy, reportOf } from '../../core/report/json.ts';
import type { RenderContext } from '../../core/report/wording.ts';
import { recordOf } from '../../core/review/deliver.ts';
import type { StoppedDraft } from '../../core/review/draft.ts';
import { emptyReview } from '../../core/review/empty-review.ts';
import { headline, stopMessages } from '../../core/review/headline.ts';
import { reportSchema } from '../../core/review/record.ts';
import type { Review } from '../../core/review/review.ts';
import { type Destination, destinationNames, publishes, type ReviewRecord } from '../../core/review/sink.ts';
import { openGate } from '../../core/review/verdict.ts';
import { anyText, exactly, type Infer, listOf, objectOrNull, textOrNull, yesOrNo } from '../../core/schema.ts';
import { readRegularFile } from './recorders.ts';

/** What a run knows, and what it has not written yet. It is on disk for whoever comes after a run that could not: the watchdog, and the `post:` step. */
const schema = exactly({
  version: { enum: [3] },
  cancelled: yesOrNo,
  isMade: {
    ...yesOrNo,
    description: 'The review was made, and is being delivered; else it holds what was found until now.',
  },
  report: reportSchema,
  left: listOf(
    exactly({ recorder: { enum: destinationNames }, to: anyText }),
    'The destinations that have not been written to, with what each needs: a path, or the format of what is printed.',
  ),
  context: exactly({ serverUrl: textOrNull, repository: textOrNull, language: anyText }),
  check: {
    ...exactly({
      id: { type: 'integer', minimum: 1 },
      end: {
        ...exactly({
          conclusion: { enum: ['success', 'neutral', 'failure', 'skipped'] },
          title: { type: 'string', maxLength: 255 },
          summary: { type: 'string', maxLength: 65_535 },
        }),
        ...objectOrNull,
      },
    }),
    ...objectOrNull,
    description: 'The check run that is open, and how it was to be completed when that is known.',
  },
});

export type Journaled = Infer<typeof schema>;
export type OpenCheck = Journaled['check'];
type UndeliveredPlaces = Journaled['left'];

const read = readerFor(schema);

/**
 * Null when there is no journal, or it is none of ours: other steps can write to the same folder, and a forged journal would conclude checks.
 * It is signed with the job's token; whoever has that needs no journal.
 */
export function readJournal(path: string, token: string): Journaled | null {
  try {
    const [signature = '', text = ''] = readRegularFile(path).split('\n');
    const [expected, given] = [signatureOf(text, token), signature].map((hex) => Buffer.from(hex, 'hex'));
    if (expected === undefined || given === undefined || expected.length !== given.length) return null;
    if (!timingSafeEqual(expected, given)) return null;
    const parsed = read(JSON.parse(text));
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}

function signatureOf(text: string, token: string): string {
  return createHmac('sha256', `postil journal 3 ${token}`).update(text).digest('hex');
}

/** Whole or not at all: whoever reads it comes after a crash. A disk that is full costs the journal alone. */
export function writeJournal(
  path: string,
  journaled: Journaled,
  { token, redact = (text) => text }: { token: string; redact?: (text: string) => string },
): void {
  const write = redactedBy(redact);
  const ofReport = 'report.';
  try {
    const whole = encode(schema, journaled, (text, place) =>
      place.startsWith(ofReport) ? write(text, place.slice(ofReport.length)) : text,
    );
    const text = JSON.stringify(whole);
    writeFileSync(`${path}.new`, `${signatureOf(text, token)}\n${text}`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // The run itself will say so.
  }
}

type Stop = StoppedDraft['stop'];

/** Where nobody knows more. */
export const killed: Stop = {
  reason: 'failed',
  message: 'The step ended early: killed, out of memory, or broken.',
  hint: 'Look at the end of its log.',
};

type JournalOptions = {
  readonly context: RenderContext;
  readonly path: string;
  /** The job's token, which signs. */
  readonly token: string;
  readonly startedAt: number;
  /** Of the clock that told `startedAt`. */
  readonly now: () => number;
  /** Where the review goes that somebody else can bring there, too. */
  readonly destinations: readonly Destination[];
};

/** Milliseconds. */
const writeAfter = 1_000;

/**
 * Keeps on disk what is known so far, redacted like any report. Nothing here throws: a journal that cannot be written is no reason to end a review.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #findings: Finding[] = [];
  /** Of the calls that were answered. */
  readonly #meter = new Meter();
  #made: ReviewRecord | null = null;
  #cancelled = false;
  #check: OpenCheck = null;
  #left: UndeliveredPlaces;
  #unwritten = 0;
  #later: NodeJS.Timeout | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#left = options.destinations.flatMap(({ name, to }) => (to === undefined ? [] : { recorder: name, to }));
    this.#write();
  }

  readonly addFinding = (finding: Finding): void => {
    const count = this.#findings.push(finding);
    this.#unwritten += 1;
    // Each of a few at once, of many when they are a quarter more, and what is left a second later.
    if (count <= 16 || this.#unwritten * 4 >= count) this.#write();
    else this.#writeLater();
  };

  /** Counts what the calls of the model take. */
  readonly count: Reporter = (event) => {
    if (event.type !== 'agent-event' || event.event.type !== 'step-end') return;
    const { phase, usage, cost } = event.event;
    this.#meter.countAttempt({ phase, usage, cost });
    if (phase === 'review') this.#meter.countIteration();
    if (this.#made === null) this.#writeLater();
  };

  /** From now on the check is open, or is to end like this; null once it is concluded. */
  readonly setCheck = (check: OpenCheck): void => {
    this.#check = check;
    this.#write();
  };

  /** The run is to stop: who finds the journal tells so. */
  cancel(): void {
    this.#cancelled = true;
    this.#write();
  }

  /** These destinations, and the journal has the record before each, and knows which have written. */
  noting(destinations: readonly Destination[]): readonly Destination[] {
    return destinations.map((destination) => ({
      ...destination,
      deliver: async (record) => {
        this.#keep(publishes(destination) ? undelivered(record.review) : record);
        const delivery = await destination.deliver(record);
        if (delivery.status !== 'delivered' || !this.#left.some(({ recorder }) => recorder === destination.name))
          return delivery;
        this.#left = this.#left.filter(({ recorder }) => recorder !== destination.name);
        this.#write();
        return delivery;
      },
    }));
  }

  #keep(record: ReviewRecord): void {
    const isKnown = this.#made?.review === record.review;
    this.#made = record;
    if (!isKnown) this.#write();
  }

  #journaled(): Journaled {
    const { context } = this.#options;
    const { serverUrl, repository, t = inEnglish } = context;
    return {
      version: 3,
      cancelled: this.#cancelled,
      isMade: this.#made !== null,
      report: reportOf(this.#made ?? this.#found(), context.run),
      left: this.#left,
      context: { serverUrl, repository, language: t.tag },
      check: this.#check,
    };
  }

  #found(): ReviewRecord {
    const { now, startedAt } = this.#options;
    const milliseconds = now() - startedAt;
    const { metrics } = this.#meter;
    const findings = this.#findings.map((finding) => placed(finding, 'summary', { reason: notPosted }));
    return undelivered({
      ...emptyReview(killed, { pullRequest: null, milliseconds, earlier: 'unknown' }),
      findings,
      metrics,
    });
  }

  #writeLater(): void {
    this.#later ??= setTimeout(() => this.#write(), writeAfter).unref();
  }

  #write(): void {
    const { path, token, context } = this.#options;
    this.#unwritten = 0;
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = null;
    writeJournal(path, this.#journaled(), { token, redact: context.redact });
  }
}

/** What a run came to that ended like this, after so many milliseconds where that is known, and how it is to be shown: what it made, else what it had found. */
export function lastRecord({ report, isMade, context: { language, ...place } }: Journaled, stop: Stop, lasted = 0) {
  const { record } = recordFrom(report);
  const { review } = record;
  const context: RenderContext = {
    ...place,
    // It was taken out when the journal was written.
    redact: (text) => text,
    name: 'Postil',
    t: translatorFor(language) ?? inEnglish,
    run: {
      version: report.postil,
      startedAt: () => report.startedAt ?? '',
      url: report.runUrl,
      timeline: () => report.timeline,
    },
  };
  if (isMade) {
    const ended = [...review.headline, { code: 'run.ended-in-delivery' } as const, ...stopMessages(stop)];
    const outcome = review.outcome === 'failed' ? 'failed' : 'partial';
    // Nothing is approved that nobody saw approved.
    const proven = { outcome, stop, headline: ended, approved: false, action: 'COMMENT' } as const;
    return { record: { ...record, review: { ...review, ...proven } }, context };
  }
  const milliseconds = Math.max(lasted, review.milliseconds);
  const empty = emptyReview(stop, { pullRequest: null, milliseconds, earlier: 'unknown' });
  const { findings, metrics } = review;
  const told = headline({ ...empty, model: review.limits.model }, findings, empty.coverage);
  const isCounted = findings.length === 0 || empty.outcome === 'partial';
  const ended = isCounted ? told : [...told, { code: 'run.findings-listed' } as const];
  return { record: { ...record, review: { ...empty, findings, metrics, headline: ended } }, context };
}

function undelivered(review: Review): ReviewRecord {
  const { findings } = review;
  return recordOf(review, { placed: findings.map(unposted), deliveries: [], reflection: null, gate: openGate });
}

const notPosted = { code: 'delivery.ended-before' } as const;

function unposted(finding: PlacedFinding): PlacedFinding {
  const isKnown = finding.place === 'suppressed' || finding.place === 'standing';
  return isKnown ? finding : { ...finding, place: 'summary', reason: notPosted };
}
