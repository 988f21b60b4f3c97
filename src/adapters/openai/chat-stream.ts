import { field, isObject, list, text } from './json.ts';
import { mergeDelta } from './merge-delta.ts';

/** Puts an answer together from its chunks, as the server would have sent it whole. */
export class ChatStream {
  #rest: unknown = {};
  #message: unknown = {};
  #choice: unknown = {};
  #error: unknown = null;
  readonly #calls: StreamedCall[] = [];
  /** By their index the last of the calls: a hostile answer makes tens of thousands. */
  readonly #latest = new Map<number, StreamedCall>();
  /** Of text, reasoning and arguments. */
  characters = 0;

  add(chunk: unknown): void {
    if (field(chunk, 'error') !== undefined || field(chunk, 'object') === 'error') this.#error ??= chunk;
    const choice = list(field(chunk, 'choices'))[0];
    const { choices: _choices, ...rest } = isObject(chunk) ? chunk : {};
    this.#rest = { ...asObject(this.#rest), ...withoutNulls(rest) };
    const { delta, message, ...more } = isObject(choice) ? choice : {};
    this.#choice = { ...asObject(this.#choice), ...withoutNulls(more) };
    // Some servers put the whole message into one chunk.
    const { tool_calls: calls, ...said } = asObject(delta ?? message);
    this.#message = mergeDelta(this.#message, said);
    for (const value of Object.values(said)) this.characters += typeof value === 'string' ? value.length : 0;
    for (const call of list(calls)) this.#addCall(call);
  }

  /** The whole answer, or the error that came in the middle; null when it was cut. */
  answer(): unknown {
    if (this.#error !== null) return this.#error;
    if (field(this.#choice, 'finish_reason') === undefined) return null;
    const calls = this.#calls.length === 0 ? {} : { tool_calls: this.#calls.map(({ call }) => call) };
    const message = { role: 'assistant', content: null, ...asObject(this.#message), ...calls };
    return { ...asObject(this.#rest), choices: [{ ...asObject(this.#choice), message }] };
  }

  #addCall(delta: unknown): void {
    const held = this.#callOf(delta);
    const { index: _index, function: called, ...rest } = asObject(delta);
    const written = field(called, 'arguments');
    this.characters += text(written).length;
    const before = asObject(held.call['function']);
    const name = text(before['name']) || text(field(called, 'name'));
    const known = text(before['arguments']);
    const all = typeof written === 'object' && written !== null ? JSON.stringify(written) : known + text(written);
    held.call = { ...asObject(mergeDelta(held.call, rest)), function: { ...before, name, arguments: all } };
  }

  /** By index; servers that give all calls the same one tell them apart by id, and others give neither. */
  #callOf(delta: unknown): StreamedCall {
    const index = field(delta, 'index');
    const id = text(field(delta, 'id'));
    const candidate = typeof index === 'number' ? this.#latest.get(index) : this.#calls.at(-1);
    const heldId = text(candidate?.call['id']);
    const isNamed = text(field(field(delta, 'function'), 'name')) !== '';
    const startsAnother = id === '' ? typeof index !== 'number' && isNamed : heldId !== '' && id !== heldId;
    if (candidate !== undefined && !startsAnother) return candidate;
    const started = { call: {} };
    this.#calls.push(started);
    if (typeof index === 'number') this.#latest.set(index, started);
    return started;
  }
}

type StreamedCall = { call: { readonly [name: string]: unknown } };

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function withoutNulls(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
