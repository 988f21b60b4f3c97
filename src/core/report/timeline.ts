import type { AgentEvent } from '../agent/event.ts';
import type { Reporter } from '../events.ts';
import type { TimelineEntry } from './metrics-schema.ts';

export type Timeline = {
  readonly report: Reporter;
  readonly entries: () => readonly TimelineEntry[];
  /** Of the first event. */
  readonly startedAt: () => number;
};

/** Entries: enough for a run of 128 batches; what comes later is left out of the picture, never out of the figures. */
const maxEntries = 4_000;
/** Characters of what a tool was asked. */
const maxAsked = 200;

/** Takes down when what happened. `now` counts milliseconds; the first event is the beginning. */
export function timeline(now: () => number): Timeline {
  let began: number | null = null;
  const startedAt = () => {
    began ??= now();
    return began;
  };
  const entries: TimelineEntry[] = [];
  const add: Add = (entry) => {
    if (entries.length >= maxEntries) return;
    const milliseconds = Math.round(entry.milliseconds ?? 0);
    const at = Math.max(0, Math.round(now() - startedAt()) - (entry.kind === 'wait' ? 0 : milliseconds));
    entries.push({
      asked: null,
      outcome: 'ok',
      characters: null,
      input_tokens: null,
      output_tokens: null,
      ...entry,
      at,
      milliseconds,
    });
  };
  return {
    report: (event) => {
      startedAt();
      if (event.type === 'agent-event') addOfAgent(event.batch, event.event, add);
      if (event.type === 'finding-accept') add({ batch: event.batch, kind: 'finding', name: event.title });
      if (event.type === 'finding-dismiss')
        add({ batch: event.batch, kind: 'disproved', name: event.title, outcome: event.reason });
    },
    entries: () => entries,
    startedAt,
  };
}

type Add = (entry: Partial<TimelineEntry> & Pick<TimelineEntry, 'batch' | 'kind' | 'name'>) => void;

function addOfAgent(batch: string, event: AgentEvent, add: Add): void {
  if (event.type === 'step-end') {
    const { phase: name, milliseconds, usage } = event;
    add({ batch, kind: 'model', name, milliseconds, input_tokens: usage.input, output_tokens: usage.output });
  }
  if (event.type === 'tool-end') {
    const { call, outcome, milliseconds, characters } = event;
    const asked = call.arguments.slice(0, maxAsked);
    add({ batch, kind: 'tool', name: call.name, asked, outcome, milliseconds, characters });
  }
  if (event.type === 'call-retry') {
    add({ batch, kind: 'wait', name: event.reason, milliseconds: event.waitMilliseconds, outcome: 'retried' });
  }
}
