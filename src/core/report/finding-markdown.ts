import type { Finding } from '../findings/finding.ts';
import { details, fenced } from './markdown.ts';
import type { RenderContext } from './render-context.ts';
import { cleanCode } from './sanitise-text.ts';
import { untrustedBlock, untrustedLine, untrustedName } from './untrusted.ts';
import { severityLabels } from './wording.ts';

export type FindingForm = {
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
