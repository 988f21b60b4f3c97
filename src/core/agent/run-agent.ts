import type { Agent, AgentRun } from './agent.ts';
import type { Refusal } from './budget.ts';
import { callModel } from './call-model.ts';
import { type Phase, type StopReason, sentenceFor } from './event.ts';
import type { Message } from './message.ts';
import { noMetrics } from './meter.ts';
import { openSession, runOf, type Session } from './session.ts';
import { takeAnswer, takeLastAnswer } from './take-answer.ts';
import type { Tool } from './tool.ts';

export type { Agent, AgentLimits, AgentRun } from './agent.ts';

/**
 * The bounded loop: the model answers, its tool calls are answered, until it submits or a limit is reached; then it gets
 * one last call that offers the finishing tool alone. Throws only for bugs: what a model or a server does is a stop reason.
 */
export async function runAgent(agent: Agent, opening: readonly Message[]): Promise<AgentRun> {
  const toolsOffered = agent.tools.length > 0 && agent.limits.maxSteps > 0;
  const session = openSession(agent, { messages: opening, metrics: noMetrics, text: null, toolsOffered });
  if (!session.granted) {
    const run = neverStarted(opening, session);
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

async function iterate(session: Session, phase: Phase): Promise<StopReason> {
  while (session.iterations < session.agent.limits.maxSteps) {
    const called = await callModel(session, phase);
    if (!called.answered) return called.stop;
    const stop = await takeAnswer(session, called.answer);
    if (stop !== null) return stop;
  }
  return { reason: 'limit', limit: 'iterations' };
}

function neverStarted(opening: readonly Message[], { limit }: Refusal): AgentRun {
  return { messages: opening, stop: { reason: 'limit', limit }, submitted: false, text: null, metrics: noMetrics };
}

function ended(agent: Agent, run: AgentRun): AgentRun {
  agent.emit({ type: 'run-end', stop: run.stop, steps: run.metrics.iterations, usage: run.metrics.usage });
  return run;
}

/** The first one, and two more when the finishing tool refuses. */
const maxLastCalls = 3;

/** Tells the model that it must answer now, and lets it. The limit stays the stop reason, also when it delivers. */
async function endAtLimit(session: Session, limit: Limit, phase: Phase = 'final'): Promise<StopReason> {
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

function isLimit(stop: StopReason): stop is Limit {
  return stop.reason === 'limit' || stop.reason === 'repeated-calls';
}

/** Calls that offer the finishing tool alone, until it accepts, the model says something else, or three were made. */
async function callLast(session: Session, phase: Phase = 'final'): Promise<StopReason> {
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

/**
 * A fresh conversation that offers the finishing tool alone, such as a verification. It joins the shared budget like a last call, and never
 * throws for what a model or a server does. With `tools` it may read first, so many iterations as the limits allow, where the budget can pay for
 * that and the call after it.
 */
export async function runOnce(
  agent: Omit<Agent, 'tools'>,
  conversation: { opening: readonly Message[]; phase: Phase; tools?: readonly Tool[] },
): Promise<AgentRun> {
  const { opening, phase, tools = [] } = conversation;
  const start = { messages: opening, metrics: noMetrics, text: null };
  const reading = tools.length === 0 ? null : openSession({ ...agent, tools }, { ...start, toolsOffered: true });
  const session = reading?.granted ? reading : openSession({ ...agent, tools: [] }, { ...start, toolsOffered: false });
  if (!session.granted) return neverStarted(opening, session);
  try {
    return runOf(session, session.reading ? await readFirst(session, phase) : await callLast(session, phase));
  } finally {
    session.member.leave();
  }
}

/** What was read ends in an answer, and so does text in its place. */
async function readFirst(session: Session, phase: Phase): Promise<StopReason> {
  const stop = await iterate(session, phase);
  if (isLimit(stop)) return endAtLimit(session, stop, phase);
  if (stop.reason !== 'answered') return stop;
  session.history.append({ role: 'user', text: `Call ${session.agent.finish.name} now with your answer.` });
  return callLast(session, phase);
}

/**
 * One more call on the same conversation: a user message, and the finishing tool alone. Metrics add up. The stop reason
 * of `run` stays, but for two cases: text that is now submitted is `submitted`, and a call that could not be made or
 * failed says why (then asking again is of no use). Transient errors were tried again inside. A `second-look` sends the tools that were there
 * before, so that the server finds the whole conversation in its cache, starts only where another call can be paid after it, and is made once.
 */
export async function askAgain(
  agent: Agent,
  run: AgentRun,
  question: { text: string; phase: 'extraction' | 'follow-up' | 'final' | 'second-look' },
): Promise<AgentRun> {
  const messages = [...run.messages, { role: 'user' as const, text: question.text }];
  const cached = question.phase === 'second-look';
  const start = { messages, metrics: run.metrics, text: run.text, toolsOffered: cached, finishing: cached };
  const session = openSession(agent, start);
  if (!session.granted) return { ...run, submitted: false, stop: { reason: 'limit', limit: session.limit } };
  try {
    const called = await callModel(session, question.phase);
    if (!called.answered) return runOf(session, called.stop);
    session.reading = false;
    const stop = await takeLastAnswer(session, called.answer);
    return runOf(session, stop?.reason === 'submitted' && run.stop.reason === 'answered' ? stop : run.stop);
  } finally {
    session.member.leave();
  }
}
