import type { Held, PriorFinding } from '../../core/memory/memory.ts';
import { plural } from '../../core/report/wording.ts';
import type { Delivery, Sink } from '../../core/review/sink.ts';
import { severities } from '../../core/settings/severity.ts';
import { isMarkedOutdated, Marker, type MarkerOptions } from './outdated-marker.ts';
import { type Refusal, refusalOf } from './refusal.ts';

/** Each is a write: the rest is left to the next run. */
const markedAtMost = 20;

/**
 * Marks our comments whose code is gone: resolved where the token may, else minimised, else edited. Threads in which people wrote are theirs
 * and stay as they are (FAILURES P15).
 */
export function outdatedSink(options: MarkerOptions): Sink {
  const name = 'outdated comments';
  return {
    name,
    deliver: async ({ gone }) => {
      const delivery = (status: Delivery['status'], reason: string | null): Delivery => {
        return { sink: name, status, reason, delivered: [], url: null };
      };
      const open = toMark(gone);
      if (options.github.signal.aborted) return delivery('skipped', null);
      const marker = new Marker(options);
      const { marked, stop } = await markAll(marker, open.slice(0, markedAtMost));
      const left =
        open.length > markedAtMost
          ? `${plural(open.length - markedAtMost, 'outdated comment')} left to the next run.`
          : '';
      const told = [...marker.refused, stop === null ? left : describe(stop)].filter((part) => part !== '').join(' ');
      if (marked > 0) return delivery('delivered', told || null);
      if (stop === null)
        return delivery('skipped', told || (open.length === 0 ? 'No comment of ours is to be marked.' : null));
      return delivery(stop.kind === 'permission' ? 'refused' : 'failed', told);
    },
  };
}

type InThread = Extract<Held, { in: 'thread' }>;

/** The threads that are not marked yet and hold nobody's words but ours, the most severe first. */
function toMark(gone: readonly PriorFinding[]): readonly InThread[] {
  const bySeverity = gone.toSorted(
    (one, other) => severities.indexOf(one.mark.severity) - severities.indexOf(other.mark.severity),
  );
  return bySeverity.flatMap(({ held }) => {
    if (held.in !== 'thread' || held.thread.isResolved || held.comment.isMinimized) return [];
    const isOurs = held.thread.comments.every(({ isSelf }) => isSelf);
    return isOurs && !isMarkedOutdated(held.comment.body) ? [held] : [];
  });
}

type Marked = { readonly marked: number; readonly stop: Refusal | null };

/** Marks one after the other, until GitHub takes no more. */
async function markAll(marker: Marker, open: readonly InThread[]): Promise<Marked> {
  let marked = 0;
  for (const held of open) {
    try {
      if (await marker.mark(held)) marked += 1;
    } catch (error) {
      const stop = refusalOf(error);
      if (stop === null) throw error;
      return { marked, stop };
    }
  }
  return { marked, stop: null };
}

function describe({ kind, reason }: Refusal): string {
  if (kind === 'cancelled') return 'The run was cancelled: the rest is left to the next one.';
  return `Outdated comments could not be marked: ${reason}.`;
}
