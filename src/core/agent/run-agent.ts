import type { Agent, AgentRun } from './agent.ts';
import type { Refusal } from './budget.ts';
import { callModel } from './call-model.ts';
import { type Phase, type StopReason, sentenceFor } from './event.ts';
import type { Message } from './message.ts';
import { noMetrics } from './meter.ts';
import { openSession, runOf, type Session } from './session.ts';
import { takeAnswer, takeLastAnswer } from './take-answer.ts';

export type { Agent, AgentLimits, AgentRun } from './agent.ts';

/**
 * The bounded loop: the model answers, its tool calls are answered, until it submits or a limit is reached; then it gets
 * one last call that offers the finishing tool alone. Throws only for bugs: what a model or a server does is a stop reason.
 */
export async function runAgent(agent: Agent, opening: readonly Message[]): Promise<AgentRun> {
  const toolsOffered = agent.tools.length > 0 && agent.limits.maxSteps > 0;
  const start = { messages: opening, metrics: noMetrics };
  const session = openSession(agent, { ...start, toolsOffered });
  if (!session.granted) {
    const run = neverStarted(start, session);
    agent.emit({ type: 'limit-reach', stop: run.stop });
    return ended(agent, run);
  }
  try {
    const stop = toolsOffered ? await iterate(session, 'review') : await callLast(session);
    const run = runOf(session, toolsOffered && isLimit(stop) ? await endAtLimit(session, stop) : stop);
    return ended(agent, run);
  } finally {
    session.member.leave();
  }
}

export async function iterate(session: Session, phase: Phase): Promise<StopReason> {
  while (session.iterations < session.agent.limits.maxSteps) {
    const called = await callModel(session, phase);
    if (!called.answered) return called.stop;
    const stop = await takeAnswer(session, called.answer);
    if (stop !== null) return stop;
  }
  return { reason: 'limit', limit: 'iterations' };
}

type Start = Pick<AgentRun, 'messages' | 'metrics'>;

export function neverStarted({ messages, metrics }: Start, { limit }: Refusal): AgentRun {
  return { messages, metrics, stop: { reason: 'limit', limit }, submitted: false, text: null };
}

function ended(agent: Agent, run: AgentRun): AgentRun {
  agent.emit({ type: 'run-end', stop: run.stop, steps: run.metrics.iterations, usage: run.metrics.usage });
  return run;
}

/** The first one, and two more when the finishing tool refuses. */
const maxLastCalls = 3;

/** Tells the model that it must answer now, and lets it. The limit stays the stop reason, also when it delivers. */
export async function endAtLimit(session: Session, limit: Limit, phase: Phase = 'final'): Promise<StopReason> {
  const { agent, history, patience } = session;
  patience.emptyAnswers = 0;
  // What only reads a little first has not come to an end too soon.
  if (phase === 'final') agent.emit({ type: 'limit-reach', stop: limit });
  const text = `${whyNow(limit)} You must answer now: call ${agent.finish.name} with what you have. No other tool is left.`;
  history.append({ role: 'user', text });
  const last = await callLast(session, phase);
  if (last.reason === 'cancelled') return last;
  const delivered = session.submitted || last.reason === 'answered';
  const sentence = sentenceFor(last);
  return delivered || sentence === sentenceFor(limit) ? limit : { ...limit, lastCall: sentence };
}

/** What a last call follows. */
type Limit = Extract<StopReason, { reason: 'limit' | 'repeated-calls' }>;

export function isLimit(stop: StopReason): stop is Limit {
  return stop.reason === 'limit' || stop.reason === 'repeated-calls';
}

/** Calls that offer the finishing tool alone, until it accepts, the model says something else, or three were made. */
export async function callLast(session: Session, phase: Phase = 'final'): Promise<StopReason> {
  session.reading = false;
  for (let number = 1; number <= maxLastCalls; number += 1) {
    const called = await callModel(session, phase);
    if (!called.answered) return called.stop;
    const stop = await takeLastAnswer(session, called.answer);
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
