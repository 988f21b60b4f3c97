import type { Agent, AgentRun } from './agent.ts';
import type { Phase } from './event.ts';
import { callLast } from './last-call.ts';
import type { Message } from './message.ts';
import { noMetrics } from './meter.ts';
import { openSession, runOf } from './session.ts';

/**
 * A fresh conversation that offers the finishing tool alone, such as a verification. It joins the shared budget like a last call, and never
 * throws for what a model or a server does.
 */
export async function runOnce(
  agent: Omit<Agent, 'tools'>,
  conversation: { readonly opening: readonly Message[]; readonly phase: Phase },
): Promise<AgentRun> {
  const { opening, phase } = conversation;
  const start = { messages: opening, metrics: noMetrics, text: null, toolsOffered: false };
  const session = openSession({ ...agent, tools: [] }, start);
  if (!session.granted) {
    const stop = { reason: 'limit', limit: session.limit } as const;
    return { messages: opening, stop, submitted: false, text: null, metrics: noMetrics };
  }
  try {
    return runOf(session, await callLast(session, phase));
  } finally {
    session.member.leave();
  }
}
