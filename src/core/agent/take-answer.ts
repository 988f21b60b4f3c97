import type { StopReason } from './event.ts';
import type { ModelAnswer } from './model.ts';
import { withMalformedAsText } from './plan-turn.ts';
import { nextRequest, type Session } from './session.ts';
import { takeTurn } from './take-turn.ts';
import { spokenText } from './text-tool-calls.ts';

const maxEmptyAnswers = 3;
const eaten = { reason: 'truncated', by: 'reasoning' } as const;

/** Takes in what an iteration answered. Null when the conversation goes on. */
export async function takeAnswer(session: Session, given: ModelAnswer): Promise<StopReason | null> {
  const answer = withMalformedAsText(given, session.patience);
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  if (isEmpty(answer)) return takeEmpty(session, answer);
  session.patience.emptyAnswers = 0;
  if (answer.message.toolCalls.length === 0) return takeText(session, answer);
  session.patience.unfinishedText = '';
  return takeTurn(session, answer);
}

/** Takes in what a last call or an extraction answered. Null when the finishing tool did not accept: ask again. */
export async function takeLastAnswer(session: Session, given: ModelAnswer): Promise<StopReason | null> {
  const answer = withMalformedAsText(given, session.patience);
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  if (isEmpty(answer)) return answer.end === 'length' ? takeEatenLast(session) : noteEmpty(session);
  if (answer.message.toolCalls.length > 0) return takeTurn(session, answer);
  session.history.append(answer.message);
  session.text = spokenText(answer);
  if (answer.end !== 'length') return { reason: 'answered' };
  session.agent.emit({ type: 'answer-truncated', step: session.meter.metrics.iterations });
  return { reason: 'truncated' };
}

function refusalOf(answer: ModelAnswer): StopReason | null {
  if (answer.end === 'refusal') return { reason: 'refused', by: 'model' };
  if (answer.end === 'content-filter') return { reason: 'refused', by: 'content-filter' };
  return null;
}

function isEmpty(answer: ModelAnswer): boolean {
  return answer.message.toolCalls.length === 0 && spokenText(answer).trim() === '';
}

// An empty answer is not kept: some servers refuse an empty message. The same request is sent again.
function takeEmpty(session: Session, answer: ModelAnswer): StopReason | null {
  const { agent, meter, patience } = session;
  if (answer.end !== 'length') return noteEmpty(session);
  agent.emit({ type: 'answer-truncated', step: meter.metrics.iterations });
  if (patience.stepOutputTokens > agent.limits.stepOutputTokens) return eaten;
  // Reasoning ate the whole output: raised once.
  patience.stepOutputTokens *= 2;
  return null;
}

// The same at a last call, as far as the budget can pay for it; else another attempt may think less.
function takeEatenLast(session: Session): StopReason | null {
  const { agent, member, meter, patience } = session;
  agent.emit({ type: 'answer-truncated', step: meter.metrics.iterations });
  if (patience.lastOutputTokens > agent.limits.lastOutputTokens) return eaten;
  patience.lastOutputTokens *= 2;
  if (member.keep(session.sizeOf(nextRequest(session)))) return null;
  patience.lastOutputTokens = agent.limits.lastOutputTokens;
  return noteEmpty(session);
}

function noteEmpty({ agent, patience }: Session): StopReason | null {
  patience.emptyAnswers += 1;
  agent.emit({ type: 'answer-empty', attempt: patience.emptyAnswers, maxAttempts: maxEmptyAnswers });
  return patience.emptyAnswers >= maxEmptyAnswers ? { reason: 'empty-answers' } : null;
}

function takeText(session: Session, answer: ModelAnswer): StopReason | null {
  const { agent, history, patience } = session;
  const text = patience.unfinishedText + spokenText(answer);
  history.append(answer.message);
  session.text = text;
  if (answer.end === 'length') return continueOnce(session);
  patience.unfinishedText = '';
  if (agent.isUnfinished?.(text) === true) return nudgeOnce(session);
  return { reason: 'answered' };
}

function continueOnce(session: Session): StopReason | null {
  const { agent, history, meter, patience } = session;
  agent.emit({ type: 'answer-truncated', step: meter.metrics.iterations });
  if (patience.continued) return { reason: 'truncated' };
  patience.continued = true;
  if (!iterationsLeft(session)) return null;
  patience.unfinishedText = session.text ?? '';
  const text = 'Your answer was cut off at the output limit. Continue exactly where it stopped.';
  history.append({ role: 'user', text });
  return null;
}

// Without an iteration left the last call follows anyway.
function nudgeOnce(session: Session): StopReason | null {
  const { agent, history, patience } = session;
  if (!iterationsLeft(session)) return null;
  if (patience.nudged) return { reason: 'answered' };
  patience.nudged = true;
  const text = `That announces work instead of doing it. Use the tools now, or call ${agent.finish.name} with your answer.`;
  history.append({ role: 'user', text });
  return null;
}

function iterationsLeft({ agent, iterations }: Session): boolean {
  return iterations < agent.limits.maxSteps;
}
