import * as core from '@actions/core';
import { inEnglish } from '../../core/messages/languages.ts';
import type { Message } from '../../core/messages/message.ts';
import { neutralise } from '../../core/report/text.ts';
import { deliver } from '../../core/review/deliver.ts';
import type { StoppedDraft } from '../../core/review/draft.ts';
import { emptyReview } from '../../core/review/empty-review.ts';
import type { Destination } from '../../core/review/sink.ts';
import { failure } from '../../core/review/stops.ts';
import { openGate, type Verdict } from '../../core/review/verdict.ts';
import { handsOver } from '../../core/settings/settings.ts';
import type { Job } from './context.ts';

/** How a step ends: the last line of its log, and whether it fails. */
export type StepResult = { readonly gate: Verdict['gate']; readonly message: string };

/** Why there is nothing to review. */
export type Skip = {
  readonly why: Message;
  /** True where the event is for no pull request. */
  readonly isEvent: boolean;
  readonly headline?: readonly Message[];
};

/** Delivers a review that was skipped, like any other, so that no output and no summary is missing. */
export function deliverSkip(job: Job, { why, isEvent, headline }: Skip): Promise<StepResult> {
  return deliverStop(job, {
    stop: { reason: 'skipped', why },
    isEvent,
    headline,
    destinations: job.output.destinations,
  });
}

/** Delivers a review that failed, or was cancelled. */
export function deliverFailure(
  job: Job,
  error: unknown,
  destinations: readonly Destination[] = job.output.destinations,
): Promise<StepResult> {
  const { redact } = job.inputs;
  if (error instanceof Error && error.stack !== undefined) core.debug(neutralise(redact(error.stack)));
  const stop = job.run.signal.aborted ? ({ reason: 'cancelled' } as const) : failure(error);
  return deliverStop(job, { stop, isEvent: false, headline: undefined, destinations });
}

type Stop = {
  readonly stop: StoppedDraft['stop'];
  readonly isEvent: boolean;
  readonly headline: readonly Message[] | undefined;
  readonly destinations: readonly Destination[];
};

async function deliverStop({ run, inputs, output }: Job, { stop, isEvent, headline, destinations }: Stop) {
  const { report, journal } = output;
  const milliseconds = run.clock.now() - run.startedAt;
  // An event for no pull request has no earlier comments; every other ending may have come before they were read.
  const earlier = isEvent ? 'known' : 'unknown';
  const empty = emptyReview(stop, { pullRequest: null, milliseconds, isEvent, earlier });
  const review = { ...empty, headline: headline ?? empty.headline };
  report({ type: 'review-end', outcome: review.outcome, headline: inEnglish.sentences(review.headline), milliseconds });
  const gate = handsOver(inputs.preview) ? openGate : inputs.preview;
  const record = await deliver(review, { destinations: journal.noting(destinations), gate }, (delivery) =>
    report({ type: 'delivery-end', delivery }),
  );
  return record.verdict;
}

/** Writes the last line of the log, which decides whether the step fails. */
export function endStep({ gate, message }: StepResult, redact: (text: string) => string): void {
  const text = neutralise(redact(message));
  if (gate === 'fine') core.info(text);
  else if (gate === 'warn') core.warning(text, { title: 'Postil' });
  else core.setFailed(text);
}
