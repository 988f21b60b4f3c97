import type { EventLine } from '../../core/report/event-line.ts';
import { logLines } from '../../core/report/log-lines.ts';
import type { Reporter, ReviewEvent } from '../../core/reporter.ts';
import { type JobLog, jobLog } from './job-log.ts';

export type JobLogOptions = {
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly log?: JobLog;
};

/**
 * Tells the run in the job's log: a line for every model call, tool call and finding, whole answers at debug level. One
 * batch gets a group of its own; several run at once, and their lines begin with their names.
 */
export function jobLogReporter({ redact, log = jobLog }: JobLogOptions): Reporter {
  const lines = logLines(log);
  let bundles = 0;
  let open: { end(): void } | null = null;
  return (event) => {
    if (event.type === 'bundles-plan') bundles = event.bundles.length;
    if (event.type === 'bundle-start' && bundles === 1) {
      open = log.group(redact(`Review of ${event.bundle}`));
      return;
    }
    for (const line of lines(event)) {
      write({ ...line, text: redact(textOf(line, bundles)) }, log);
      if (line.detail !== null) writeDetail(event, { detail: redact(line.detail), log });
    }
    if (event.type === 'bundle-end') {
      open?.end();
      open = null;
    }
  };
}

function textOf({ bundle, text }: EventLine, bundles: number): string {
  return bundle === null || bundles === 1 ? text : `[${bundle}] ${text}`;
}

function write({ level, text }: EventLine, log: JobLog): void {
  if (level === 'debug') log.debug(text);
  else log.line(level === 'warning' ? `Warning: ${text}` : text);
}

// These lists stand outside of every batch's time, so nothing can come between their lines.
const foldedLists: readonly ReviewEvent['type'][] = ['files-select', 'bundles-plan'];

function writeDetail(event: ReviewEvent, { detail, log }: { readonly detail: string; readonly log: JobLog }): void {
  if (!foldedLists.includes(event.type)) {
    if (log.debugging) log.debug(detail);
    return;
  }
  const group = log.group(event.type === 'files-select' ? 'Skipped files' : 'Batches');
  log.line(detail);
  group.end();
}
