import type { AgentEvent } from '../agent/event.ts';
import type { Reporter } from '../events.ts';
import type { TimelineEntry } from '../review/record.ts';
import { plural } from '../text.ts';

/** What a call was asked and answered, from a transcript: those of a batch in the order in which they ended. */
export type CallDetail = {
  readonly kind: 'model' | 'tool';
  readonly batch: string;
  readonly asked: string;
  readonly answered: string;
};

export type Timeline = {
  readonly report: Reporter;
  readonly entries: () => readonly TimelineEntry[];
  /** Of the first event. */
  readonly startedAt: () => number;
};

/** Entries: enough for a run of 128 batches; what comes later is left out of the report's list, never out of its figures. */
const maxEntries = 4_000;
/** Characters of what a tool was asked. */
const maxAsked = 200;

/** Records the calls, waits and findings of a run in order. `now` counts milliseconds; the first event is the beginning. */
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
      inputTokens: null,
      outputTokens: null,
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
      if (event.type === 'finding-refuse')
        add({ batch: event.batch, kind: 'returned', name: event.title, outcome: event.reason });
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
    add({ batch, kind: 'model', name, milliseconds, inputTokens: usage.input, outputTokens: usage.output });
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

/** What a run is doing right now, in a line: for who watches it. `now` counts milliseconds. */
export function liveLine(now: () => number): {
  readonly report: Reporter;
  /** In at most `columns` characters where the parts allow it: what says least is left out first. */
  readonly text: (columns: number) => string;
} {
  const state: Live = { total: 0, running: new Map(), ended: 0, calls: new Map(), findings: 0, tokens: 0 };
  return {
    report: (event) => {
      if (event.type === 'batches-plan') state.total = event.batches.length;
      if (event.type === 'batch-start') state.running.set(event.batch, state.ended + state.running.size + 1);
      if (event.type === 'batch-end' && state.running.delete(event.batch)) state.ended += 1;
      if (event.type === 'finding-accept') state.findings += 1;
      if (event.type === 'finding-dismiss') state.findings -= 1;
      if (event.type === 'agent-event') watchAgent(state, event, now());
    },
    text: (columns) => {
      const parts = [...partsOf(state, now())].filter(({ text }) => text !== '');
      const joined = () => parts.map(({ text }) => text).join(' · ');
      for (const least of parts.toSorted((one, other) => one.worth - other.worth)) {
        if (joined().length <= columns || parts.length === 1) break;
        parts.splice(parts.indexOf(least), 1);
      }
      return joined();
    },
  };
}

type Live = {
  total: number;
  /** The number of each batch that is under way, in the order of their starts. */
  running: Map<string, number>;
  ended: number;
  /** What each conversation waits for, and since or until when. */
  calls: Map<string, { readonly doing: string; readonly since: number | null; readonly until: number | null }>;
  findings: number;
  tokens: number;
};

function watchAgent(state: Live, { batch, event }: { batch: string; event: AgentEvent }, now: number): void {
  const { calls } = state;
  const doing = calls.get(batch)?.doing ?? '';
  if (event.type === 'step-start') {
    const { phase, step, maxSteps } = event;
    calls.set(batch, {
      doing: phase === 'review' ? `iteration ${step} of ${maxSteps}` : phase,
      since: now,
      until: null,
    });
  }
  if (event.type === 'call-retry') calls.set(batch, { doing, since: now, until: now + event.waitMilliseconds });
  if (event.type === 'step-end') {
    state.tokens += event.usage.input + event.usage.output;
    calls.set(batch, { doing, since: null, until: null });
  }
  if (event.type === 'run-end') calls.delete(batch);
}

type Part = { readonly text: string; readonly worth: number };

function partsOf({ total, running, ended, calls, findings, tokens }: Live, now: number): readonly Part[] {
  const waiting = [...calls.values()].filter(({ since }) => since !== null);
  const [oldest] = waiting.toSorted((one, other) => (one.since ?? 0) - (other.since ?? 0));
  // Of several conversations at once the iterations are no news.
  const doing = running.size === 1 ? [...running.keys()].map((batch) => calls.get(batch)?.doing).join('') : '';
  return [
    {
      text: progress({ total: Math.max(total, ended + running.size), running: [...running.values()], ended }),
      worth: 5,
    },
    { text: doing, worth: 2 },
    { text: oldest === undefined ? '' : wait(oldest, now), worth: 4 },
    { text: findings > 0 ? plural(findings, 'finding') : '', worth: 3 },
    { text: tokens === 0 ? '' : `${rounded(tokens)} tokens`, worth: 1 },
  ];
}

/** With more batches than this a bar says more than their numbers. */
const fewBatches = 8;

function progress({ total, running, ended }: { total: number; running: readonly number[]; ended: number }): string {
  if (total === 0) return 'reading the change';
  if (running.length === 0) return ended === 0 ? 'preparing the review' : 'finishing the review';
  if (total > fewBatches) return `${bar(ended / total)} ${ended}/${total} batches`;
  return running.length === 1 ? `batch ${running[0]}/${total}` : `batches ${running.join(', ')} of ${total}`;
}

const cells = 12;

function bar(share: number): string {
  const full = Math.floor(share * cells);
  return `${'█'.repeat(full)}${'░'.repeat(cells - full)}`;
}

function wait({ since, until }: { since: number | null; until: number | null }, now: number): string {
  if (until !== null && until > now) return `retry in ${Math.ceil((until - now) / 1_000)} s`;
  const seconds = Math.floor((now - (until ?? since ?? now)) / 1_000);
  return seconds === 0 ? '' : `waiting ${seconds} s`;
}

/** Such as `950`, `24k`, `1.2M`. */
function rounded(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_500 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
