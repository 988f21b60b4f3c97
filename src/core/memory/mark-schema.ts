import { categories } from '../findings/finding.ts';
import { parserFor } from '../schema.ts';
import { severities } from '../settings/severity.ts';
import type { Mark } from './mark.ts';

const text = { type: 'string' } as const;
const line = { type: 'integer', minimum: 1 } as const;

const findingMarkSchema = {
  type: 'object',
  required: ['kind', 'name', 'run', 'commit', 'mergeBase', 'path', 'lines', 'title', 'severity', 'category', 'ruleId'],
  properties: {
    kind: { enum: ['finding'] },
    name: text,
    run: text,
    commit: text,
    mergeBase: text,
    path: text,
    lines: {
      type: ['object', 'null'],
      required: ['side', 'startLine', 'endLine', 'digests'],
      properties: {
        side: { enum: ['RIGHT', 'LEFT'] },
        startLine: line,
        endLine: line,
        digests: { type: 'array', items: text },
      },
    },
    title: text,
    severity: { enum: severities },
    category: { enum: categories },
    ruleId: { type: ['string', 'null'] },
  },
} as const;

const parseFindingMark = parserFor(findingMarkSchema);

const parseReviewMark = parserFor({
  type: 'object',
  required: ['kind', 'name', 'run', 'commit', 'settings'],
  properties: {
    kind: { enum: ['review'] },
    name: text,
    run: text,
    commit: text,
    settings: text,
    event: { enum: ['COMMENT', 'REQUEST_CHANGES', 'APPROVE'] },
  },
});

const parseStickyMark = parserFor({
  type: 'object',
  required: ['kind', 'name', 'run', 'head', 'mergeBase', 'settings', 'unreviewed', 'others'],
  properties: {
    kind: { enum: ['sticky'] },
    name: text,
    run: text,
    head: text,
    mergeBase: text,
    base: text,
    settings: text,
    unreviewed: { type: 'array', items: text },
    others: { type: 'array', items: findingMarkSchema },
    open: {
      type: 'array',
      items: {
        ...findingMarkSchema,
        required: [...findingMarkSchema.required, 'comment'],
        properties: { ...findingMarkSchema.properties, comment: { type: ['integer', 'null'] } },
      },
    },
    reviews: { type: 'integer', minimum: 1 },
  },
});

/** Null for anything that is not a mark of this version. */
export function markFrom(value: unknown): Mark | null {
  for (const parse of [parseFindingMark, parseReviewMark, parseStickyMark]) {
    const parsed = parse(value);
    if (parsed.ok) return parsed.value;
  }
  return null;
}
