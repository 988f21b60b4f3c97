import type { Message, ToolMessage } from './message.ts';

/**
 * The history at about half its size, after the model's context overflowed: older tool results become one line, oldest
 * first; what opened the conversation and its last turn stay. Null when there is nothing to take out.
 */
export function shrinkHistory(
  messages: readonly Message[],
  estimate: (message: Message) => number,
): readonly Message[] | null {
  const lastTurn = messages.findLastIndex((message) => message.role === 'assistant');
  let excess = messages.reduce((tokens, message) => tokens + estimate(message), 0) / 2;
  let changed = false;
  const shrunk = messages.map((message, index) => {
    if (message.role !== 'tool' || index > lastTurn || excess <= 0) return message;
    const stub = stubFor(message);
    const saved = estimate(message) - estimate(stub);
    if (saved <= 0) return message;
    excess -= saved;
    changed = true;
    return stub;
  });
  return changed ? shrunk : null;
}

function stubFor(message: ToolMessage): ToolMessage {
  return { ...message, text: `[result of ${message.name} removed to fit the context; call it again if needed]` };
}
