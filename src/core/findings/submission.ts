import { exactly, type Infer, listOf, parserFor, type Schema } from '../schema.ts';
import { categories, severities } from '../settings/setting.ts';
import { walkthroughLineSchema } from './walkthrough.ts';
import { citationSchema } from './words.ts';

/** One item of `submit_review` on the wire. Property order is generation order: evidence comes before the verdict. */
export const submittedFindingSchema = exactly({
  path: { type: 'string' },
  quote: {
    type: ['string', 'null'],
    description:
      'The wrong source lines, 1 to 5, copied exactly, without numbers and signs; null: the file as a whole.',
  },
  lines: { type: ['string', 'null'], description: '"10-25"; null if unsure.' },
  side: { enum: ['RIGHT', 'LEFT'], description: 'LEFT: removed lines.' },
  evidence: listOf(citationSchema, 'Lines beside the quoted ones that prove it.'),
  title: { type: 'string', description: 'The consequence, in 80 characters.' },
  review: {
    type: 'string',
    description: 'When it happens, what follows, how to fix it, in two to four plain sentences.',
  },
  severity: { enum: severities },
  category: { enum: categories },
  suggestion: {
    type: ['string', 'null'],
    description: 'Replacement for exactly the quoted lines, only if complete and certain; else null.',
  },
  also_at: listOf({ type: 'string' }, 'Its other places, such as "src/a.ts:12-14".'),
  rule_id: { type: ['string', 'null'], description: 'The rule it breaks, if one was given.' },
  same_as: {
    type: ['string', 'null'],
    description: 'Id (p-…) of your earlier finding that this is; else null.',
  },
  confidence: { type: 'number', minimum: 0, maximum: 1 },
});

/** What `submit_review` takes, exactly. The walkthrough comes first: the model goes through the change before it concludes. */
export const submissionSchema = exactly({
  walkthrough: listOf(
    walkthroughLineSchema,
    'One per group of related files; none for imports, locales, snapshots, lock files, generated code.',
  ),
  files_review: listOf(submittedFindingSchema),
  non_specific_review: {
    type: ['string', 'null'],
    description: 'What concerns the change as a whole; else null.',
  },
  approval: exactly({
    approved: { type: 'boolean' },
    rationale: { type: 'string', description: 'One or two sentences.' },
    action: {
      enum: ['APPROVE', 'REQUEST_CHANGES', 'COMMENT'],
      description: 'REQUEST_CHANGES: something must be fixed before merging. APPROVE: nothing. Else COMMENT.',
    },
  }),
});

/** The same for a run without a walkthrough. */
export function withoutWalkthrough(schema: Schema): Schema {
  const { walkthrough: _, ...properties } = schema.properties ?? {};
  return { ...schema, properties, required: (schema.required ?? []).filter((name) => name !== 'walkthrough') };
}

export type SubmittedFinding = Infer<typeof submittedFindingSchema>;
export type Submission = Infer<typeof submissionSchema>;
export type Approval = Submission['approval'];
export type Action = Approval['action'];

/** Without fields of a finding that nothing in the prompt gives a value for. */
export function withoutFields(schema: Schema, names: readonly UnaskedField[]): Schema {
  const list = schema.properties?.['files_review'];
  if (names.length === 0 || list?.items === undefined) return schema;
  const left = Object.entries(list.items.properties ?? {}).filter(([name]) => !names.some((each) => each === name));
  const items = { ...list.items, properties: Object.fromEntries(left), required: left.map(([name]) => name) };
  return { ...schema, properties: { ...schema.properties, files_review: { ...list, items } } };
}

/** With more fields, before the last one: the approval comes when all else is written. */
export function withFields(schema: Schema, more: Schema['properties']): Schema {
  const entries = Object.entries(schema.properties ?? {});
  const properties = { ...Object.fromEntries(entries.slice(0, -1)), ...more, ...Object.fromEntries(entries.slice(-1)) };
  return { ...schema, properties, required: Object.keys(properties) };
}

export type UnaskedField = 'rule_id' | 'same_as';

export const parseSubmittedFinding = parserFor(submittedFindingSchema);

/** What a submission that says nothing of it counts as. */
export const noApproval: Approval = { approved: false, rationale: '', action: 'COMMENT' };

/** False for an approval that was left out. */
export function saysApproval({ action, rationale }: Approval): boolean {
  return action !== noApproval.action || rationale !== '';
}

const fromWorst: readonly Action[] = ['REQUEST_CHANGES', 'COMMENT', 'APPROVE'];

/** The one that asks for most; null when there is none. */
export function worstApproval(approvals: readonly Approval[]): Approval | null {
  return approvals.toSorted((one, other) => fromWorst.indexOf(one.action) - fromWorst.indexOf(other.action))[0] ?? null;
}
