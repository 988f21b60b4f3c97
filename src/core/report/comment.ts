import type { Finding } from '../findings/finding.ts';
import { renderFinding } from './finding-markdown.ts';
import { type Links, linkedPlace } from './permalink.ts';
import type { RenderContext } from './render-context.ts';

/** Characters of one comment, about; GitHub takes 65,536. */
const commentCharacters = 20_000;

/** Hidden marks behind a text of ours, from an empty line on; empty where nothing is remembered. `words` is the comment; null for a review's body. */
export type Marks = (finding: Finding, words: string | null) => string;

export type CommentForm = { readonly context: RenderContext; readonly marks: Marks };

/** The comment on the lines that a finding is about, with a suggestion to apply where it covers exactly these lines. */
export function renderComment(finding: Finding, { context, marks }: CommentForm): string {
  const text = renderFinding(finding, {
    context,
    max: commentCharacters,
    place: null,
    applicable: isApplicable(finding),
  });
  return `${text}${marks(finding, text)}`;
}

/** The comment on a file as a whole: it says itself which lines it is about, where it is about lines. */
export function renderFileComment(
  finding: Finding,
  { links, marks }: { readonly links: Links; readonly marks: Marks },
): string {
  const place = finding.anchor.kind === 'file' ? null : linkedPlace(finding, links);
  const text = renderFinding(finding, { context: links.context, max: commentCharacters, place, applicable: false });
  return `${text}${marks(finding, text)}`;
}

/** Longer suggestions are read, not clicked (FAILURES P12); lines replaced and lines put there. */
const suggestedLines = 10;

/** GitHub replaces exactly the lines of the comment, on the new side. */
function isApplicable({ anchor, suggestion, narrowed }: Finding): boolean {
  if (anchor.kind === 'file' || anchor.side === 'LEFT' || suggestion === null || narrowed === true) return false;
  const replaced = anchor.endLine - anchor.startLine + 1;
  return replaced <= suggestedLines && suggestion.split('\n').length <= suggestedLines;
}
