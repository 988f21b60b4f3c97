import { reasons } from '../errors.ts';
import { type Attempt, attempt } from './attempt.ts';
import type { Refusal, Reservation } from './budget.ts';
import type { Phase, StopReason } from './event.ts';
import { imagesOf } from './image-message.ts';
import type { ModelAnswer, ModelError, ModelRequest } from './model.ts';
import { maxAttempts, waitBeforeRetry } from './retry.ts';
import { lastCallSize, nextRequest, type Session } from './session.ts';

export type Called =
  | { readonly answered: true; readonly answer: ModelAnswer }
  | { readonly answered: false; readonly stop: StopReason };

/**
 * The one way to the model. Every attempt is reserved, limited in time, settled and counted; transient errors are tried
 * again, five attempts in all. A context that overflowed is shrunk once, and tried once more.
 */
export async function callModel(session: Session, phase: Phase): Promise<Called> {
  const called = await callWithRetries(session, phase);
  if (called.answered || called.stop.reason !== 'context-overflow') return called;
  return session.history.shrink() ? callWithRetries(session, phase) : called;
}

async function callWithRetries(session: Session, phase: Phase): Promise<Called> {
  const { agent, meter } = session;
  const request = nextRequest(session, phase);
  const start = agent.clock.now();
  for (let number = 1; ; number += 1) {
    if (agent.signal.aborted) return stopped({ reason: 'cancelled' });
    const reservation = reserve(session, { request, phase });
    if (!reservation.granted) return stopped({ reason: 'limit', limit: reservation.limit });
    if (number === 1) emitStart(session, { phase, inputEstimate: reservation.input });
    const outcome = await attempt(agent, { request, phase, reservation, deadline: deadlineOf(session, phase) });
    meter.countAttempt({ phase, usage: outcome.usage, cost: outcome.cost });
    if (outcome.kind === 'answer') {
      if (phase === 'review') meter.countIteration();
      noteImages(session, { request, answer: outcome.answer });
      emitEnd(session, { phase, start, outcome });
      return { answered: true, answer: outcome.answer };
    }
    const stop =
      outcome.kind === 'failed' ? await waitOrStop(session, { error: outcome.error, number }) : stopOf(outcome);
    if (stop !== null) return stopped(stop);
  }
}

function noteImages(
  { agent }: Session,
  { request, answer }: { readonly request: ModelRequest; readonly answer: ModelAnswer },
): void {
  if (answer.withoutImages !== true) agent.onImagesSeen?.(request.messages.flatMap(imagesOf));
}

function reserve(
  session: Session,
  call: { readonly request: ModelRequest; readonly phase: Phase },
): Reservation | Refusal {
  const size = session.sizeOf(call.request);
  if (call.phase !== 'review') return session.member.reserveLast(size);
  return session.member.reserve(size, lastCallSize(session, { messages: [], outputTokens: size.output }));
}

function deadlineOf({ agent }: Session, phase: Phase): number {
  return phase === 'review' ? agent.budget.softDeadline : agent.budget.hardDeadline;
}

function stopOf(outcome: { readonly kind: 'deadline' | 'cancelled' }): StopReason {
  return outcome.kind === 'cancelled' ? { reason: 'cancelled' } : { reason: 'limit', limit: 'time' };
}

/** Null after a wait: try again. A wait past the soft deadline is worth it, as the last call comes after it. */
async function waitOrStop(
  { agent }: Session,
  failure: { readonly error: ModelError; readonly number: number },
): Promise<StopReason | null> {
  const { error, number } = failure;
  if (error.kind === 'context-overflow') return { reason: 'context-overflow' };
  if (error.kind !== 'transient') return failed(error, '');
  if (number >= maxAttempts) return failed(error, `Tried ${maxAttempts} times.`);
  const wait = waitBeforeRetry(error, { attempt: number, random: agent.random });
  if (agent.clock.now() + wait >= agent.budget.hardDeadline) {
    return failed(error, `Another attempt, in ${Math.ceil(wait / 1_000)} seconds, would be after the deadline.`);
  }
  agent.emit({ type: 'call-retry', attempt: number, waitMilliseconds: wait, reason: error.message });
  await agent.clock.wait(wait, agent.signal);
  return null;
}

function failed(error: ModelError, whyNotAgain: string): StopReason {
  const message = [...reasons(error.message), ...reasons(whyNotAgain)].join(' ');
  return { reason: 'model-failed', message, hint: error.hint };
}

function stopped(stop: StopReason): Called {
  return { answered: false, stop };
}

function emitStart(session: Session, step: { readonly phase: Phase; readonly inputEstimate: number }): void {
  const { agent, meter } = session;
  const number = step.phase === 'review' ? meter.iterations + 1 : meter.iterations;
  agent.emit({ type: 'step-start', ...step, step: number, maxSteps: agent.limits.maxSteps });
}

function emitEnd(
  session: Session,
  step: { readonly phase: Phase; readonly start: number; readonly outcome: Extract<Attempt, { kind: 'answer' }> },
): void {
  const { agent, meter } = session;
  const { answer, usage, cost } = step.outcome;
  agent.emit({
    type: 'step-end',
    phase: step.phase,
    step: meter.iterations,
    milliseconds: agent.clock.now() - step.start,
    usage,
    cost,
    end: answer.end,
    toolCalls: answer.message.toolCalls.length,
    text: answer.message.text,
  });
}
