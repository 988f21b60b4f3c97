import * as core from '@actions/core';
import type { Journal } from './adapters/actions/journal.ts';
import { neutralise } from './adapters/actions/neutralise.ts';
import type { StoppedDraft } from './core/review/draft.ts';
import { failure } from './core/review/failure.ts';
import { whyOf } from './core/review/headline.ts';

/** Milliseconds that a cancelled run gets to end by itself (the runner kills it soon after), and that a run gets over its time. */
const usual = { afterSignal: 4_000, overtime: 3_000 };

export type Net = {
  readonly journal: Journal;
  readonly signal: AbortSignal;
  /** When the run must have ended, by the clock `Date.now`. */
  readonly end: number;
  readonly redact: (text: string) => string;
  readonly exit?: (code: number) => void;
  readonly patience?: typeof usual;
};

/**
 * Catches a run that breaks outside of everything that catches errors, that does not end when it is cancelled, or that does not end in its time:
 * what is known is written, and the process ends with an error of one line.
 */
export function spanNet({ journal, signal, end, redact, ...net }: Net): void {
  const { exit = (code: number) => process.exit(code), patience = usual } = net;
  const endNow = (stop: StoppedDraft['stop']) => {
    journal.end(stop);
    journal.deliverRest();
    core.setFailed(neutralise(redact(whyOf(stop))));
    exit(1);
  };
  process.on('uncaughtException', (error) => endNow(failure(error)));
  signal.addEventListener('abort', () => {
    journal.end({ reason: 'cancelled' });
    setTimeout(() => endNow({ reason: 'cancelled' }), patience.afterSignal).unref();
  });
  const late: StoppedDraft['stop'] = {
    reason: 'failed',
    message: 'The run did not end in its time (`timeout-minutes`), and was stopped.',
    hint: 'Look at the end of its log for what it waited for.',
  };
  setTimeout(() => endNow(late), Math.min(end + patience.overtime - Date.now(), longestTimer)).unref();
}

/** Timers of JavaScript overflow beyond this, and then fire at once. */
const longestTimer = 2 ** 31 - 1;
