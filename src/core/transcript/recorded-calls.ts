import type { Clock } from '../agent/clock.ts';
import { ModelError, type ModelErrorKind } from '../agent/model.ts';
import type { CallLine, RecordedError } from './transcript-line.ts';

export type Asked = {
  readonly call: string;
  readonly key: string;
  /** True where another question may get the next answer: a model's, whose prompt a newer Postil words anew. */
  readonly inOrder?: boolean;
  readonly signal?: AbortSignal;
};

const mostDivergences = 20;

/** Answers from a transcript: by question first, each answer once; the last one again for who asks more often. */
export class RecordedCalls {
  readonly #clock: Clock;
  readonly #left: CallLine[];
  readonly #last = new Map<string, CallLine>();
  readonly #divergences: string[] = [];
  #asked = 0;

  constructor(calls: readonly CallLine[], clock: Clock) {
    this.#left = [...calls];
    this.#clock = clock;
  }

  get divergences(): readonly string[] {
    return this.#divergences;
  }

  /** What the port answered, after as long as it took. @throws what the port threw. */
  async answer<T>(asked: Asked): Promise<T> {
    this.#asked += 1;
    const line = this.#take(asked);
    const { signal = new AbortController().signal } = asked;
    await this.#clock.wait(line.milliseconds, signal);
    if (signal.aborted) throw new ModelError('aborted', 'The call was aborted.');
    if (line.error !== undefined) throw errorFrom(line.error);
    return answerIn<T>(line);
  }

  #take(asked: Asked): CallLine {
    const name = `${asked.call} ${asked.key}`;
    const index = this.#left.findIndex(({ call, key }) => call === asked.call && key === asked.key);
    const line = index === -1 ? this.#last.get(name) : this.#left.splice(index, 1)[0];
    if (line !== undefined) {
      this.#last.set(name, line);
      return line;
    }
    const next = asked.inOrder === true ? this.#left.findIndex(({ call }) => call === asked.call) : -1;
    this.#diverge(asked, next === -1);
    const other = this.#left.splice(next, next === -1 ? 0 : 1)[0];
    return other ?? missing(asked);
  }

  #diverge({ call, key }: Asked, unanswered: boolean): void {
    if (this.#divergences.length >= mostDivergences) return;
    const what = call.endsWith('.answer') ? 'another prompt' : key.slice(0, 200);
    const then = unanswered ? 'no answer is left for it' : 'the next answer stands in';
    this.#divergences.push(`Call ${this.#asked} (${call}) asks ${what}, which the recording did not: ${then}.`);
  }
}

function missing({ call, key }: Asked): CallLine {
  const message = `The recording holds no answer of ${call}.`;
  const isModel = call.endsWith('.answer');
  const error: RecordedError = isModel
    ? { name: 'ModelError', message, kind: 'refused-request', hint: 'The replay has left the recording.' }
    : { name: 'Error', message };
  return { type: 'call', call, key, milliseconds: 0, error };
}

// The form of an answer is that of its port: it was written from one.
function answerIn<T>(line: CallLine): T;
function answerIn(line: CallLine): unknown {
  return line.result;
}

const kinds: readonly ModelErrorKind[] = [
  'transient',
  'authentication',
  'quota',
  'unknown-model',
  'context-overflow',
  'refused-request',
  'aborted',
];

function errorFrom({ name, message, kind, hint, retry_after, maybe_billed }: RecordedError): Error {
  if (name !== 'ModelError') return new Error(message);
  const known = kinds.find((one) => one === kind) ?? 'transient';
  return new ModelError(known, message, {
    hint: hint ?? '',
    retryAfter: retry_after ?? null,
    maybeBilled: maybe_billed ?? false,
  });
}
