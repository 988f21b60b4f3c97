import type { Clock } from '../core/agent/agent.ts';
import type { Reporter } from '../core/events.ts';
import { renderEvent } from '../core/report/log-line.ts';
import { characters, cutText, neutralise } from '../core/report/text.ts';
import { deadlines } from '../core/settings/settings.ts';
import { systemClock } from './machine.ts';

/** What the run tells the process that watches over it (`src/run/watchdog.ts`); the last of each counts. */
export type RunMessage = {
  /** Path of the journal. */
  readonly journal?: string;
  /** The folder that the run removes when it ends. */
  readonly temporary?: string;
  /** Until the run must have ended; null when nothing limits it. */
  readonly seconds?: number | null;
  /** What it told last. */
  readonly step?: string;
  /** It heard that it is to stop. */
  readonly heard?: true;
  /** It has ended by itself: the exit code. */
  readonly end?: number;
  /** Why it ends without having delivered anything, as it said it to people. */
  readonly broke?: string;
};

/** Handed to a child by the process that started it. */
export type ChildOrder = {
  readonly by: number;
  /** It is to deliver what a run left, and not to review. */
  readonly words?: LastWords;
};

/** Of a run that did not end by itself: what it told, why it ended, and that in a sentence, and how long it took. */
export type LastWords = RunMessage & {
  readonly why: 'cancelled' | 'late' | 'died' | 'broke';
  readonly reason: string;
  readonly milliseconds: number;
};

const given = readGiven();
const isWatched = given !== null && given.words === undefined && process.send !== undefined;
/** What this process is to deliver for a run that could not; null where it is to do what it was asked. */
export const lastWords = given?.words ?? null;

// What a hook of somebody else breaks is no reason to say nothing.
if (lastWords !== null) process.on('uncaughtException', () => undefined);
if (isWatched) {
  // Nobody waits for it any more: what it started ends with it.
  process.on('disconnect', () => {
    if (process.platform !== 'win32') process.kill(-process.pid, 'SIGKILL');
    process.exit(1);
  });
  // Listening keeps no run alive.
  process.channel?.unref();
}

/** Taken out of the environment, where children would believe it of themselves. */
function readGiven(): ChildOrder | null {
  const text = process.env['POSTIL_WATCHED'];
  delete process.env['POSTIL_WATCHED'];
  if (text === undefined) return null;
  try {
    const read: ChildOrder = JSON.parse(text);
    return read.by === process.ppid ? read : null;
  } catch {
    return null;
  }
}

/** Once all is said, whatever else of this process goes on. At once, since taking down a heap as large as this takes longer than starting Node. */
export async function endSpoken(code = 0): Promise<never> {
  const streams = [process.stdout, process.stderr];
  const said = streams.map((stream) => new Promise((resolve) => stream.write('', resolve)));
  await Promise.all([...said, new Promise((resolve) => tell({ end: code }, resolve))]);
  process.exit(code);
}

/** Tells the process that watches; nothing where none does. `onTold` is called in any case. */
export function tell(news: RunMessage, onTold: (value?: unknown) => void = () => undefined): void {
  if (isWatched && process.connected) process.send?.(news, undefined, undefined, onTold);
  else onTold();
}

const stopSignals = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
export type StopSignal = (typeof stopSignals)[number];

/** Calls once, at the first signal that stops: where a process watches, that one hears them and passes them on. */
function onceStopped(listener: (signal: StopSignal) => void): void {
  if (!isWatched) {
    for (const signal of stopSignals) process.once(signal, () => listener(signal));
    return;
  }
  // Who sends them to a whole group means the one that watches.
  for (const signal of stopSignals) process.on(signal, () => undefined);
  process.once('message', (message) => {
    const { signal = 'SIGTERM' }: { signal?: StopSignal } = Object(message);
    tell({ heard: true });
    listener(signal);
  });
}

/** Aborts at the first signal that stops, such as SIGINT. A second one ends the run at once. */
export function cancelOnSignals(onSignal: (signal: StopSignal) => void = () => undefined): AbortSignal {
  const controller = new AbortController();
  onceStopped((signal) => {
    onSignal(signal);
    controller.abort();
  });
  return controller.signal;
}

/** Tells the process that watches by when the run must have ended: again, once the config file was read. */
export function tellEnd(startedAt: number, timeoutMinutes: number, clock: Clock = systemClock): void {
  tell({ seconds: (deadlines(startedAt, timeoutMinutes).end - clock.now()) / 1_000 });
}

/** Tells each step, so that whoever looks for what a run hung in knows where to look. */
export function tellSteps(redact: (text: string) => string): Reporter {
  return (event) => {
    if (!isWatched) return;
    const line = renderEvent(event);
    if (line === null) return;
    const text = `${line.batch === null ? '' : `[${line.batch}] `}${line.text}`;
    tell({ step: neutralise(cutText(redact(text), { max: 300, measure: characters })) });
  };
}
