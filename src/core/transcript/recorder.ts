import type { Clock } from '../agent/clock.ts';
import { ModelError } from '../agent/model.ts';
import type { CallLine, RecordedError } from './transcript-line.ts';

/** Gives what the port gave, and keeps what may be written down. */
export type Record = <T>(call: string, args: readonly unknown[] | string, run: () => Promise<Kept<T>>) => Promise<T>;
export type Kept<T> = { readonly given: T; readonly kept: unknown };

export function recorder({
  clock,
  write,
}: {
  readonly clock: Clock;
  readonly write: (line: CallLine) => void;
}): Record {
  return async (call, args, run) => {
    const start = clock.now();
    const key = typeof args === 'string' ? args : JSON.stringify(args);
    const line = (): CallLine => ({ type: 'call', call, key, milliseconds: clock.now() - start });
    try {
      const { given, kept } = await run();
      write({ ...line(), result: kept });
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

export async function same<T>(answer: Promise<T>): Promise<Kept<T>> {
  const given = await answer;
  return { given, kept: given };
}

export type Redacting = { readonly record: Record; readonly redact: (text: string) => string };
