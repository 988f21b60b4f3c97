import type { ReviewRecord } from '../review/sink.ts';
import { printSurface } from './print-markdown.ts';
import { surfaces } from './sections/surfaces.ts';
import type { RenderContext } from './wording.ts';

/** The job summary: what came out, where it went, what was not looked at, what it took. At most 1 MB of UTF-8. */
export function renderSummary(record: ReviewRecord, context: RenderContext): string {
  return `${printSurface('job summary', record, { context })}\n`;
}

/** What a check says, in the language of the pull request. At most 1 MB of UTF-8: the caller cuts it. */
export function renderCheckSummary(record: ReviewRecord, context: RenderContext): string {
  return `${printSurface('check run', record, { context })}\n`;
}

/** The walkthrough for the description of the pull request, in at most so many characters. */
export function renderDescription(record: ReviewRecord, context: RenderContext, room: number): string {
  return withoutOrders(printSurface('description', record, { context, reserved: surfaces.description.max - room }));
}

/**
 * A squash merge may take the description for its message, in which code is text like any other: without words by which a commit keeps CI from running
 * or closes an issue. As long as before.
 */
function withoutOrders(text: string): string {
  return text
    .replace(/\[((?:skip|no)[ -]\w+|\w+[ -]skip)\]/gi, '($1)')
    .replace(/\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(:?)\s(?=\s*[\w./:-]*(?:#|gh-|\/issues\/)\d)/gi, '$1$2→');
}
