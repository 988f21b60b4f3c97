import { characters, cutMarkdown, cutText } from './limits.ts';
import { codeSpan } from './markdown.ts';
import type { RenderContext } from './render-context.ts';
import { sanitiseLine, sanitiseMarkdown } from './sanitise.ts';
import { breakMarkers } from './sanitise-text.ts';

export type Room = {
  readonly context: RenderContext;
  /** Characters that the result may have at most. */
  readonly max: number;
};

/** A text of the model or the pull request as harmless Markdown that fits. Secrets go before anything is cut. */
export function untrustedBlock(text: string, { context, max }: Room): string {
  const redacted = context.redact(text.trim());
  let room = max;
  for (;;) {
    const cut = cutMarkdown(redacted, { max: room, measure: characters, pointer: '… (cut: too long)' });
    const markdown = sanitiseMarkdown(cut, context);
    if (markdown.length <= max || room <= 0) return markdown;
    // Escapes made it longer than it was.
    room = Math.floor(Math.min((room * max) / markdown.length, room * 0.9));
  }
}

/** The same on one line: for titles, reasons, and cells of tables. Cut at `characters`, 300 unless told. */
export function untrustedLine(text: string, context: RenderContext, max = 300): string {
  const redacted = context.redact(text.replace(/\s+/g, ' ').trim());
  if (redacted.length <= max) return sanitiseLine(redacted, context);
  return sanitiseLine(`${cutText(redacted, { max, measure: characters }).trimEnd()}…`, context);
}

/** A path or another name as code, at most 300 characters of it. */
export function untrustedName(name: string, context: RenderContext): string {
  return codeSpan(cutText(breakMarkers(context.redact(name)), { max: 300, measure: characters }));
}
