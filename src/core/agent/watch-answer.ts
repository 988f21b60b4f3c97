import type { Agent } from './agent.ts';
import type { Phase } from './event.ts';
import { ModelError } from './model.ts';

const firstBeat = 10_000;
const laterBeats = 30_000;
/** A model that began to write and then says nothing for so long hangs (FAILURES M19). Before, it may be thinking. */
const idleMilliseconds = 120_000;

export type Watch = {
  readonly onProgress: (characters: number) => void;
  /** Rejects when the answer stopped in the middle; never resolves. */
  readonly idle: Promise<never>;
};

/** Tells that an answer is under way, after 10 seconds and then every 30, until the signal aborts. */
export function watchAnswer(
  { clock, emit }: Pick<Agent, 'clock' | 'emit'>,
  call: { readonly phase: Phase; readonly signal: AbortSignal },
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
