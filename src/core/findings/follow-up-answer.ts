import { readAccepted } from './accepted-formats.ts';
import { contextRequestSchema } from './context-request.ts';
import { readJsonInText } from './json-in-text.ts';
import { firstOf, isObject, type JsonObject } from './json-value.ts';
import { type NormalisedSubmission, normaliseSubmission } from './normalise-submission.ts';
import { submissionSchema } from './submission.ts';

const { files_review, non_specific_review, approval } = submissionSchema.properties;

/**
 * `submit_review` in the follow-up mode: the same for both calls, so that the second one finds the first one's prompt in the provider's cache.
 */
export const followUpSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['files_review', 'non_specific_review', 'confirmed', 'dismissed', 'context_request', 'approval'],
  properties: {
    files_review,
    non_specific_review,
    confirmed: {
      type: ['array', 'null'],
      items: { type: 'integer' },
      description: 'Null, but in a second call: numbers of findings that hold.',
    },
    dismissed: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['finding', 'reason'],
        properties: { finding: { type: 'integer' }, reason: { type: 'string' } },
      },
      description: 'Null, but in a second call: findings that the code refutes.',
    },
    context_request: contextRequestSchema,
    approval,
  },
} as const;

/** What the second call says. Findings are numbered from 1; who is not mentioned stays. */
export type FollowUpAnswer = {
  readonly confirmed: readonly number[];
  readonly dismissed: readonly { readonly finding: number; readonly reason: string }[];
  /** New findings, or all of them once more. */
  readonly submission: NormalisedSubmission;
  /** All of them once more, perhaps in other words: nothing says which are new. */
  readonly again: boolean;
  /** False when the answer says nothing of the approval: what was said before stands. */
  readonly approves: boolean;
};

/** Reads `{confirmed, dismissed, added}`, or a list of findings in any accepted format. Null when it is neither. Never throws. */
export function readFollowUpAnswer(value: unknown): FollowUpAnswer | null {
  const object: JsonObject | null = isObject(value) ? value : null;
  const listed = readAccepted(value);
  const added = object === null ? null : firstOf(object, 'added', 'issues_added', 'findings_added');
  const judged = object !== null && (firstOf(object, 'confirmed') !== null || firstOf(object, 'dismissed') !== null);
  const submission = listed?.submission ?? (added !== null || judged ? submissionOf(object ?? {}, added ?? []) : null);
  if (submission === null) return null;
  return {
    confirmed: list(object, 'confirmed').flatMap((item) => numberOf(item) ?? []),
    dismissed: list(object, 'dismissed').flatMap(dismissal),
    submission,
    again: !judged && added === null,
    approves: object !== null && isObject(firstOf(object, 'approval')),
  };
}

/** The last answer in a text: raw, fenced or with prose around it. */
export function readFollowUpText(text: string): FollowUpAnswer | null {
  return readJsonInText(text, ({ value }) => readFollowUpAnswer(value)).at(-1) ?? null;
}

/** What is added may be in the words of any accepted format. */
function submissionOf(object: JsonObject, added: unknown): NormalisedSubmission {
  const inCorasWords = Array.isArray(added) && added.some((item) => isObject(item) && firstOf(item, 'body') !== null);
  const translated = readAccepted(inCorasWords ? { issues: added } : added)?.submission;
  const { approval: said } = normaliseSubmission({ files_review: [], approval: firstOf(object, 'approval') });
  return { ...(translated ?? normaliseSubmission({ files_review: added })), approval: said };
}

function list(object: JsonObject | null, name: string): readonly unknown[] {
  const value = object === null ? null : firstOf(object, name);
  return Array.isArray(value) ? value : [];
}

/** `2`, `"2"`, `"#2"`, `{finding: 2}`. */
function numberOf(item: unknown): number | null {
  const value = isObject(item) ? firstOf(item, 'finding', 'id', 'number') : item;
  const number = typeof value === 'string' && /^\s*#?\d{1,6}\s*$/.test(value) ? Number(value.replace('#', '')) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 1 ? number : null;
}

/** A dismissal says why, or it is none. */
function dismissal(item: unknown): FollowUpAnswer['dismissed'] {
  const finding = numberOf(item);
  const reason = isObject(item) ? firstOf(item, 'reason') : null;
  if (finding === null || typeof reason !== 'string' || reason.trim() === '') return [];
  return [{ finding, reason: reason.trim() }];
}
