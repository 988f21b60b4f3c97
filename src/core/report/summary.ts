import type { ReviewRecord } from '../review/sink.ts';
import { printSurface } from './print-markdown.ts';
import { surfaces } from './sections/surfaces.ts';
import type { RenderContext } from './wording.ts';

/** The job summary: what came out, where it went, what was not looked at, what it took. At most 1 MB of UTF-8. */
export function renderSummary(record: ReviewRecord, context: RenderContext): string {
  return `${printSurface('job summary', record, { context })}\n`;
}

/** The walkthrough for the description of the pull request, in at most so many characters. */
export function renderDescription(record: ReviewRecord, context: RenderContext, room: number): string {
  return printSurface('description', record, { context, reserved: surfaces.description.max - room });
}
