import type { Finding } from '../findings/finding.ts';
import { renderFinding } from './finding-markdown.ts';
import { type Links, linkedPlace } from './permalink.ts';
import type { RenderContext } from './render-context.ts';

/** Characters of one comment, about; GitHub takes 65,536. */
const commentCharacters = 20_000;

/** The comment on the lines that a finding is about, with a suggestion to apply where it covers exactly these lines. */
export function renderComment(finding: Finding, context: RenderContext): string {
  return renderFinding(finding, {
    context,
    max: commentCharacters,
    place: null,
    applicable: coversItsQuote(finding),
  });
}

/** The comment on a file as a whole: it says itself which lines it is about, where it is about lines. */
export function renderFileComment(finding: Finding, links: Links): string {
  const place = finding.anchor.kind === 'file' ? null : linkedPlace(finding, links);
  return renderFinding(finding, { context: links.context, max: commentCharacters, place, applicable: false });
}

// A range that was narrowed to the diff is shorter than its quote, and a suggestion replaces the whole quote.
function coversItsQuote({ anchor }: Finding): boolean {
  if (anchor.kind === 'file' || anchor.side === 'LEFT') return false;
  return anchor.quote.split('\n').length === anchor.endLine - anchor.startLine + 1;
}
