import pLimit from 'p-limit';
import { grouped } from '../grouped.ts';
import { budgetNote } from './budget-note.ts';
import { callTool } from './call-tool.ts';
import type { Phase, StopReason } from './event.ts';
import { type AnsweredCall, fitAnswers } from './fit-answers.ts';
import { limits } from './limits.ts';
import type { AssistantMessage } from './message.ts';
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
  const made = given.answer.message.toolCalls.length;
  const message = firstCalls(given.answer.message);
  const taken = message.toolCalls.length;
  if (taken < made) agent.emit({ type: 'calls-drop', step: meter.iterations, made, taken });
  // Of a cut answer the last call may be half a call.
  const cut = given.answer.end === 'length';
  if (cut) agent.emit({ type: 'answer-truncated', step: meter.iterations });
  const plan = planTurn(session, { phase: given.phase, calls: message.toolCalls, cut });
  const answers = await answerAll(session, plan.calls);
  const stop = session.submitted ? ({ reason: 'submitted' } as const) : (plan.stop ?? afterCuts(session));
  const goesOn = stop === null && given.phase === 'review';
  const notes = [...(taken < made ? [droppedNote(made)] : []), ...(goesOn ? [budgetNote(session)] : [])];
  history.append(message);
  history.append(...fitAnswers(session, { answers, note: notes.length === 0 ? null : notes.join('\n') }));
  return stop;
}

/**
 * The message with the calls that are taken: each of these gets its answer, and the history holds no others. Without the server's own items, which
 * hold them all.
 */
function firstCalls(message: AssistantMessage): AssistantMessage {
  const { callsOfAnswer } = limits;
  if (message.toolCalls.length <= callsOfAnswer) return message;
  return { ...message, toolCalls: message.toolCalls.slice(0, callsOfAnswer), raw: null };
}

function droppedNote(made: number): string {
  const { callsOfAnswer } = limits;
  return `[you made ${grouped(made)} calls at once: only the first ${callsOfAnswer} were taken, the others were dropped and not run]`;
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
