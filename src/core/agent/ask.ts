import type { Agent, AgentLimits, AgentRun } from './agent.ts';
import type { Refusal } from './budget.ts';
import { callModel } from './call-model.ts';
import type { Phase, StopReason } from './event.ts';
import type { Message } from './message.ts';
import { noMetrics } from './meter.ts';
import { callLast, endAtLimit, isLimit, iterate, neverStarted } from './run-agent.ts';
import { openSession, runOf, type Session } from './session.ts';
import { takeLastAnswer } from './take-answer.ts';
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
  /**
   * Tools that were there before: they are sent along, so that the server finds the whole conversation in its cache. Such a question is asked only
   * where another call can be paid after it.
   */
  readonly cached?: readonly Tool[];
};

/**
 * Asks it, with the finishing tool alone, and joins the shared budget like a last call. Never throws for what a model or a server does. `text` of
 * the run is what was said in answer to it, and its metrics go on from those of `after`.
 */
export async function ask(asking: Omit<Agent, 'tools' | 'finish'>, question: Question): Promise<AgentRun> {
  const { phase, tool: finish, limits } = question;
  const agent = { ...asking, finish, tools: [], limits: { ...asking.limits, ...limits } };
  const fresh = 'opening' in question;
  const session = fresh ? openFresh(agent, question) : openFurther(agent, question);
  if (!session.granted) {
    return neverStarted(fresh ? { messages: question.opening, metrics: noMetrics } : question.after, session);
  }
  try {
    if (!fresh) return runOf(session, await askFurther(session, question));
    return runOf(session, session.reading ? await readFirst(session, phase) : await callLast(session, phase));
  } finally {
    session.member.leave();
  }
}

function openFresh(agent: Agent, { opening, reads = [] }: Fresh): Session | Refusal {
  const start = { messages: opening, metrics: noMetrics };
  const reading = reads.length === 0 ? null : openSession({ ...agent, tools: reads }, { ...start, toolsOffered: true });
  return reading?.granted ? reading : openSession(agent, { ...start, toolsOffered: false });
}

/** What was read ends in an answer, and so does text in its place. */
async function readFirst(session: Session, phase: Phase): Promise<StopReason> {
  const stop = await iterate(session, phase);
  if (isLimit(stop)) return endAtLimit(session, stop, phase);
  if (stop.reason !== 'answered') return stop;
  session.history.append({ role: 'user', text: `Call ${session.agent.finish.name} now with your answer.` });
  return callLast(session, phase);
}

function openFurther(agent: Agent, { after, text, cached }: Further): Session | Refusal {
  const messages = [...after.messages, { role: 'user' as const, text }];
  const offered = cached !== undefined;
  const start = { messages, metrics: after.metrics, toolsOffered: offered, finishing: offered };
  return openSession({ ...agent, tools: cached ?? [] }, start);
}

const mostAttempts = 3;

async function askFurther(session: Session, question: Question & Further): Promise<StopReason> {
  const { phase, tool, again } = question;
  const { agent, history } = session;
  const maxAttempts = again === undefined ? 1 : mostAttempts;
  let reason = question.text;
  for (let attempt = 1; ; attempt += 1) {
    if (phase === 'extraction') agent.emit({ type: 'extraction-start', attempt, maxAttempts, reason });
    session.text = null;
    const called = await callModel(session, phase);
    if (!called.answered) return called.stop;
    session.reading = false;
    const stop = (await takeLastAnswer(session, called.answer)) ?? ({ reason: 'answered' } as const);
    const taken = session.text === null ? null : await tool.takeText?.(session.text);
    if (taken?.done === true) session.submitted = true;
    if (session.submitted) return { reason: 'submitted' };
    if (again === undefined || attempt === maxAttempts) return stop;
    reason = taken?.text ?? again;
    history.append({ role: 'user', text: reason });
  }
}
