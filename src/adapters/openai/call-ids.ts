import type { Message, ToolCall } from '../../core/agent/message.ts';

/** A call before its id is known to be usable. */
export type ReadCall = { readonly id: string; readonly name: string; readonly arguments: string };

/**
 * Calls whose ids are unique in the conversation: missing, empty and repeated ones get a fresh id (FAILURES M17).
 * Fresh ids are nine letters and digits, the only form that Mistral accepts, and the same on every run.
 */
export function withUniqueIds(calls: readonly ReadCall[], history: readonly Message[]): readonly ToolCall[] {
  const taken = new Set(
    history.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : [])).map(idOf),
  );
  // Counted on from call to call: to begin anew at each would take the square of their number.
  let number = 0;
  const freshId = (): string => {
    for (number = Math.max(number, taken.size) + 1; ; number += 1) {
      const id = `call${String(number).padStart(5, '0')}`;
      if (!taken.has(id)) return id;
    }
  };
  return calls.map((call) => {
    const id = call.id === '' || taken.has(call.id) ? freshId() : call.id;
    taken.add(id);
    return { ...call, id };
  });
}

function idOf(call: ToolCall): string {
  return call.id;
}
