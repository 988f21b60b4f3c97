import { firstOf, isObject, type JsonObject } from './json-value.ts';
import { type NormalisedSubmission, normaliseSubmission } from './normalise-submission.ts';

export type Format = 'postil' | 'owlsight' | 'cora';

export type Accepted =
  | { readonly kind: 'submission'; readonly submission: NormalisedSubmission; readonly format: Format }
  /** Cora's request for more context: it found nothing because it has not finished looking. */
  | { readonly kind: 'context-request'; readonly submission: NormalisedSubmission };

/**
 * Reads a value in one of the formats that are also accepted (DESIGN section 5): Postil's own, OwlSight's and Cora's. Null when it is
 * none of them. An empty bare list is left to the caller: by itself it says too little.
 */
export function readAccepted(value: unknown): Accepted | null {
  if (Array.isArray(value)) return value.length === 0 ? null : readBareList(value);
  if (!isObject(value)) return null;
  if (firstOf(value, 'files_review') !== null) return accept('postil', value);

  const findings = firstOf(value, 'findings');
  if (Array.isArray(findings)) return accept('owlsight', translated(value, findings.map(fromOwlSight)));

  const issues = firstOf(value, 'issues');
  if (!Array.isArray(issues)) return null;
  const accepted = accept('cora', translated(value, issues.map(fromCora)));
  const asks = issues.length === 0 && accepted.submission.contextRequest !== null;
  return asks ? { kind: 'context-request', submission: accepted.submission } : accepted;
}

function readBareList(list: readonly unknown[]): Accepted | null {
  const hasEach = (name: string) => list.every((item) => isObject(item) && typeof firstOf(item, name) === 'string');
  if (hasEach('path') && hasEach('review')) return accept('postil', { files_review: list });
  return hasEach('file') ? accept('owlsight', { files_review: list.map(fromOwlSight) }) : null;
}

function accept(format: Format, value: JsonObject): Extract<Accepted, { kind: 'submission' }> {
  return { kind: 'submission', submission: normaliseSubmission(value), format };
}

function translated(value: JsonObject, items: readonly unknown[]): JsonObject {
  return {
    files_review: items,
    non_specific_review: firstOf(value, 'non_specific_review', 'summary'),
    approval: firstOf(value, 'approval'),
    context_request: firstOf(value, 'context_request'),
  };
}

function fromOwlSight(item: unknown): unknown {
  if (!isObject(item)) return item;
  return {
    ...common(item),
    lines: firstOf(item, 'line', 'lines'),
    review: withAdvice(firstOf(item, 'description'), firstOf(item, 'suggestion')),
    category: firstOf(item, 'category'),
    rule_id: firstOf(item, 'ruleId', 'rule_id'),
  };
}

function fromCora(item: unknown): unknown {
  if (!isObject(item)) return item;
  const start = firstOf(item, 'line_start', 'line');
  const end = firstOf(item, 'line_end');
  return {
    ...common(item),
    lines: start === null || end === null ? start : `${start}-${end}`,
    review: withAdvice(firstOf(item, 'body'), firstOf(item, 'suggested_fix')),
    category: firstOf(item, 'issue_type'),
    rule_id: firstOf(item, 'rule_id'),
  };
}

/** What both formats share. They ask for no evidence, so there is none to hold against them. */
function common(item: JsonObject): JsonObject {
  return {
    path: firstOf(item, 'file', 'path'),
    quote: firstOf(item, 'quote'),
    side: firstOf(item, 'side'),
    evidence: firstOf(item, 'evidence') ?? '',
    title: firstOf(item, 'title'),
    severity: firstOf(item, 'severity'),
    confidence: firstOf(item, 'confidence'),
  };
}

/** In these formats a suggestion is advice for a reader, not a replacement for exact lines: it joins the review. */
function withAdvice(review: unknown, advice: unknown): unknown {
  if (typeof advice !== 'string' || advice.trim() === '') return review;
  const block =
    advice.includes('\n') && !advice.includes('```') ? `\n\n\`\`\`\n${advice}\n\`\`\`` : ` ${advice.trim()}`;
  return `${typeof review === 'string' ? `${review}\n\n` : ''}Suggestion:${block}`;
}
