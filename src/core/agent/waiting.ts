import type { Agent, Clock } from './agent.ts';
import type { Phase } from './event.ts';
import { type Model, ModelError } from './model.ts';

type Timed<T> =
  | { readonly ended: 'done'; readonly value: T }
  | { readonly ended: 'time' }
  | { readonly ended: 'cancelled' };

type TimeLimit = {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** Cancels from outside. */
  readonly signal: AbortSignal;
};

/** Timers of JavaScript overflow beyond this, and then fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Does `work` until it is done, the time is over or the signal aborts, whichever is first; the signal that `work` gets
 * is aborted then. It does not wait for work that ignores its signal. What `work` throws is thrown.
 */
export async function withTimeLimit<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<Timed<T>> {
  if (limit.signal.aborted) return { ended: 'cancelled' };
  if (limit.milliseconds <= 0) return { ended: 'time' };
  const ending = new AbortController();
  const done = async (): Promise<Timed<T>> => ({ ended: 'done', value: await work(ending.signal) });
  const time = async (): Promise<Timed<T>> => {
    await limit.clock.wait(Math.min(limit.milliseconds, longestTimer), ending.signal);
    return { ended: 'time' };
  };
  const cancelled = new Promise<Timed<T>>((resolve) => {
    const cancel = () => resolve({ ended: 'cancelled' });
    limit.signal.addEventListener('abort', cancel, { once: true, signal: ending.signal });
  });
  try {
    return await Promise.race([done(), time(), cancelled]);
  } finally {
    ending.abort();
  }
}

const firstBeat = 10_000;
const laterBeats = 30_000;
/** A model that began to write and then says nothing for so long hangs. Before, it may be thinking. */
const idleMilliseconds = 120_000;

type Watch = {
  readonly onProgress: (characters: number) => void;
  /** Rejects when the answer stopped in the middle; never resolves. */
  readonly idle: Promise<never>;
};

/** Tells that an answer is under way, after 10 seconds and then every 30, until the signal aborts. */
export function watchAnswer(
  { clock, emit }: Pick<Agent, 'clock' | 'emit'>,
  call: { phase: Phase; signal: AbortSignal },
): Watch {
  const { phase, signal } = call;
  const start = clock.now();
  let written: { readonly characters: number; readonly at: number } | null = null;
  const beat = async () => {
    await clock.wait(firstBeat, signal);
    while (!signal.aborted) {
      emit({ type: 'call-wait', phase, milliseconds: clock.now() - start, characters: written?.characters ?? null });
      await clock.wait(laterBeats, signal);
    }
  };
  const idle = new Promise<never>((_, reject) => {
    const watchSilence = async () => {
      while (!signal.aborted) {
        const left = (written?.at ?? clock.now()) + idleMilliseconds - clock.now();
        if (left <= 0) return reject(stoppedInTheMiddle());
        await clock.wait(left, signal);
      }
    };
    watchSilence().catch(reject);
    beat().catch(reject);
  });
  // Whoever lost interest in the answer does not hear of its silence.
  idle.catch(() => undefined);
  const onProgress = (characters: number) => {
    written = { characters, at: clock.now() };
  };
  return { onProgress, idle };
}

function stoppedInTheMiddle(): ModelError {
  const message = `The answer stopped in the middle: nothing came for ${idleMilliseconds / 1_000} seconds.`;
  return new ModelError('transient', message, { maybeBilled: true });
}

type FirstToken = {
  readonly model: Model;
  /** Resolves when the model began to answer, or did not: with the first token, an answer, an error, or `open`. */
  readonly first: Promise<void>;
  /** For a run that ends without a call. */
  readonly open: () => void;
};

/** Watches for the first token of a model's first call: from then on the server has its prompt in the cache. */
export function firstToken(model: Model): FirstToken {
  let open = () => {};
  const first = new Promise<void>((resolve) => {
    open = resolve;
  });
  const watched: Model = {
    answer: async (request, signal) => {
      const onProgress = (characters: number) => {
        open();
        request.onProgress?.(characters);
      };
      try {
        return await model.answer({ ...request, onProgress }, signal);
      } finally {
        open();
      }
    },
  };
  return { model: watched, first, open: () => open() };
}
