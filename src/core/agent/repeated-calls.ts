import { readJsonText } from '../json-text.ts';
import type { ToolCall } from './message.ts';

const windowSize = 12;
/** From this many equal calls among the last 12 on, the answer warns (FAILURES M12). */
export const warnAt = 3;
/** At this many the run stops. */
export const stopAt = 6;

/** Notices when a model makes the same call again and again: same name, same arguments in any order of their keys. */
export class RepeatedCalls {
  readonly #recent: string[] = [];

  /** Notes a call and says how many of the last 12, itself included, were equal to it. */
  note(call: ToolCall): number {
    const key = `${call.name} ${canonical(call.arguments)}`;
    this.#recent.push(key);
    if (this.#recent.length > windowSize) this.#recent.shift();
    return this.#recent.filter((other) => other === key).length;
  }
}

function canonical(json: string): string {
  const read = readJsonText(json);
  // Where it is no JSON, the text itself has to do.
  return read.ok ? JSON.stringify(read.value, sortKeys) : json;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
