import { debug, endGroup, info, isDebug, startGroup } from '@actions/core';
import type { Reporter, ReviewEvent } from '../../core/events.ts';
import { logLines } from '../../core/report/log-line.ts';
import type { Tone } from '../../core/report/sections/blocks.ts';
import { neutralise } from '../../core/report/text.ts';
import type { EventLine } from '../../core/report/wording.ts';
import { duration, grouped, plural } from '../../core/text.ts';

/**
 * Tells the run in the job's log. What a batch did is written as one group when it ends, so batches that run at once never interleave; what
 * people wait for, the findings and where they went stand outside of groups. The last line, what the run came to, is the job's to say.
 */
export function jobLogReporter({
  redact,
  log = jobLog,
  now = Date.now,
}: {
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  log?: JobLog;
  now?: () => number;
}): {
  readonly report: Reporter;
  /** Writes what batches that have not ended did until now. Call it however the run ends. */
  readonly end: () => void;
} {
  const lines = logLines({ debugging: log.isDebugging() });
  const open = new Map<string, RunningBatch>();
  let planned = 0;
  const print = (line: EventLine, type: ReviewEvent['type']) =>
    write(
      { ...line, text: redact(line.text), detail: line.detail === null ? null : redact(line.detail) },
      { type, log },
    );
  const close = (name: string, batch: RunningBatch, sentence: string) => {
    open.delete(name);
    const title = redact(`Batch ${[name, sentence, ...batch.used(now())].join(' · ')}`);
    batch.write(title, { log, print: (line) => print(line, 'agent-event') });
  };
  const end = () => {
    for (const [name, batch] of open) close(name, batch, batch.soFar());
  };
  return {
    report: (event) => {
      if (event.type === 'review-end') return end();
      if (event.type === 'batches-plan') planned = event.batches.length;
      if (event.type === 'batch-start') {
        open.set(event.batch, new RunningBatch(now(), log));
        return;
      }
      const owner = 'batch' in event ? ownerOf(event.batch, open) : null;
      if (owner !== null) owner.batch.note(event);
      for (const line of lines(event)) {
        if (event.type === 'batch-end' && owner !== null && line.batch !== null && line.level !== 'debug') {
          close(owner.name, owner.batch, line.text.replace(/\.$/, ''));
        } else if (owner === null || line.batch === null || isHeartbeat(event))
          print(prefixed(line, planned), event.type);
        else owner.batch.add(unprefixed(line, owner.name));
      }
      // One of many that has no line of its own.
      if (event.type === 'batch-end') open.delete(event.batch);
    },
    end,
  };
}

function isHeartbeat(event: ReviewEvent): boolean {
  return event.type === 'agent-event' && event.event.type === 'call-wait';
}

/** The batch that an event is of, by its name or that of one of its passes. */
function ownerOf(
  name: string,
  open: ReadonlyMap<string, RunningBatch>,
): { readonly name: string; readonly batch: RunningBatch } | null {
  for (const [known, batch] of open) if (name === known || isPassOf(name, known)) return { name: known, batch };
  return null;
}

function isPassOf(name: string, batch: string): boolean {
  return name.startsWith(`${batch}, pass `);
}

function prefixed(line: EventLine, planned: number): EventLine {
  return line.batch === null || planned === 1 ? line : { ...line, text: `[${line.batch}] ${line.text}` };
}

/** The group has the batch's name; its passes have theirs. */
function unprefixed(line: EventLine, batch: string): EventLine {
  const name = line.batch ?? '';
  return isPassOf(name, batch) ? { ...line, text: `[${name.slice(batch.length + 2)}] ${line.text}` } : line;
}

/** Characters of the lines that are kept of a batch until it ends; of one that is debugged, whole results among them. */
const kept = { usual: 200_000, debugging: 5_000_000 } as const;

/** What a batch did so far. */
class RunningBatch {
  readonly #startedAt: number;
  readonly #log: JobLog;
  readonly #lines: EventLine[] = [];
  #characters = 0;
  #left = 0;
  #iterations = 0;
  #tokens = 0;
  #findings = 0;

  constructor(startedAt: number, log: JobLog) {
    this.#startedAt = startedAt;
    this.#log = log;
  }

  note(event: ReviewEvent): void {
    if (event.type === 'finding-accept') this.#findings += 1;
    if (event.type !== 'agent-event' || event.event.type !== 'step-end') return;
    const { phase, usage } = event.event;
    if (phase === 'review') this.#iterations += 1;
    this.#tokens += usage.input + usage.output;
  }

  add(line: EventLine): void {
    const debugging = this.#log.isDebugging();
    if (line.level === 'debug' && !debugging) return;
    const detail = debugging ? line.detail : null;
    const size = line.text.length + (detail?.length ?? 0);
    if (this.#characters + size > (debugging ? kept.debugging : kept.usual)) {
      this.#left += 1;
      return;
    }
    this.#characters += size;
    this.#lines.push({ ...line, detail });
  }

  used(now: number): readonly string[] {
    return [
      ...(this.#iterations === 0 ? [] : [plural(this.#iterations, 'iteration')]),
      ...(this.#tokens === 0 ? [] : [`${grouped(this.#tokens)} tokens`]),
      duration(now - this.#startedAt),
    ];
  }

  /** Of a batch that did not end. */
  soFar(): string {
    return `Not finished${this.#findings === 0 ? '' : `: ${plural(this.#findings, 'finding')} so far`}`;
  }

  write(title: string, { log, print }: { log: JobLog; print: (line: EventLine) => void }): void {
    if (this.#lines.length + this.#left === 0) {
      log.line(title);
      return;
    }
    const group = log.group(title);
    for (const line of this.#lines) print(line);
    if (this.#left > 0) log.line(`… ${plural(this.#left, 'more line')} of this batch did not fit here.`);
    group.end();
  }
}

/** Lists of a run as a whole that are folded. */
const folded: { readonly [type in ReviewEvent['type']]?: string } = {
  'files-select': 'Skipped files',
  'batches-plan': 'Batches',
};

function write(
  { level, text, detail, tone }: EventLine,
  { type, log }: { type: ReviewEvent['type']; log: JobLog },
): void {
  if (type === 'findings-list') {
    // Nothing found is what the last line says.
    if (detail === null) return;
    log.line(text, tone);
    log.line(detail);
    return;
  }
  if (level === 'debug') log.debug(text);
  else log.line(level === 'warning' ? `Warning: ${text}` : text, tone);
  if (detail === null) return;
  const title = folded[type];
  if (title === undefined) {
    if (log.isDebugging()) log.debug(detail);
    return;
  }
  const group = log.group(title);
  log.line(detail);
  group.end();
}

/** The log of a job. Everything that goes through it is neutralised: no text can give the runner a command. */
export interface JobLog {
  line(text: string, tone?: Tone): void;
  debug(text: string): void;
  readonly isDebugging: () => boolean;
  /** Groups do not nest, and what others print meanwhile lands in them. */
  group(title: string): { end(): void };
}

export const jobLog: JobLog = {
  line: (text, tone) => info(tone === undefined ? neutralise(text) : coloured(neutralise(text), tone)),
  debug: (text) => debug(neutralise(text)),
  isDebugging: isDebug,
  group: (title) => {
    startGroup(neutralise(title));
    return { end: endGroup };
  },
};

const colours: Readonly<Record<Tone, number>> = { bad: 31, good: 32, warning: 33, info: 34 };

/** Every line by itself: the log shows them one at a time. */
function coloured(text: string, tone: Tone): string {
  return text.replace(/[^\n]+/g, (line) => `\u001B[${colours[tone]}m${line}\u001B[0m`);
}
