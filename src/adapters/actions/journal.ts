import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { saveState, setOutput } from '@actions/core';
import type { Finding } from '../../core/findings/finding.ts';
import { renderOutputs } from '../../core/report/json.ts';
import { renderSummary } from '../../core/report/summary.ts';
import type { RenderContext } from '../../core/report/wording.ts';
import { emptyReview, type StoppedDraft } from '../../core/review/draft.ts';
import { headline } from '../../core/review/headline.ts';
import type { PlacedFinding, Review } from '../../core/review/review.ts';
import type { Recorder, ReviewRecord, Sink } from '../../core/review/sink.ts';
import { type Infer, parserFor } from '../../core/schema.ts';
import { readRegularFile } from './event.ts';

/** What a step would deliver if it ended now. It is on disk for whoever comes after a step that could not: the net, and the `post:` step. */
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['version', 'cancelled', 'summary', 'outputs', 'check'],
  properties: {
    version: { enum: [1] },
    cancelled: { type: 'boolean' },
    /** Markdown; null once the step itself has written its summary. */
    summary: { type: ['string', 'null'], maxLength: 1_100_000 },
    /** Null once the step itself has set them. */
    outputs: { type: ['object', 'null'], additionalProperties: { type: 'string', maxLength: 10_000 } },
    /** The check run that is open, and how it was to be completed when that is known. */
    check: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['id', 'end'],
      properties: {
        id: { type: 'integer', minimum: 1 },
        end: {
          type: ['object', 'null'],
          additionalProperties: false,
          required: ['conclusion', 'title', 'summary'],
          properties: {
            conclusion: { enum: ['success', 'neutral', 'failure', 'skipped'] },
            title: { type: 'string', maxLength: 255 },
            summary: { type: 'string', maxLength: 65_535 },
          },
        },
      },
    },
  },
} as const;

export type Journaled = Infer<typeof schema>;
export type OpenCheck = Journaled['check'];

const parse = parserFor(schema);

/** The name under which the runner keeps the journal's path for the `post:` step. */
const stateName = 'journal';

/** The path of the journal that a main step of this job left; null in a main step. */
export function journalOf(environment: NodeJS.ProcessEnv): string | null {
  return environment[`STATE_${stateName}`] || null;
}

/**
 * Null when there is no journal, or it is none of ours: other steps can write to the same folder, and a forged journal would conclude checks.
 * It is signed with the job's token; whoever has that needs no journal.
 */
export function readJournal(path: string, token: string): Journaled | null {
  try {
    const [signature = '', text = ''] = readRegularFile(path, maxJournalBytes).split('\n');
    const [expected, given] = [signatureOf(text, token), signature].map((hex) => Buffer.from(hex, 'hex'));
    if (expected === undefined || given === undefined || expected.length !== given.length) return null;
    if (!timingSafeEqual(expected, given)) return null;
    const parsed = parse(JSON.parse(text));
    return parsed.ok ? parsed.value : null;
  } catch {
    return null;
  }
}

/** Far more than a summary of 1 MB and the outputs take. */
const maxJournalBytes = 32_000_000;

function signatureOf(text: string, token: string): string {
  return createHmac('sha256', `postil journal 1 ${token}`).update(text).digest('hex');
}

type Stop = StoppedDraft['stop'];

const killed: Stop = {
  reason: 'failed',
  message: 'The step ended early: killed, out of memory, or broken.',
  hint: 'Look at the end of its log.',
};

type JournalOptions = {
  readonly context: RenderContext;
  readonly environment: NodeJS.ProcessEnv;
  /** The job's token, which signs. */
  readonly token: string;
  readonly startedAt: number;
  readonly now?: () => number;
};

/** Milliseconds between two writings of what is only a finding more. */
const writeEvery = 1_000;

/**
 * Keeps on disk what is known so far, as it would be delivered: redacted, and rendered like any review. Nothing here throws: a journal that
 * cannot be written is no reason to end a review.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #path: string | null;
  readonly #findings: Finding[] = [];
  #review: Review | null = null;
  #stop: Stop = killed;
  #check: OpenCheck = null;
  #summaryWritten = false;
  #outputsWritten = false;
  #wroteAt = Number.NEGATIVE_INFINITY;
  #later: NodeJS.Timeout | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
    const { RUNNER_TEMP: folder = '', GITHUB_STATE: state = '' } = options.environment;
    this.#path =
      folder === '' || state === '' ? null : `${folder}/postil-journal-${process.pid}-${options.startedAt}.json`;
    if (this.#path === null) return;
    this.#write();
    try {
      saveState(stateName, this.#path);
    } catch {
      // Without it there is no `post:` step to speak of.
    }
  }

  readonly addFinding = (finding: Finding): void => {
    this.#findings.push(finding);
    const wait = this.#wroteAt + writeEvery - this.#now();
    if (wait <= 0) this.#write();
    else this.#later ??= setTimeout(() => this.#write(), wait).unref();
  };

  /** From now on the check is open, or is to end like this; null once it is concluded. */
  readonly setCheck = (check: OpenCheck): void => {
    this.#check = check;
    this.#write();
  };

  /** The run ends otherwise than it should: what is written from now on says so. */
  end(stop: Stop): void {
    this.#stop = stop;
    this.#write();
  }

  /** These sinks, and the journal has the whole review before they begin. */
  before(sinks: readonly Sink[]): readonly Sink[] {
    return sinks.map((sink) => ({
      ...sink,
      deliver: (review, before) => {
        if (this.#review !== review) {
          this.#review = review;
          this.#write();
        }
        return sink.deliver(review, before);
      },
    }));
  }

  /** This recorder, and the journal knows when it has written. */
  noting(what: 'summary' | 'outputs', recorder: Recorder): Recorder {
    return {
      name: recorder.name,
      record: async (record) => {
        const delivery = await recorder.record(record);
        if (delivery.status !== 'delivered') return delivery;
        if (what === 'summary') this.#summaryWritten = true;
        else this.#outputsWritten = true;
        this.#write();
        return delivery;
      },
    };
  }

  /** Writes at once what the step did not get to. */
  deliverRest(): void {
    deliverRest(this.#journaled(), this.#options.environment);
    this.#summaryWritten = true;
    this.#outputsWritten = true;
    this.#write();
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #journaled(): Journaled {
    const { context } = this.#options;
    const isDone = this.#summaryWritten && this.#outputsWritten;
    const record = isDone ? null : this.#record();
    return {
      version: 1,
      cancelled: this.#stop.reason === 'cancelled',
      summary: this.#summaryWritten || record === null ? null : renderSummary(record, context),
      outputs: this.#outputsWritten || record === null ? null : renderOutputs(record, context.redact),
      check: this.#check,
    };
  }

  /** The whole review when there is one, else what was found until now, with the reason why there is no more. */
  #record(): ReviewRecord {
    if (this.#review !== null) {
      const text = `${this.#review.headline} The run ended while this was delivered: what was posted is not known.`;
      return recordOf({ ...this.#review, headline: text });
    }
    const empty = emptyReview(this.#stop, { pullRequest: null, milliseconds: this.#now() - this.#options.startedAt });
    const placements = this.#findings.map((finding) => ({ finding, place: 'summary', reason: notPosted }) as const);
    const said = headline(empty, placements, empty.coverage);
    const isCounted = placements.length === 0 || empty.outcome === 'partial';
    return recordOf({ ...empty, placements, headline: isCounted ? said : `${said} What was found is listed.` });
  }

  #write(): void {
    if (this.#path === null) return;
    this.#wroteAt = this.#now();
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = null;
    try {
      // Whole or not at all: whoever reads it comes after a crash.
      const text = JSON.stringify(this.#journaled());
      writeFileSync(`${this.#path}.new`, `${signatureOf(text, this.#options.token)}\n${text}`, { mode: 0o600 });
      renameSync(`${this.#path}.new`, this.#path);
    } catch {
      // A full disk: the step itself will say so.
    }
  }
}

/** Appends the summary and sets the outputs, as far as the step did not. Never throws. */
export function deliverRest({ summary, outputs }: Journaled, environment: NodeJS.ProcessEnv): void {
  const { GITHUB_STEP_SUMMARY: summaryFile = '', GITHUB_OUTPUT: outputFile = '' } = environment;
  try {
    if (summary !== null && summaryFile !== '') appendFileSync(summaryFile, summary, 'utf8');
  } catch {
    // The outputs may still be written.
  }
  if (outputs === null || outputFile === '') return;
  try {
    for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
  } catch {
    // There is nowhere left to write.
  }
}

export function removeJournal(path: string): void {
  rmSync(path, { force: true });
}

const notPosted = 'the run ended before it was posted';

function recordOf(review: Review): ReviewRecord {
  return { review, placed: review.placements.map(entryOf), deliveries: [], reflection: null };
}

function entryOf(placement: Review['placements'][number]): PlacedFinding {
  const { finding, place } = placement;
  if (place === 'suppressed') return { finding, place, reason: placement.reason, url: null };
  if (place === 'standing') return { finding, place, reason: placement.reason, url: placement.url };
  return { finding, place: 'summary', reason: notPosted, url: null };
}
