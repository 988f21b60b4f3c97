import { inEnglish } from '../../src/core/messages/languages.ts';
import type { Delivery } from '../../src/core/review/sink.ts';

/** A delivery with its reason in English; null where there is nothing to say. */
export function printed(delivery: Delivery): Omit<Delivery, 'reason'> & { readonly reason: string | null } {
  return { ...delivery, reason: delivery.reason.length === 0 ? null : inEnglish.sentences(delivery.reason) };
}
