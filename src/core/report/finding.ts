import type { Finding } from '../findings/finding.ts';
import { type Links, linkedPlace } from './links.ts';
import { untrustedBlock, untrustedLine, untrustedName } from './sanitise.ts';
import { cleanCode } from './sanitise-phrasing.ts';
import { details, fenced } from './text.ts';
import { type RenderContext, severityLabels } from './wording.ts';

type FindingForm = {
  readonly context: RenderContext;
  /** Characters for the whole text, about; 600 at least. */
  readonly max: number;
  /** Markdown below the title that says where it is; null where the place says it. */
  readonly place: string | null;
  /** True where GitHub can apply the suggestion: on the lines themselves. */
  readonly applicable: boolean;
};

/** One finding as people read it, wherever it is posted. */
export function renderFinding(finding: Finding, form: FindingForm): string {
  const parts = [
    title(finding, form),
    form.place === null ? '' : quote(finding, form),
    untrustedBlock(finding.review, { context: form.context, max: Math.floor(form.max * 0.5) }),
    suggestion(finding, form),
    evidence(finding, form),
    footer(finding, form.context),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function title(finding: Finding, { context, place }: FindingForm): string {
  const text = `**${severityLabels[finding.severity]} · ${finding.category}** ${untrustedLine(finding.title, context)}`;
  return place === null ? text : `${text}\\\n${place}`;
}

const quotedLines = 12;

function quote({ anchor, path }: Finding, { context, max }: FindingForm): string {
  if (anchor.kind === 'file') return '';
  const lines = cleanCode(anchor.quote, context.redact).split('\n');
  const more = lines.length > quotedLines ? `\n… ${lines.length - quotedLines} more lines` : '';
  const code = `${lines.slice(0, quotedLines).join('\n')}${more}`;
  return code.length > max * 0.15 ? '' : fenced(code, languageOf(path));
}

function suggestion(finding: Finding, form: FindingForm): string {
  if (finding.suggestion === null) return '';
  const code = finding.suggestion.replaceAll('\r\n', '\n').replace(/\n$/, '');
  const clean = cleanCode(code, form.context.redact);
  if (clean.length > form.max * 0.2) return 'A suggested change was too long to show here.';
  if (form.applicable && clean === code) return fenced(code, 'suggestion');
  return code === ''
    ? 'Suggested change: remove these lines.'
    : `Suggested change:\n\n${fenced(clean, languageOf(finding.path))}`;
}

// A pattern is its own evidence, and the footer names the rule.
function evidence(finding: Finding, { context, max }: FindingForm): string {
  if (finding.source === 'rule') return '';
  const text = untrustedBlock(finding.evidence, { context, max: Math.floor(max * 0.2) });
  return text === '' ? '' : details('Evidence', text);
}

const placesShown = 10;

function footer(finding: Finding, context: RenderContext): string {
  const rule = finding.ruleId === null ? [] : [`Rule ${untrustedName(finding.ruleId, context)}`];
  const also = finding.alsoAt.length === 0 ? [] : [`Also at ${alsoAt(finding.alsoAt, context)}`];
  const parts = [...rule, ...also];
  return parts.length === 0 ? '' : `<sub>${parts.join(' · ')}</sub>`;
}

function alsoAt(places: readonly string[], context: RenderContext): string {
  const shown = places.slice(0, placesShown).map((place) => untrustedName(place, context));
  const rest = places.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

// For highlighting only: an unknown name does no harm.
function languageOf(path: string): string {
  return /\.([a-z0-9]{1,10})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

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
export function renderFileComment(finding: Finding, { links, marks }: { links: Links; marks: Marks }): string {
  const place = finding.anchor.kind === 'file' ? null : linkedPlace(finding, links);
  const text = renderFinding(finding, { context: links.context, max: commentCharacters, place, applicable: false });
  return `${text}${marks(finding, text)}`;
}

/** Longer suggestions are read, not clicked; lines replaced and lines put there. */
const suggestedLines = 10;

/** GitHub replaces exactly the lines of the comment, on the new side. */
function isApplicable({ anchor, suggestion, narrowed }: Finding): boolean {
  if (anchor.kind === 'file' || anchor.side === 'LEFT' || suggestion === null || narrowed === true) return false;
  const replaced = anchor.endLine - anchor.startLine + 1;
  return replaced <= suggestedLines && suggestion.split('\n').length <= suggestedLines;
}
