import { append, type Conversation, requestOf, sizeOf, tell } from './conversation.ts';
import type { StopReason } from './event.ts';
import type { ModelAnswer } from './model.ts';
import { withMalformedAsText } from './plan-turn.ts';
import { takeTurn } from './take-turn.ts';
import { spokenText } from './text-tool-calls.ts';

/** Takes in what was answered. Null when the conversation goes on. */
export async function takeAnswer(conversation: Conversation, given: ModelAnswer): Promise<StopReason | null> {
  const { agent, meter } = conversation;
  const answer = withMalformedAsText(given, conversation);
  const { message, end } = answer;
  if (end === 'refusal') return { reason: 'refused', by: 'model' };
  if (end === 'content-filter') return { reason: 'refused', by: 'content-filter' };
  if (end === 'length') agent.emit({ type: 'answer-truncated', step: meter.metrics.iterations });
  const text = spokenText(answer);
  if (message.toolCalls.length === 0 && text.trim() === '') {
    return end === 'length' ? takeEaten(conversation) : takeEmpty(conversation);
  }
  conversation.emptyAnswers = 0;
  if (message.toolCalls.length === 0) return takeText(conversation, { answer, text });
  conversation.unfinishedText = '';
  return takeTurn(conversation, answer);
}

const maxEmptyAnswers = 3;

// An empty answer is not kept: some servers refuse an empty message. The same request is sent again.
function takeEmpty(conversation: Conversation): StopReason | null {
  conversation.emptyAnswers += 1;
  const { agent, emptyAnswers: attempt } = conversation;
  agent.emit({ type: 'answer-empty', attempt, maxAttempts: maxEmptyAnswers });
  return attempt >= maxEmptyAnswers ? { reason: 'empty-answers' } : null;
}

/** Reasoning ate the whole output: raised once, for a last call as far as the budget can pay for it; else another attempt may think less. */
function takeEaten(conversation: Conversation): StopReason | null {
  const { member, raised } = conversation;
  const kind = conversation.offer === 'the last' ? 'last' : 'step';
  if (raised[kind]) return { reason: 'truncated', by: 'reasoning' };
  conversation.raised = { ...raised, [kind]: true };
  // What an iteration may not pay for is followed by the last call anyway.
  if (kind === 'step' || member.keep(sizeOf(conversation, requestOf(conversation)))) return null;
  conversation.raised = raised;
  return takeEmpty(conversation);
}

/** A text ends the conversation, but for one that was cut or that announces work, once each, while iterations are left. */
function takeText(conversation: Conversation, said: { answer: ModelAnswer; text: string }): StopReason | null {
  const { agent, offer, callsLeft } = conversation;
  const text = conversation.unfinishedText + said.text;
  append(conversation, said.answer.message);
  conversation.text = text;
  conversation.unfinishedText = '';
  const reading = offer === 'every tool';
  if (said.answer.end === 'length') {
    if (!reading || conversation.continued) return { reason: 'truncated' };
    conversation.continued = true;
    if (callsLeft === 0) return null;
    conversation.unfinishedText = text;
    tell(conversation, 'Your answer was cut off at the output limit. Continue exactly where it stopped.');
    return null;
  }
  if (!reading || agent.isUnfinished?.(text) !== true) return { reason: 'answered' };
  // Without an iteration left the last call follows anyway.
  if (callsLeft === 0) return null;
  if (conversation.nudged) return { reason: 'answered' };
  conversation.nudged = true;
  const { name } = agent.finish;
  tell(conversation, `That announces work instead of doing it. Use the tools now, or call ${name} with your answer.`);
  return null;
}
