import { places } from '../findings/placement.ts';
import { submittedFindingSchema } from '../findings/submission.ts';
import type { LedgerEntry } from '../review/review.ts';
import type { Infer } from '../schema.ts';
import { linesOf } from './wording.ts';

/** A finding of the report file: what `submit_review` takes, and what Postil found out about it. */
export const findingReportSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    ...submittedFindingSchema.required,
    'id',
    'start_line',
    'line',
    'place',
    'reason',
    'url',
    'source',
    'also_at',
  ],
  properties: {
    ...submittedFindingSchema.properties,
    id: { type: 'string', description: 'Unique in this report.' },
    start_line: { type: ['integer', 'null'], minimum: 1, description: 'First line, found from the quote.' },
    line: { type: ['integer', 'null'], minimum: 1, description: 'Last line.' },
    place: { enum: [...places, 'suppressed', 'standing'], description: 'Where people see it.' },
    reason: { type: ['string', 'null'], description: 'Why it is there and not inline; null when it is inline.' },
    url: { type: ['string', 'null'] },
    source: { enum: ['model', 'rule'] },
    also_at: { type: 'array', items: { type: 'string' } },
  },
} as const;

export type FindingReport = Infer<typeof findingReportSchema>;

/** An entry of the delivery in the words of the wire, with its secrets taken out. */
export function reportFinding(entry: LedgerEntry, redact: (text: string) => string): FindingReport {
  const { finding } = entry;
  const lines = finding.anchor.kind === 'lines' ? finding.anchor : null;
  return {
    path: redact(finding.path),
    quote: lines === null ? null : redact(lines.quote),
    lines: linesOf(finding.anchor),
    side: lines?.side ?? 'RIGHT',
    evidence: redact(finding.evidence),
    title: redact(finding.title),
    review: redact(finding.review),
    severity: finding.severity,
    category: finding.category,
    suggestion: finding.suggestion === null ? null : redact(finding.suggestion),
    rule_id: finding.ruleId,
    same_as: finding.sameAs ?? null,
    confidence: finding.confidence,
    id: finding.id,
    start_line: lines?.startLine ?? null,
    line: lines?.endLine ?? null,
    place: entry.place,
    reason: entry.reason === null ? null : redact(entry.reason),
    url: entry.url,
    source: finding.source,
    also_at: finding.alsoAt.map(redact),
  };
}
