import { field, isObject, list, text } from './json.ts';

/** Waits for the event that holds the whole response; the items that were reported before stand in where it leaves them out. */
export class ResponsesStream {
  #response: unknown = null;
  #error: unknown = null;
  readonly #items: unknown[] = [];
  /** Of text, reasoning and arguments. */
  characters = 0;

  add(event: unknown): void {
    const type = text(field(event, 'type'));
    this.characters += text(field(event, 'delta')).length;
    if (type === 'error' || (type === '' && field(event, 'error') !== undefined)) this.#error ??= errorOf(event);
    if (type === 'response.output_item.done') this.#items.push(field(event, 'item'));
    if (endings.has(type)) this.#response = field(event, 'response');
  }

  /** The whole response, or the error that came in the middle; null when it was cut. */
  answer(): unknown {
    if (this.#error !== null) return this.#error;
    if (!isObject(this.#response)) return null;
    const output = list(this.#response['output']);
    return output.length > 0 ? this.#response : { ...this.#response, output: this.#items };
  }
}

const endings: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The words stand in the event itself, or in its `error`. */
function errorOf(event: unknown): unknown {
  const error = field(event, 'error');
  if (isObject(error)) return { error };
  return { error: { code: field(event, 'code'), message: field(event, 'message'), param: field(event, 'param') } };
}
