import { reasons } from '../errors.ts';
import type { Agent } from './agent.ts';
import type { Reservation } from './budget.ts';
import { type Conversation, lastCallSize, requestOf, shrink, sizeOf } from './conversation.ts';
import type { Phase, StopReason } from './event.ts';
import { imagesOf } from './message.ts';
import { costOf, type ModelAnswer, ModelError, type ModelRequest, noUsage, type Usage } from './model.ts';
import { watchAnswer, withTimeLimit } from './waiting.ts';

/**
 * The one way to the model. Every attempt is reserved, limited in time, settled and counted; transient errors are tried
 * again, five attempts in all. A context that overflowed is shrunk once, and tried once more.
 */
export async function callModel(conversation: Conversation, phase: Phase): Promise<ModelAnswer | StopReason> {
  const came = await callWithRetries(conversation, phase);
  const overflowed = 'reason' in came && came.reason === 'context-overflow';
  return overflowed && shrink(conversation) ? callWithRetries(conversation, phase) : came;
}

async function callWithRetries(conversation: Conversation, phase: Phase): Promise<ModelAnswer | StopReason> {
  const { agent, meter, member, offer } = conversation;
  const { emit, clock, budget } = agent;
  const request = requestOf(conversation);
  const size = sizeOf(conversation, request);
  const start = clock.now();
  for (let number = 1; ; number += 1) {
    if (agent.signal.aborted) return { reason: 'cancelled' };
    const after = lastCallSize(conversation, { outputTokens: size.output });
    const reservation = offer === 'the last' ? member.reserveLast(size) : member.reserve(size, after);
    if (!reservation.granted) return { reason: 'limit', limit: reservation.limit };
    if (number === 1) {
      const step = meter.metrics.iterations + (phase === 'review' ? 1 : 0);
      emit({ type: 'step-start', phase, inputEstimate: reservation.input, step, maxSteps: agent.limits.maxSteps });
    }
    const deadline = offer === 'the last' ? budget.hardDeadline : budget.softDeadline;
    const { came, ...used } = await attempt(agent, { request, phase, reservation, deadline });
    meter.countAttempt({ phase, ...used });
    if (came instanceof ModelError) {
      const stop = await waitOrStop(agent, { error: came, number });
      if (stop === null) continue;
      return stop;
    }
    if ('reason' in came) return came;
    if (phase === 'review') meter.countIteration();
    if (came.withoutImages !== true) agent.onImagesSeen?.(request.messages.flatMap(imagesOf));
    const { message, end } = came;
    const told = { step: meter.metrics.iterations, toolCalls: message.toolCalls.length, text: message.text };
    emit({ type: 'step-end', phase, milliseconds: clock.now() - start, ...used, end, ...told });
    return came;
  }
}

/** Null after a wait: try again. A wait past the soft deadline is worth it, as the last call comes after it. */
async function waitOrStop(
  agent: Agent,
  { error, number }: { error: ModelError; number: number },
): Promise<StopReason | null> {
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
  return { reason: 'model-failed', message, hint: error.hint, label: error.label };
}

/** What came of an attempt, what it used, as reported or as estimated, and what that costs: null without a price. */
type Attempt = {
  readonly came: ModelAnswer | ModelError | StopReason;
  readonly usage: Usage;
  readonly cost: number | null;
};

/**
 * One attempt of one call, settled with what it used. An attempt that was given up counts its prompt and what was written until
 * then, because the server may go on and bill it.
 */
async function attempt(
  agent: Agent,
  call: { request: ModelRequest; phase: Phase; reservation: Reservation; deadline: number },
): Promise<Attempt> {
  const { request, phase, reservation, deadline } = call;
  const { clock, conversation, price } = agent;
  const { input } = reservation;
  const timeLeft = deadline - clock.now();
  const milliseconds = Math.min(agent.limits.callMilliseconds, timeLeft);
  let characters = 0;
  let usage: Usage | null = null;
  const used = (): Usage => {
    const output = Math.min(request.maxOutputTokens, Math.ceil(characters / charactersPerToken));
    return usage ?? { ...noUsage, input, output, estimated: true };
  };
  const ended = (came: Attempt['came']): Attempt => {
    return { came, usage: used(), cost: price === null ? null : costOf(used(), price) };
  };
  const ask = (signal: AbortSignal) => {
    const watch = watchAnswer(agent, { phase, signal });
    const onProgress = (written: number) => {
      characters = written;
      watch.onProgress(written);
    };
    const asker = conversation === undefined ? {} : { conversation };
    return Promise.race([agent.model.answer({ ...request, ...asker, onProgress }, signal), watch.idle]);
  };
  try {
    const timed = await withTimeLimit({ clock, milliseconds, signal: agent.signal }, ask);
    if (timed.ended === 'cancelled') return ended({ reason: 'cancelled' });
    if (timed.ended === 'done') {
      usage = timed.value.usage ?? estimateUsage(agent, { answer: timed.value, input });
      return ended(timed.value);
    }
    // The deadline of the call passed while it was under way.
    if (timeLeft <= agent.limits.callMilliseconds) return ended({ reason: 'limit', limit: 'time' });
    return ended(timeoutError(milliseconds));
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (!error.maybeBilled) usage = noUsage;
    return ended(error);
  } finally {
    reservation.settle(used());
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
