import { type Infer, parserFor, type Schema } from '../schema.ts';
import { severities } from '../settings/setting.ts';
import { categories } from './finding.ts';

/** One item of `submit_review` on the wire. Property order is generation order: evidence comes before the verdict. */
export const submittedFindingSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'path',
    'quote',
    'lines',
    'side',
    'evidence',
    'title',
    'review',
    'severity',
    'category',
    'suggestion',
    'rule_id',
    'same_as',
    'confidence',
  ],
  properties: {
    path: { type: 'string', description: 'Path as in the diff.' },
    quote: {
      type: ['string', 'null'],
      description:
        'The exact source lines, copied without line numbers and +/- signs. Null for a matter of the whole file.',
    },
    lines: { type: ['string', 'null'], description: '"42" or "10-25", as a hint; null if unsure.' },
    side: { enum: ['RIGHT', 'LEFT'], description: 'RIGHT: the new version. LEFT: a removed line.' },
    evidence: { type: 'string', description: 'What you read or traced that proves it, with paths and lines.' },
    title: { type: 'string', description: 'One line: what goes wrong.' },
    review: { type: 'string', description: 'When it happens, what follows, how to fix it. Markdown, short.' },
    severity: { enum: severities },
    category: { enum: categories },
    suggestion: {
      type: ['string', 'null'],
      description: 'Replacement for exactly the quoted lines, only when certain; else null.',
    },
    rule_id: { type: ['string', 'null'], description: 'The rule it breaks, when one was given.' },
    same_as: {
      type: ['string', 'null'],
      description: 'The id (p-…) of the earlier finding under "Already discussed" that this repeats; else null.',
    },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
  },
} as const;

/** One file of the walkthrough on the wire. */
const fileNoteSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'changes', 'checked'],
  properties: {
    path: { type: 'string' },
    changes: { type: 'string', description: 'What changes in this file; 12 words at most.' },
    checked: { type: 'string', description: 'What you checked in it, and the result; 15 words at most.' },
  },
} as const;

/** What `submit_review` takes, exactly. The walkthrough comes first: the model goes through every file before it concludes. */
export const submissionSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['walkthrough', 'files_review', 'non_specific_review', 'approval'],
  properties: {
    walkthrough: { type: 'array', items: fileNoteSchema, description: 'One entry for each file you review.' },
    files_review: { type: 'array', items: submittedFindingSchema },
    non_specific_review: {
      type: ['string', 'null'],
      description: 'What concerns the change as a whole; null when there is nothing.',
    },
    approval: {
      type: 'object',
      additionalProperties: false,
      required: ['approved', 'rationale', 'action'],
      properties: {
        approved: { type: 'boolean' },
        rationale: { type: 'string', description: 'One or two sentences.' },
        action: { enum: ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'] },
      },
    },
  },
} as const;

/** The same for a run without a walkthrough. */
export function withoutWalkthrough(schema: Schema): Schema {
  const { walkthrough: _, ...properties } = schema.properties ?? {};
  return { ...schema, properties, required: (schema.required ?? []).filter((name) => name !== 'walkthrough') };
}

/** What one file changes, and what was checked in it: a line each, in the model's words. */
export type FileNote = Infer<typeof fileNoteSchema>;

export type SubmittedFinding = Infer<typeof submittedFindingSchema>;
export type Submission = Infer<typeof submissionSchema>;
export type Approval = Submission['approval'];
export type Action = Approval['action'];

export const parseSubmittedFinding = parserFor(submittedFindingSchema);
