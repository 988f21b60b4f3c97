import type { ReviewEvent } from '../reporter.ts';
import type { EventLine } from './event-line.ts';
import { renderEvent } from './render-event.ts';

/** With more batches than this the log shows only the result of each, not its calls. */
const fewBundles = 20;
/** Lines about batches in all, and lines that are not about one. */
const most = { bundles: 80, others: 30 } as const;

/**
 * The lines of a run, one event after the other. Where a run has many batches the log stays readable: the rest is there for who debugs, and
 * only then, since a runner stores hidden lines as well.
 */
export function logLines({ debugging }: { readonly debugging: boolean }): (event: ReviewEvent) => readonly EventLine[] {
  let isLarge = false;
  const told = { bundles: 0, others: 0 };
  return (event) => {
    if (event.type === 'bundles-plan') isLarge = event.bundles.length > fewBundles;
    const line = renderEvent(event);
    if (line === null) return [];
    if (!isLarge || event.type === 'review-end') return [line];
    const quiet: readonly EventLine[] = debugging ? [{ ...line, level: 'debug' }] : [];
    if (line.level === 'debug' || event.type === 'agent-event' || event.type === 'bundle-start') return quiet;
    const kind = line.bundle === null ? 'others' : 'bundles';
    told[kind] += 1;
    if (told[kind] <= most[kind]) return [line];
    return told[kind] === most[kind] + 1 ? [{ ...noticeOf(kind), level: line.level }, ...quiet] : quiet;
  };
}

function noticeOf(kind: keyof typeof most): Omit<EventLine, 'level'> {
  const what = kind === 'bundles' ? 'results of batches' : 'notes and warnings';
  return { bundle: null, text: `More ${what} appear with debug logging only.`, detail: null };
}
