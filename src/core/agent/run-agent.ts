import type { Agent, AgentRun } from './agent.ts';
import type { Refusal } from './budget.ts';
import { callModel } from './call-model.ts';
import { type Conversation, openConversation, runOf, type Start, tell } from './conversation.ts';
import type { Phase, StopReason } from './event.ts';
import type { Message } from './message.ts';
import { noMetrics } from './meter.ts';
import { takeAnswer } from './take-answer.ts';

export type { Agent, AgentLimits, AgentRun } from './agent.ts';

/**
 * The bounded loop: the model answers, its tool calls are answered, until it submits or a limit is reached; then it gets
 * one last call that offers the finishing tool alone. Throws only for bugs: what a model or a server does is a stop reason.
 */
export async function runAgent(agent: Agent, opening: readonly Message[]): Promise<AgentRun> {
  const reads = agent.tools.length > 0 && agent.limits.maxSteps > 0;
  const start: Start = { messages: opening, metrics: noMetrics, offer: reads ? 'every tool' : 'the last' };
  const conversation = openConversation(agent, start);
  if (!conversation.granted) {
    const run = neverStarted(start, conversation);
    agent.emit({ type: 'limit-reach', stop: run.stop });
    return ended(agent, run);
  }
  try {
    const stop = reads ? await iterate(conversation, 'review') : await callLast(conversation, 'final');
    return ended(agent, runOf(conversation, stop));
  } finally {
    conversation.member.leave();
  }
}

/** Call, take the answer, run the tools, append: until something ends it. A limit is followed by the last call, which is another phase in a review. */
export async function iterate(conversation: Conversation, phase: Phase): Promise<StopReason> {
  const stop = await converse(conversation, { phase, most: conversation.agent.limits.maxSteps });
  if (stop.reason !== 'limit' && stop.reason !== 'repeated-calls') return stop;
  // What only reads a little first has not come to an end too soon.
  if (phase === 'review') conversation.agent.emit({ type: 'limit-reach', stop });
  return endAtLimit(conversation, stop, phase === 'review' ? 'final' : phase);
}

/** The first one, and two more when the finishing tool refuses. */
const maxLastCalls = 3;

/** Calls that offer the finishing tool alone, until it accepts, the model says something else, or three were made. */
export async function callLast(conversation: Conversation, phase: Phase): Promise<StopReason> {
  conversation.offer = 'the last';
  return converse(conversation, { phase, most: maxLastCalls });
}

export async function converse(
  conversation: Conversation,
  { phase, most }: { phase: Phase; most: number },
): Promise<StopReason> {
  for (conversation.callsLeft = most; conversation.callsLeft > 0; ) {
    const answer = await callModel(conversation, phase);
    if ('reason' in answer) return answer;
    conversation.callsLeft -= 1;
    const stop = await takeAnswer(conversation, answer);
    if (stop !== null) return stop;
  }
  return { reason: 'limit', limit: 'iterations' };
}

export function neverStarted({ messages, metrics }: Omit<Start, 'offer'>, { limit }: Pick<Refusal, 'limit'>): AgentRun {
  return { messages, metrics, stop: { reason: 'limit', limit }, submitted: false, text: null };
}

function ended(agent: Agent, run: AgentRun): AgentRun {
  agent.emit({ type: 'run-end', stop: run.stop, steps: run.metrics.iterations, usage: run.metrics.usage });
  return run;
}

/** What a last call follows. */
type Limit = Extract<StopReason, { reason: 'limit' | 'repeated-calls' }>;

/** Tells the model that it must answer now, and lets it. The limit stays the stop reason, also when it delivers. */
async function endAtLimit(conversation: Conversation, limit: Limit, phase: Phase): Promise<StopReason> {
  const { name } = conversation.agent.finish;
  conversation.emptyAnswers = 0;
  conversation.unfinishedText = '';
  tell(conversation, `${whyNow(limit)} You must answer now: call ${name} with what you have. No other tool is left.`);
  const last = await callLast(conversation, phase);
  if (last.reason === 'cancelled') return last;
  const delivered = conversation.submitted || last.reason === 'answered';
  return delivered || isSame(last, limit) ? limit : { ...limit, lastCall: last };
}

function isSame(last: StopReason, limit: Limit): boolean {
  if (last.reason === 'limit' && limit.reason === 'limit') return last.limit === limit.limit;
  return last.reason === limit.reason;
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
