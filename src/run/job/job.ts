import { type JobEvent, readEvent, targetOf } from '../../adapters/actions/event.ts';
import { pageName } from '../../core/addresses.ts';
import { UserError } from '../../core/errors.ts';
import { verbatim } from '../../core/messages/message.ts';
import { settingsFirst } from '../../core/settings/parse-settings.ts';
import type { Settings } from '../../core/settings/settings.ts';
import { type Job, type JobStart, openJob } from './context.ts';
import { deliverFailure, deliverSkip, endStep, type StepResult } from './ending.ts';

/** One step of a job: read the inputs, read the event, review its pull request, deliver, and exit. */
export async function runJob(start: JobStart): Promise<void> {
  const job = await openJob(start);
  try {
    endStep(await reviewEvent(job), job.inputs.redact);
  } finally {
    await job.output.close();
  }
}

async function reviewEvent(job: Job): Promise<StepResult> {
  const { layers, preview } = job.inputs;
  try {
    const event = readEvent(job.environment);
    const target = await settingsFirst(layers, async () => targetOf(event, preview));
    if (target.kind === 'skip') return await deliverSkip(job, { why: verbatim(target.reason), isEvent: true });
    if (target.kind === 'number' && target.heard !== undefined) refuseGate(event, preview);
    // Loaded when there is something to review: GitHub's client takes a quarter of the start.
    const { reviewTarget } = await import(/* webpackMode: "eager" */ './review-target.ts');
    return await reviewTarget(job, event, target);
  } catch (error) {
    return await deliverFailure(job, error);
  }
}

/**
 * A run that comments on lines start has a check at the head of the pull request, which would stand for a review.
 *
 * @throws UserError
 */
function refuseGate({ name }: JobEvent, { failOn, requireComplete }: Settings): void {
  if (!name.startsWith('pull_request_review') || (failOn === 'never' && !requireComplete)) return;
  throw new UserError(
    `A job with 'fail-on' or 'require-complete' cannot answer comments on lines (${name}): its check would pass for a review.`,
    { hint: `Answer them in a job of its own: ${pageName('commands.md')}` },
  );
}
