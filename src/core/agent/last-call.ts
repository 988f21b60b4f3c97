import { callModel } from './call-model.ts';
import type { Phase, StopReason } from './event.ts';
import type { Session } from './session.ts';
import { sentenceFor } from './stop-reason.ts';
import { takeLastAnswer } from './take-answer.ts';

/** The first one, and two more when the finishing tool refuses. */
const maxLastCalls = 3;

/** Tells the model that it must answer now, and lets it. The limit stays the stop reason, also when it delivers. */
export async function endAtLimit(session: Session, limit: Limit): Promise<StopReason> {
  const { agent, history, patience } = session;
  patience.emptyAnswers = 0;
  agent.emit({ type: 'limit-reach', stop: limit });
  const text = `${whyNow(limit)} You must answer now: call ${agent.finish.name} with what you have. No other tool is left.`;
  history.append({ role: 'user', text });
  const last = await callLast(session);
  if (last.reason === 'cancelled') return last;
  const delivered = session.submitted || last.reason === 'answered';
  const sentence = sentenceFor(last);
  return delivered || sentence === sentenceFor(limit) ? limit : { ...limit, lastCall: sentence };
}

/** What a last call follows. */
export type Limit = Extract<StopReason, { reason: 'limit' | 'repeated-calls' }>;

export function isLimit(stop: StopReason): stop is Limit {
  return stop.reason === 'limit' || stop.reason === 'repeated-calls';
}

/** Calls that offer the finishing tool alone, until it accepts, the model says something else, or three were made. */
export async function callLast(session: Session, phase: Phase = 'final'): Promise<StopReason> {
  for (let number = 1; number <= maxLastCalls; number += 1) {
    const called = await callModel(session, phase);
    if (!called.answered) return called.stop;
    const stop = await takeLastAnswer(session, { answer: called.answer, phase });
    if (stop !== null) return stop;
  }
  return { reason: 'limit', limit: 'iterations' };
}

function whyNow(limit: Limit): string {
  if (limit.reason === 'repeated-calls') return 'The same call came again and again, so the tools are closed.';
  switch (limit.limit) {
    case 'iterations':
      return 'All iterations are used up.';
    case 'tokens':
      return 'The token budget is used up.';
    case 'cost':
      return 'The money is used up.';
    case 'time':
      return 'The time is used up.';
    case 'tool-calls':
      return 'All tool calls are used up.';
  }
}
