import pLimit from 'p-limit';
import { budgetNote } from './budget-note.ts';
import { callTool } from './call-tool.ts';
import type { Phase, StopReason } from './event.ts';
import { type AnsweredCall, fitAnswers } from './fit-answers.ts';
import type { ModelAnswer } from './model.ts';
import { type PlannedCall, planTurn } from './plan-turn.ts';
import type { Session } from './session.ts';

const callsAtOnce = 8;

/**
 * Takes in an answer that calls tools: each call gets one answer, in call order, whatever happens. Null when the
 * conversation goes on.
 */
export async function takeTurn(
  session: Session,
  given: { readonly answer: ModelAnswer; readonly phase: Phase },
): Promise<StopReason | null> {
  const { agent, history, meter } = session;
  const { message, end } = given.answer;
  const cut = end === 'length';
  if (cut) agent.emit({ type: 'answer-truncated', step: meter.iterations });
  const plan = planTurn(session, { phase: given.phase, calls: message.toolCalls, cut });
  const answers = await answerAll(session, plan.calls);
  const stop = session.submitted ? ({ reason: 'submitted' } as const) : (plan.stop ?? afterCuts(session));
  const goesOn = stop === null && given.phase === 'review';
  history.append(message);
  history.append(...fitAnswers(session, { answers, note: goesOn ? budgetNote(session) : null }));
  return stop;
}

/** A submission that is cut again and again at the same place will be the next time too. */
const maxCutsInVain = 2;

function afterCuts({ patience }: Session): StopReason | null {
  return patience.cutsInVain >= maxCutsInVain ? { reason: 'truncated' } : null;
}

// Answers are taken by position: ids from a server may repeat from one answer to the next (FAILURES M17).
async function answerAll(session: Session, calls: readonly PlannedCall[]): Promise<readonly AnsweredCall[]> {
  const limit = pLimit(callsAtOnce);
  const answer = async (planned: PlannedCall): Promise<AnsweredCall> => {
    const { text, images } = await callTool(session, planned);
    return { message: { role: 'tool', callId: planned.call.id, name: planned.call.name, text }, images };
  };
  return Promise.all(calls.map((planned) => limit(answer, planned)));
}
