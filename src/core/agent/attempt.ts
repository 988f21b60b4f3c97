import type { Agent } from './agent.ts';
import type { Reservation } from './budget.ts';
import { type ModelAnswer, ModelError, type ModelRequest } from './model.ts';
import { withTimeLimit } from './time-limit.ts';
import { noUsage, type Usage } from './usage.ts';

export type Attempt =
  | { readonly kind: 'answer'; readonly answer: ModelAnswer; readonly usage: Usage }
  | { readonly kind: 'failed'; readonly error: ModelError; readonly usage: Usage }
  /** The deadline of the call passed while it was under way. */
  | { readonly kind: 'deadline'; readonly usage: Usage }
  | { readonly kind: 'cancelled'; readonly usage: Usage };

/**
 * One attempt of one call, settled with what it used: as reported, or as estimated. An attempt that was given up
 * counts its prompt, because the server may go on and bill it.
 */
export async function attempt(
  agent: Agent,
  call: { readonly request: ModelRequest; readonly reservation: Reservation; readonly deadline: number },
): Promise<Attempt> {
  const { request, reservation, deadline } = call;
  const givenUp: Usage = { ...noUsage, input: reservation.input, estimated: true };
  let usage = givenUp;
  try {
    const timeLeft = deadline - agent.clock.now();
    const milliseconds = Math.min(agent.limits.callMilliseconds, timeLeft);
    const limit = { clock: agent.clock, milliseconds, signal: agent.signal };
    const timed = await withTimeLimit(limit, (signal) => agent.model.answer(request, signal));
    if (timed.ended === 'cancelled') return { kind: 'cancelled', usage };
    if (timed.ended === 'done') {
      usage = timed.value.usage ?? estimateUsage(agent, { answer: timed.value, input: reservation.input });
      return { kind: 'answer', answer: timed.value, usage };
    }
    if (timeLeft <= agent.limits.callMilliseconds) return { kind: 'deadline', usage };
    return { kind: 'failed', error: timeoutError(milliseconds), usage };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    usage = error.maybeBilled ? givenUp : noUsage;
    return { kind: 'failed', error, usage };
  } finally {
    reservation.settle(usage);
  }
}

function timeoutError(milliseconds: number): ModelError {
  return new ModelError('transient', `The model gave no answer within ${Math.round(milliseconds / 1_000)} seconds.`);
}

function estimateUsage(agent: Agent, given: { readonly answer: ModelAnswer; readonly input: number }): Usage {
  const { text, toolCalls } = given.answer.message;
  const written = [text, ...toolCalls.map((call) => `${call.name} ${call.arguments}`)].join('\n');
  return { ...noUsage, input: given.input, output: agent.estimateTokens(written), estimated: true };
}
