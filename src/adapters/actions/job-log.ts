import { debug, endGroup, info, isDebug, startGroup } from '@actions/core';
import type { Reporter, ReviewEvent } from '../../core/events.ts';
import { logLines } from '../../core/report/log-line.ts';
import { neutralise } from '../../core/report/text.ts';
import type { EventLine } from '../../core/report/wording.ts';

/**
 * Tells the run in the job's log: a line for every model call, tool call and finding, whole answers at debug level. One
 * batch gets a group of its own; several run at once, and their lines begin with their names.
 */
export function jobLogReporter({
  redact,
  log = jobLog,
}: {
  /** Takes secrets out of a text. */
  redact: (text: string) => string;
  log?: JobLog;
}): Reporter {
  const lines = logLines(log);
  let batches = 0;
  let open: { end(): void } | null = null;
  return (event) => {
    if (event.type === 'batches-plan') batches = event.batches.length;
    if (event.type === 'batch-start' && batches === 1) {
      open = log.group(redact(`Review of ${event.batch}`));
      return;
    }
    for (const line of lines(event)) {
      write({ ...line, text: redact(textOf(line, batches)) }, log);
      if (line.detail !== null) writeDetail(event, { detail: redact(line.detail), log });
    }
    if (event.type === 'batch-end') {
      open?.end();
      open = null;
    }
  };
}

function textOf({ batch, text }: EventLine, batches: number): string {
  return batch === null || batches === 1 ? text : `[${batch}] ${text}`;
}

function write({ level, text }: EventLine, log: JobLog): void {
  if (level === 'debug') log.debug(text);
  else log.line(level === 'warning' ? `Warning: ${text}` : text);
}

// These lists stand outside of every batch's time, so nothing can come between their lines.
const foldedLists: readonly ReviewEvent['type'][] = ['files-select', 'batches-plan'];

function writeDetail(event: ReviewEvent, { detail, log }: { detail: string; log: JobLog }): void {
  if (!foldedLists.includes(event.type)) {
    if (log.debugging) log.debug(detail);
    return;
  }
  const group = log.group(event.type === 'files-select' ? 'Skipped files' : 'Batches');
  log.line(detail);
  group.end();
}

/** The log of a job. Everything that goes through it is neutralised: no text can give the runner a command. */
export interface JobLog {
  line(text: string): void;
  debug(text: string): void;
  readonly debugging: boolean;
  /** Groups do not nest, and what others print meanwhile lands in them. */
  group(title: string): { end(): void };
}

export const jobLog: JobLog = {
  line: (text) => info(neutralise(text)),
  debug: (text) => debug(neutralise(text)),
  get debugging() {
    return isDebug();
  },
  group: (title) => {
    startGroup(neutralise(title));
    return { end: endGroup };
  },
};
