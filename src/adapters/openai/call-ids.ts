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
  return calls.map((call) => {
    const id = call.id === '' || taken.has(call.id) ? freshId(taken) : call.id;
    taken.add(id);
    return { ...call, id };
  });
}

function freshId(taken: ReadonlySet<string>): string {
  for (let number = taken.size + 1; ; number++) {
    const id = `call${String(number).padStart(5, '0')}`;
    if (!taken.has(id)) return id;
  }
}

function idOf(call: ToolCall): string {
  return call.id;
}
