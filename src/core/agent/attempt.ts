import type { Agent } from './agent.ts';
import type { Reservation } from './budget.ts';
import type { Phase } from './event.ts';
import { type ModelAnswer, ModelError, type ModelRequest } from './model.ts';
import { costOf } from './price.ts';
import { type TimeLimit, withTimeLimit } from './time-limit.ts';
import { noUsage, type Usage } from './usage.ts';
import { watchAnswer } from './watch-answer.ts';

/** What an attempt used, as reported or as estimated, and what that costs: null without a price. */
type Used = { readonly usage: Usage; readonly cost: number | null };

export type Attempt = Used &
  (
    | { readonly kind: 'answer'; readonly answer: ModelAnswer }
    | { readonly kind: 'failed'; readonly error: ModelError }
    /** The deadline of the call passed while it was under way. */
    | { readonly kind: 'deadline' }
    | { readonly kind: 'cancelled' }
  );

export type AttemptedCall = {
  readonly request: ModelRequest;
  readonly phase: Phase;
  readonly reservation: Reservation;
  readonly deadline: number;
};

/**
 * One attempt of one call, settled with what it used. An attempt that was given up counts its prompt and what was written until
 * then, because the server may go on and bill it.
 */
export async function attempt(agent: Agent, call: AttemptedCall): Promise<Attempt> {
  const { request, reservation, deadline } = call;
  let characters = 0;
  const noteProgress = (written: number) => {
    characters = written;
  };
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
  try {
    const timed = await askWatched(agent, { ...call, milliseconds, noteProgress });
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

type WatchedCall = AttemptedCall &
  Pick<TimeLimit, 'milliseconds'> & { readonly noteProgress: (written: number) => void };

function askWatched(agent: Agent, { request, phase, milliseconds, noteProgress }: WatchedCall) {
  const limit = { clock: agent.clock, milliseconds, signal: agent.signal };
  return withTimeLimit(limit, (signal) => {
    const watch = watchAnswer(agent, { phase, signal });
    const onProgress = (characters: number) => {
      noteProgress(characters);
      watch.onProgress(characters);
      request.onProgress?.(characters);
    };
    return Promise.race([agent.model.answer({ ...request, onProgress }, signal), watch.idle]);
  });
}

function timeoutError(milliseconds: number): ModelError {
  return new ModelError('transient', `The model gave no answer within ${Math.round(milliseconds / 1_000)} seconds.`);
}

function estimateUsage(agent: Agent, given: { readonly answer: ModelAnswer; readonly input: number }): Usage {
  const { text, toolCalls } = given.answer.message;
  const written = [text, ...toolCalls.map((call) => `${call.name} ${call.arguments}`)].join('\n');
  return { ...noUsage, input: given.input, output: agent.estimateTokens(written), estimated: true };
}
