import type { Agent, AgentRun } from './agent.ts';
import { callModel } from './call-model.ts';
import { openSession, runOf } from './session.ts';
import { takeLastAnswer } from './take-answer.ts';

/**
 * One more call on the same conversation: a user message, and the finishing tool alone. Metrics add up. The stop reason
 * of `run` stays, but for two cases: text that is now submitted is `submitted`, and a call that could not be made or
 * failed says why (then asking again is of no use). Transient errors were tried again inside.
 */
export async function askAgain(
  agent: Agent,
  run: AgentRun,
  question: { readonly text: string; readonly phase: 'extraction' | 'follow-up' | 'final' },
): Promise<AgentRun> {
  const messages = [...run.messages, { role: 'user' as const, text: question.text }];
  const session = openSession(agent, { messages, metrics: run.metrics, text: run.text, toolsOffered: false });
  if (!session.granted) return { ...run, submitted: false, stop: { reason: 'limit', limit: session.limit } };
  try {
    const called = await callModel(session, question.phase);
    if (!called.answered) return runOf(session, called.stop);
    const stop = await takeLastAnswer(session, { answer: called.answer, phase: question.phase });
    return runOf(session, stop?.reason === 'submitted' && run.stop.reason === 'answered' ? stop : run.stop);
  } finally {
    session.member.leave();
  }
}
