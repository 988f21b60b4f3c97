import type { Phase, StopReason } from './event.ts';
import type { ModelAnswer } from './model.ts';
import type { Session } from './session.ts';
import { takeTurn } from './take-turn.ts';

const maxEmptyAnswers = 3;

/** Takes in what an iteration answered. Null when the conversation goes on. */
export async function takeAnswer(session: Session, answer: ModelAnswer): Promise<StopReason | null> {
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  if (isEmpty(answer)) return takeEmpty(session, answer);
  session.patience.emptyAnswers = 0;
  if (answer.message.toolCalls.length === 0) return takeText(session, answer);
  session.patience.unfinishedText = '';
  return takeTurn(session, { answer, phase: 'review' });
}

/** Takes in what a last call or an extraction answered. Null when the finishing tool did not accept: ask again. */
export async function takeLastAnswer(
  session: Session,
  given: { readonly answer: ModelAnswer; readonly phase: Phase },
): Promise<StopReason | null> {
  const { answer } = given;
  const refusal = refusalOf(answer);
  if (refusal !== null) return refusal;
  if (isEmpty(answer)) return noteEmpty(session);
  if (answer.message.toolCalls.length > 0) return takeTurn(session, given);
  session.history.append(answer.message);
  session.text = answer.message.text;
  if (answer.end !== 'length') return { reason: 'answered' };
  session.agent.emit({ type: 'answer-truncated', step: session.meter.iterations });
  return { reason: 'truncated' };
}

function refusalOf(answer: ModelAnswer): StopReason | null {
  if (answer.end === 'refusal') return { reason: 'refused', by: 'model' };
  if (answer.end === 'content-filter') return { reason: 'refused', by: 'content-filter' };
  return null;
}

function isEmpty({ message }: ModelAnswer): boolean {
  return message.toolCalls.length === 0 && message.text.trim() === '';
}

// An empty answer is not kept: some servers refuse an empty message. The same request is sent again.
function takeEmpty(session: Session, answer: ModelAnswer): StopReason | null {
  const { agent, meter, patience } = session;
  if (answer.end !== 'length') return noteEmpty(session);
  agent.emit({ type: 'answer-truncated', step: meter.iterations });
  if (patience.stepOutputTokens > agent.limits.stepOutputTokens) return { reason: 'truncated' };
  // Reasoning ate the whole output: raised once (FAILURES M11).
  patience.stepOutputTokens *= 2;
  return null;
}

function noteEmpty({ agent, patience }: Session): StopReason | null {
  patience.emptyAnswers += 1;
  agent.emit({ type: 'answer-empty', attempt: patience.emptyAnswers, maxAttempts: maxEmptyAnswers });
  return patience.emptyAnswers >= maxEmptyAnswers ? { reason: 'empty-answers' } : null;
}

function takeText(session: Session, { message, end }: ModelAnswer): StopReason | null {
  const { agent, history, patience } = session;
  const text = patience.unfinishedText + message.text;
  history.append(message);
  session.text = text;
  if (end === 'length') return continueOnce(session);
  patience.unfinishedText = '';
  if (agent.isUnfinished?.(text) === true) return nudgeOnce(session);
  return { reason: 'answered' };
}

function continueOnce(session: Session): StopReason | null {
  const { agent, history, meter, patience } = session;
  agent.emit({ type: 'answer-truncated', step: meter.iterations });
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

function iterationsLeft({ agent, meter }: Session): boolean {
  return meter.iterations < agent.limits.maxSteps;
}
