import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Clock } from '../agent/agent.ts';
import { ModelError, modelErrorKinds } from '../agent/model.ts';
import type { Past } from '../history/memory.ts';
import { fromBase64, type Images, toBase64 } from '../images/images.ts';
import type { Embedded, Embedder } from '../knowledge/by-meaning.ts';
import type { Syntax } from '../languages/syntax.ts';
import { type AnswerOf, type ArgumentsOf, type MethodOf, portFrom, wrapPort } from '../port.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { FileContent, History, Repository, TextSearch } from '../repository/repository.ts';
import { shown } from '../repository/shown.ts';
import type { CallLine, RecordedError } from './transcript.ts';

/** Gives what the port gave, and keeps what may be written down. */
export type Record = <T>(
  call: string,
  args: readonly unknown[] | string,
  run: () => Promise<RecordableAnswer<T>>,
) => Promise<T>;
type RecordableAnswer<T> = {
  readonly given: T;
  readonly kept: unknown;
  readonly batch?: string | null;
  readonly asked?: NonNullable<CallLine['asked']>;
};

export function recorder({ clock, write }: { clock: Clock; write: (line: CallLine) => void }): Record {
  const began = clock.now();
  return async (call, args, run) => {
    const start = clock.now();
    const key = typeof args === 'string' ? args : JSON.stringify(args);
    const at = start - began;
    const line = (): CallLine => ({ type: 'call', call, key, at, milliseconds: clock.now() - start });
    try {
      const { given, kept, ...told } = await run();
      write({ ...line(), ...told, result: kept });
      return given;
    } catch (error) {
      write({ ...line(), error: recordedError(error) });
      throw error;
    }
  };
}

function recordedError(error: unknown): RecordedError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message } = error;
  if (!(error instanceof ModelError)) return { name, message };
  const { kind, hint, retryAfter, maybeBilled } = error;
  return { name, message, kind, hint, retry_after: retryAfter, maybe_billed: maybeBilled };
}

/** How the calls of one method are known again. */
type CallForm<Port, Name extends MethodOf<Port>> = {
  /** The arguments that tell one call from another; all where it is left out. */
  readonly key?: (...args: ArgumentsOf<Port, Name>) => readonly unknown[];
  /** What a replay answers where the recording has no answer; an error where it is left out. */
  readonly otherwise?: AnswerOf<Port, Name>;
};

type PortForm<Port> = { readonly [Name in MethodOf<Port>]?: CallForm<Port, Name> };

type RecordedPorts = {
  readonly repository: Repository;
  readonly search: TextSearch;
  readonly history: History;
  readonly past: Past;
  readonly syntax: Syntax;
  readonly images: Images;
};

const byPath = ({ path }: { readonly path: string }) => [path];

/** The ports whose answers are recorded as they are, and the methods of each. */
const portForms: { readonly [Name in keyof RecordedPorts]: PortForm<RecordedPorts[Name]> } = {
  repository: { readFile: { otherwise: { kind: 'unreadable', reason: 'not-fetched', bytes: null } }, listFiles: {} },
  search: { search: { otherwise: { matches: [], incomplete: 'time' } } },
  history: { blame: {}, log: {} },
  past: {
    canWrite: {},
    changesBetween: {},
    blobs: { otherwise: null },
    // As long as the diff has files.
    seal: { key: (contents, key) => [digestOf(contents, (text) => text), key], otherwise: null },
  },
  // A text is parsed once, and the file is in the transcript: the path is enough.
  syntax: { parse: { key: byPath, otherwise: null } },
  images: { find: {}, convert: {} },
};

/** What is written down of an answer, by method; the answer itself for those that are not named. */
type KeptForms<Port> = {
  readonly [Name in MethodOf<Port>]?: (answer: AnswerOf<Port, Name>, ...args: ArgumentsOf<Port, Name>) => unknown;
};

/** Records every call of a port. */
export function recordPort<Name extends keyof RecordedPorts>(
  name: Name,
  port: RecordedPorts[Name],
  options: { readonly record: Record; readonly kept?: KeptForms<RecordedPorts[Name]> },
): RecordedPorts[Name];
export function recordPort(
  name: keyof RecordedPorts,
  port: object,
  { record, kept = {} }: { readonly record: Record; readonly kept?: object },
): object {
  const around = Object.entries<CallKey>(portForms[name]).map(([method, form]) => [
    method,
    (proceed: () => Promise<unknown>, ...args: readonly unknown[]) =>
      record(`${name}.${method}`, keyOf(form, args), async () => {
        const given = await proceed();
        const keep = Reflect.get(kept, method);
        return { given, kept: typeof keep === 'function' ? await keep(given, ...args) : given };
      }),
  ]);
  return wrapPort(port, Object.fromEntries(around));
}

/** Answers every call of a port from a recording. Answers have the form of the port, since they were recorded from one. */
export function replayPort<Name extends keyof RecordedPorts>(name: Name, calls: RecordedCalls): RecordedPorts[Name];
export function replayPort(name: keyof RecordedPorts, calls: RecordedCalls): object {
  const forms: { readonly [method: string]: CallKey } = portForms[name];
  return portFrom(Object.keys(forms), ({ method, args }) => {
    const form = forms[method] ?? {};
    return calls.answer({
      call: `${name}.${method}`,
      key: JSON.stringify(keyOf(form, args)),
      otherwise: form.otherwise,
    });
  });
}

type CallKey = { readonly key?: (...args: never[]) => readonly unknown[]; readonly otherwise?: unknown };

function keyOf(form: CallKey, args: readonly unknown[]): readonly unknown[] {
  return form.key === undefined ? args : Reflect.apply(form.key, null, args);
}

type Redact = (text: string) => string;
export type Redacting = { readonly record: Record; readonly redact: Redact };

/** A file as it may be recorded: lines that hold a credential are as the model saw them, all others as they are. */
export function recordedContent(content: FileContent, redact: Redact): FileContent {
  if (content.kind !== 'text') return content;
  return { ...content, text: withoutSecrets(content.text.split('\n'), redact).join('\n') };
}

/** The same for a diff. */
export function recordedFiles(files: readonly ChangedFile[], redact: Redact): readonly ChangedFile[] {
  return files.map((file) => ({
    ...file,
    hunks: file.hunks.map((hunk) => {
      const bodies = hunk.lines.map((line) => line.slice(1));
      const kept = withoutSecrets(bodies, redact);
      return { ...hunk, lines: hunk.lines.map((line, index) => `${line.slice(0, 1)}${kept[index] ?? ''}`) };
    }),
  }));
}

function withoutSecrets(lines: readonly string[], redact: Redact): readonly string[] {
  const asShown = shown(lines);
  return lines.map((line, index) => {
    const { text = '', redacted = false } = asShown[index] ?? {};
    // A line stays a line, whatever was taken out of it.
    return redact(redacted ? text : line).replaceAll('\n', ' ');
  });
}

export type RecordedQuestion = {
  readonly call: string;
  readonly key: string;
  /** True where another question may get the next answer: a model's, whose prompt a newer Postil words anew. */
  readonly inOrder?: boolean;
  /** What stands in where the recording has no answer, as a newer Postil looks at more than the recorded one did. */
  readonly otherwise?: unknown;
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
  #unanswered = 0;

  constructor(calls: readonly CallLine[], clock: Clock) {
    this.#left = [...calls];
    this.#clock = clock;
  }

  get divergences(): readonly string[] {
    return this.#divergences;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  /** What the port answered, after as long as it took. @throws what the port threw. */
  async answer<T>(asked: RecordedQuestion): Promise<T> {
    this.#asked += 1;
    const line = this.#take(asked);
    const { signal = new AbortController().signal } = asked;
    await this.#clock.wait(line.milliseconds, signal);
    if (signal.aborted) throw new ModelError('aborted', 'The call was aborted.');
    if (line.error !== undefined) throw errorFrom(line.error);
    return answerIn<T>(line);
  }

  #take(asked: RecordedQuestion): CallLine {
    const name = `${asked.call} ${asked.key}`;
    const index = this.#left.findIndex(({ call, key }) => call === asked.call && key === asked.key);
    const line = index === -1 ? this.#last.get(name) : this.#left.splice(index, 1)[0];
    if (line !== undefined) {
      this.#last.set(name, line);
      return line;
    }
    const next = asked.inOrder === true ? this.#left.findIndex(({ call }) => call === asked.call) : -1;
    this.#diverge(asked, next === -1);
    const { call, key, otherwise } = asked;
    if (otherwise !== undefined) return { type: 'call', call, key, milliseconds: 0, result: otherwise };
    const other = this.#left.splice(next, next === -1 ? 0 : 1)[0];
    if (other !== undefined) return other;
    this.#unanswered += 1;
    return missing(asked);
  }

  #diverge({ call, key }: RecordedQuestion, unanswered: boolean): void {
    if (this.#divergences.length >= mostDivergences) return;
    const what = call.endsWith('.answer') ? 'another prompt' : key.slice(0, 200);
    const then = unanswered ? 'no answer is left for it' : 'the next answer stands in';
    this.#divergences.push(`Call ${this.#asked} (${call}) asks ${what}, which the recording did not: ${then}.`);
  }
}

function missing({ call, key }: RecordedQuestion): CallLine {
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

function errorFrom({ name, message, kind, hint, retry_after, maybe_billed }: RecordedError): Error {
  if (name !== 'ModelError') return new Error(message);
  const known = modelErrorKinds.find((one) => one === kind) ?? 'transient';
  return new ModelError(known, message, {
    hint: hint ?? '',
    retryAfter: retry_after ?? null,
    maybeBilled: maybe_billed ?? false,
  });
}

/** Ends like a model's calls, whose errors it has. */
const call = 'embedder.answer';

/** As it is written down: a byte for each component, in base64. The texts are known by a digest. */
type RecordedEmbedding = { readonly [K in keyof Embedded]: K extends 'vectors' ? readonly string[] : Embedded[K] };

export function recordedEmbedder(embedder: Embedder | null, { record, redact }: Redacting): Embedder | null {
  if (embedder === null) return null;
  return {
    embed: (texts, signal) =>
      record(call, digestOf(texts, redact), async () => {
        const given = await embedder.embed(texts, signal);
        const vectors = given.vectors.map((vector) => toBase64(new Uint8Array(vector.buffer)));
        return { given, kept: { ...given, vectors } satisfies RecordedEmbedding };
      }),
  };
}

export function replayedEmbedder({ calls, redact }: { calls: RecordedCalls; redact: Redact }): Embedder {
  return {
    embed: async (texts, signal) => {
      const key = digestOf(texts, redact);
      const { vectors, usage } = await calls.answer<RecordedEmbedding>({ call, key, signal });
      return { vectors: vectors.map((vector) => new Int8Array(fromBase64(vector).buffer)), usage };
    },
  };
}

function digestOf(texts: readonly string[], redact: Redact): string {
  return bytesToHex(sha256(utf8ToBytes(redact(JSON.stringify(texts))))).slice(0, 32);
}
