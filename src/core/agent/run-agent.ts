import type { Agent, AgentRun } from './agent.ts';
import { callModel } from './call-model.ts';
import type { StopReason } from './event.ts';
import { callLast, endAtLimit, isLimit } from './last-call.ts';
import type { Message } from './message.ts';
import { noMetrics } from './meter.ts';
import { openSession, runOf, type Session } from './session.ts';
import { takeAnswer } from './take-answer.ts';

export type { Agent, AgentLimits, AgentMetrics, AgentRun } from './agent.ts';

/**
 * The bounded loop: the model answers, its tool calls are answered, until it submits or a limit is reached; then it gets
 * one last call that offers the finishing tool alone. Throws only for bugs: what a model or a server does is a stop reason.
 */
export async function runAgent(agent: Agent, opening: readonly Message[]): Promise<AgentRun> {
  const toolsOffered = agent.tools.length > 0 && agent.limits.maxSteps > 0;
  const session = openSession(agent, { messages: opening, metrics: noMetrics, text: null, toolsOffered });
  if (!session.granted) return neverStarted(agent, { opening, stop: { reason: 'limit', limit: session.limit } });
  try {
    const stop = toolsOffered ? await iterate(session) : await callLast(session);
    const run = runOf(session, toolsOffered && isLimit(stop) ? await endAtLimit(session, stop) : stop);
    return ended(agent, run);
  } finally {
    session.member.leave();
  }
}

async function iterate(session: Session): Promise<StopReason> {
  while (session.meter.iterations < session.agent.limits.maxSteps) {
    const called = await callModel(session, 'review');
    if (!called.answered) return called.stop;
    const stop = await takeAnswer(session, called.answer);
    if (stop !== null) return stop;
  }
  return { reason: 'limit', limit: 'iterations' };
}

function neverStarted(
  agent: Agent,
  given: { readonly opening: readonly Message[]; readonly stop: StopReason },
): AgentRun {
  agent.emit({ type: 'limit-reach', stop: given.stop });
  return ended(agent, { messages: given.opening, stop: given.stop, submitted: false, text: null, metrics: noMetrics });
}

function ended(agent: Agent, run: AgentRun): AgentRun {
  agent.emit({ type: 'run-end', stop: run.stop, steps: run.metrics.iterations, usage: run.metrics.usage });
  return run;
}
