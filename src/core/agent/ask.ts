import type { Agent, AgentLimits, AgentRun } from './agent.ts';
import { type Conversation, openConversation, runOf, type Start, tell } from './conversation.ts';
import { isUnanswered, type Phase, type StopReason } from './event.ts';
import type { Message } from './message.ts';
import { noMetrics } from './meter.ts';
import { callLast, converse, iterate, neverStarted } from './run-agent.ts';
import type { FinishingTool, Tool } from './tool.ts';

/** A question to a model: what is said, the tool that takes the answer, and what becomes of an answer that cannot be used. */
export type Question = {
  readonly phase: Exclude<Phase, 'review' | 'embedding'>;
  readonly tool: FinishingTool;
  /** Beside the agent's own. */
  readonly limits?: Partial<AgentLimits>;
} & (Fresh | Further);

/** In a conversation of its own. An answer that the tool hands back may come twice more. */
type Fresh = {
  readonly opening: readonly Message[];
  /** What may be read first, so many iterations as the limits allow, where the budget can pay for that and the call after it. */
  readonly reads?: readonly Tool[];
};

/** The next message in the conversation of a run. A text is an answer too, where the tool takes it. */
type Further = {
  readonly after: AgentRun;
  readonly text: string;
  /** Said after an answer that cannot be used, in three attempts at most; without it there is one. */
  readonly again?: string;
};

/**
 * Asks it, with the finishing tool alone, and joins the shared budget like a last call. Never throws for what a model or a server does. `text` of
 * the run is what was said in answer to it, and its metrics go on from those of `after`.
 */
export async function ask(asking: Omit<Agent, 'tools' | 'finish'>, question: Question): Promise<AgentRun> {
  const { tool: finish, limits } = question;
  const agent = { ...asking, finish, tools: [], limits: { ...asking.limits, ...limits } };
  return 'opening' in question ? askFresh(agent, question) : askFurther(agent, question);
}

async function askFresh(agent: Agent, { opening, phase, reads = [] }: Question & Fresh): Promise<AgentRun> {
  const start: Start = { messages: opening, metrics: noMetrics, offer: 'every tool' };
  const reading = reads.length === 0 ? null : openConversation({ ...agent, tools: reads }, start);
  const conversation = reading?.granted ? reading : openConversation(agent, { ...start, offer: 'the last' });
  if (!conversation.granted) return neverStarted(start, conversation);
  try {
    const read = conversation === reading ? await iterate(conversation, phase) : null;
    if (read !== null && read.reason !== 'answered') return runOf(conversation, read);
    // What was read ends in an answer, and so does text in its place.
    if (read !== null) tell(conversation, `Call ${agent.finish.name} now with your answer.`);
    return runOf(conversation, await callLast(conversation, phase));
  } finally {
    conversation.member.leave();
  }
}

const mostAttempts = 3;

async function askFurther(agent: Agent, question: Question & Further): Promise<AgentRun> {
  const { after, text } = question;
  const messages = [...after.messages, { role: 'user' as const, text }];
  const conversation = openConversation(agent, { messages, metrics: after.metrics, offer: 'the last' });
  if (!conversation.granted) return neverStarted(after, conversation);
  try {
    return runOf(conversation, await answerTo(question, conversation));
  } finally {
    conversation.member.leave();
  }
}

async function answerTo(question: Question & Further, conversation: Conversation): Promise<StopReason> {
  const { phase, tool, again } = question;
  const maxAttempts = again === undefined ? 1 : mostAttempts;
  let reason = question.text;
  for (let attempt = 1; ; attempt += 1) {
    if (phase === 'extraction') {
      conversation.agent.emit({ type: 'extraction-start', attempt, maxAttempts, reason });
    }
    conversation.text = null;
    const stop = await converse(conversation, { phase, most: 1 });
    if (isUnanswered(stop)) return stop;
    const taken = conversation.text === null ? null : await tool.takeText?.(conversation.text);
    if (taken?.done === true) conversation.submitted = true;
    if (conversation.submitted) return { reason: 'submitted' };
    if (again === undefined || attempt === maxAttempts) return stop;
    reason = taken?.text ?? again;
    tell(conversation, reason);
  }
}
