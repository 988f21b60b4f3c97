import { type Commit, historyOf } from './commits.ts';
import type { Hub, OnRequest } from './hub.ts';
import { runPostil } from './postil.ts';
import type { Report, Reviewer } from './reviewer.ts';

/** A run that has begun. */
export type Started = {
  /** Null where it was killed. */
  readonly done: Promise<Report | null>;
  readonly head: Commit;
  readonly mergeBase: Commit;
};

export type Starting = {
  readonly hub: Hub;
  readonly run: number;
  readonly inputs: Readonly<Record<string, string>>;
  readonly reviewer: Reviewer | null;
  readonly forgets: boolean;
  readonly diesAtDiff?: boolean;
  /** Before which of its writes it dies. */
  readonly diesAt?: number;
  /** Before which of its writes it waits, and for what. */
  readonly waitsAt?: number;
  readonly onWait?: () => Promise<void>;
};

/** Starts a run on what is the head now. */
export function startRun({ diesAtDiff = false, diesAt, waitsAt, onWait, forgets, ...options }: Starting): Started {
  const death = deferred<never>();
  death.promise.catch(() => undefined);
  const die = () => {
    death.reject(new Killed());
    return deferred<never>().promise;
  };
  let writes = 0;
  const onRequest: OnRequest = async ({ isWrite }) => {
    writes += isWrite ? 1 : 0;
    if (isWrite && writes === diesAt) await die();
    if (isWrite && writes === waitsAt) await onWait?.();
  };
  const onDiff = async () => (diesAtDiff ? die() : undefined);
  const { head, mergeBase, base } = options.hub;
  const isGone = (commit: Commit) => forgets && ![head, base].some((tip) => historyOf(tip).has(commit));
  const done = runPostil({ ...options, isGone, killed: death.promise, onRequest, onDiff });
  return { done: done.catch(nullIfKilled), head, mergeBase };
}

class Killed extends Error {}

function nullIfKilled(error: unknown): null {
  if (error instanceof Killed) return null;
  throw error;
}

/** A promise, and who settles it. */
export function deferred<T = void>() {
  let settle: { resolve: (value: T) => void; reject: (error: Error) => void } | null = null;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const now = (): { resolve: (value: T) => void; reject: (error: Error) => void } => {
    if (settle === null) throw new Error('A promise begins at once.');
    return settle;
  };
  return { promise, resolve: (value: T) => now().resolve(value), reject: (error: Error) => now().reject(error) };
}
