import { reasons } from '../errors.ts';
import type { Agent } from './agent.ts';
import type { Refusal, Reservation } from './budget.ts';
import type { Phase, StopReason } from './event.ts';
import { imagesOf } from './message.ts';
import { costOf, type ModelAnswer, ModelError, type ModelRequest, noUsage, type Usage } from './model.ts';
import { lastCallSize, nextRequest, type Session } from './session.ts';
import { watchAnswer, withTimeLimit } from './waiting.ts';

type Called =
  | { readonly answered: true; readonly answer: ModelAnswer }
  | { readonly answered: false; readonly stop: StopReason };

/**
 * The one way to the model. Every attempt is reserved, limited in time, settled and counted; transient errors are tried
 * again, five attempts in all. A context that overflowed is shrunk once, and tried once more. A second look is worth one attempt.
 */
export async function callModel(session: Session, phase: Phase): Promise<Called> {
  const called = await callWithRetries(session, phase);
  if (called.answered || called.stop.reason !== 'context-overflow' || phase === 'second-look') return called;
  return session.history.shrink() ? callWithRetries(session, phase) : called;
}

async function callWithRetries(session: Session, phase: Phase): Promise<Called> {
  const { agent, meter } = session;
  const request = nextRequest(session);
  const start = agent.clock.now();
  for (let number = 1; ; number += 1) {
    if (agent.signal.aborted) return stopped({ reason: 'cancelled' });
    const reservation = reserve(session, request);
    if (!reservation.granted) return stopped({ reason: 'limit', limit: reservation.limit });
    if (number === 1) emitStart(session, { phase, inputEstimate: reservation.input });
    const outcome = await attempt(agent, { request, phase, reservation, deadline: deadlineOf(session) });
    meter.countAttempt({ phase, usage: outcome.usage, cost: outcome.cost });
    if (outcome.kind === 'answer') {
      if (session.reading) session.iterations += 1;
      if (session.reading && phase === 'review') meter.countIteration();
      noteImages(session, { request, answer: outcome.answer });
      emitEnd(session, { phase, start, outcome });
      return { answered: true, answer: outcome.answer };
    }
    if (outcome.kind === 'cancelled') return stopped({ reason: 'cancelled' });
    if (outcome.kind === 'deadline') return stopped({ reason: 'limit', limit: 'time' });
    const stop = await waitOrStop(agent, { error: outcome.error, phase, number });
    if (stop !== null) return stopped(stop);
  }
}

function noteImages({ agent }: Session, { request, answer }: { request: ModelRequest; answer: ModelAnswer }): void {
  if (answer.withoutImages !== true) agent.onImagesSeen?.(request.messages.flatMap(imagesOf));
}

function reserve(session: Session, request: ModelRequest): Reservation | Refusal {
  const size = session.sizeOf(request);
  if (!session.reading) return session.member.reserveLast(size);
  return session.member.reserve(size, lastCallSize(session, { messages: [], outputTokens: size.output }));
}

function deadlineOf({ agent, reading }: Session): number {
  return reading ? agent.budget.softDeadline : agent.budget.hardDeadline;
}

/** Null after a wait: try again. A wait past the soft deadline is worth it, as the last call comes after it. */
async function waitOrStop(
  agent: Agent,
  { error, phase, number }: { error: ModelError; phase: Phase; number: number },
): Promise<StopReason | null> {
  if (error.kind === 'context-overflow') return { reason: 'context-overflow' };
  if (error.kind !== 'transient' || phase === 'second-look') return failed(error, '');
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
  return { reason: 'model-failed', message, hint: error.hint, label: error.label };
}

function stopped(stop: StopReason): Called {
  return { answered: false, stop };
}

function emitStart(session: Session, step: { phase: Phase; inputEstimate: number }): void {
  const { agent, meter } = session;
  const number = step.phase === 'review' ? meter.metrics.iterations + 1 : meter.metrics.iterations;
  agent.emit({ type: 'step-start', ...step, step: number, maxSteps: agent.limits.maxSteps });
}

function emitEnd(
  session: Session,
  step: { phase: Phase; start: number; outcome: Extract<Attempt, { kind: 'answer' }> },
): void {
  const { agent, meter } = session;
  const { answer, usage, cost } = step.outcome;
  agent.emit({
    type: 'step-end',
    phase: step.phase,
    step: meter.metrics.iterations,
    milliseconds: agent.clock.now() - step.start,
    usage,
    cost,
    end: answer.end,
    toolCalls: answer.message.toolCalls.length,
    text: answer.message.text,
  });
}

/** What an attempt used, as reported or as estimated, and what that costs: null without a price. */
type Used = { readonly usage: Usage; readonly cost: number | null };

type Attempt = Used &
  (
    | { readonly kind: 'answer'; readonly answer: ModelAnswer }
    | { readonly kind: 'failed'; readonly error: ModelError }
    /** The deadline of the call passed while it was under way. */
    | { readonly kind: 'deadline' }
    | { readonly kind: 'cancelled' }
  );

type AttemptedCall = {
  readonly request: ModelRequest;
  readonly phase: Phase;
  readonly reservation: Reservation;
  readonly deadline: number;
};

/**
 * One attempt of one call, settled with what it used. An attempt that was given up counts its prompt and what was written until
 * then, because the server may go on and bill it.
 */
async function attempt(agent: Agent, call: AttemptedCall): Promise<Attempt> {
  const { request, phase, reservation, deadline } = call;
  let characters = 0;
  const givenUp = (): Usage => {
    const output = Math.min(request.maxOutputTokens, Math.ceil(characters / charactersPerToken));
    return { ...noUsage, input: reservation.input, output, estimated: true };
  };
  const timeLeft = deadline - agent.clock.now();
  const milliseconds = Math.min(agent.limits.callMilliseconds, timeLeft);
  let usage: Usage | null = null;
  const used = (): Used => {
    usage ??= givenUp();
    return { usage, cost: agent.price === null ? null : costOf(usage, agent.price) };
  };
  const ask = (signal: AbortSignal) => {
    const watch = watchAnswer(agent, { phase, signal });
    const onProgress = (written: number) => {
      characters = written;
      watch.onProgress(written);
    };
    const asker = agent.conversation === undefined ? {} : { conversation: agent.conversation };
    return Promise.race([agent.model.answer({ ...request, ...asker, onProgress }, signal), watch.idle]);
  };
  try {
    const timed = await withTimeLimit({ clock: agent.clock, milliseconds, signal: agent.signal }, ask);
    if (timed.ended === 'cancelled') return { kind: 'cancelled', ...used() };
    if (timed.ended === 'done') {
      usage = timed.value.usage ?? estimateUsage(agent, { answer: timed.value, input: reservation.input });
      return { kind: 'answer', answer: timed.value, ...used() };
    }
    if (timeLeft <= agent.limits.callMilliseconds) return { kind: 'deadline', ...used() };
    return { kind: 'failed', error: timeoutError(milliseconds), ...used() };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (!error.maybeBilled) usage = noUsage;
    return { kind: 'failed', error, ...used() };
  } finally {
    reservation.settle(used().usage);
  }
}

/** Usual for English and code: used only where the text itself was lost. */
const charactersPerToken = 4;

function timeoutError(milliseconds: number): ModelError {
  return new ModelError('transient', `The model gave no answer within ${Math.round(milliseconds / 1_000)} seconds.`, {
    hint: 'Use a faster `model`, a lighter `profile`, or a lower `reasoning-effort`.',
  });
}

function estimateUsage(agent: Agent, given: { answer: ModelAnswer; input: number }): Usage {
  const { text, toolCalls } = given.answer.message;
  const written = [text, ...toolCalls.map((call) => `${call.name} ${call.arguments}`)].join('\n');
  return { ...noUsage, input: given.input, output: agent.estimateTokens(written), estimated: true };
}

const maxAttempts = 5;
const firstWait = 1_000;
const longestWait = 30_000;

/**
 * Milliseconds to wait after a failed attempt (1 is the first). What the server asks for is obeyed at any length;
 * otherwise the wait doubles from one second to thirty, a random half of it left out so that batches do not march in step.
 */
export function waitBeforeRetry(error: ModelError, given: { attempt: number; random: () => number }): number {
  if (error.retryAfter !== null) return Math.max(0, error.retryAfter);
  const wait = Math.min(longestWait, firstWait * 2 ** (given.attempt - 1));
  return Math.round(wait * (1 - given.random() / 2));
}
