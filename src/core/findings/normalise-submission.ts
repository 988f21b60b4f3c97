import { type ReadRequest, readContextRequest } from './context-request.ts';
import { firstOf, isObject, type JsonObject } from './json-value.ts';
import { type NormalisedItem, normaliseItem } from './normalise-item.ts';
import { parseRepairedJson } from './repair-json.ts';
import type { Action, Approval } from './submission.ts';

/** What a model submitted, each item valid or with what is wrong with it. */
export type NormalisedSubmission = {
  readonly items: readonly NormalisedItem[];
  readonly nonSpecificReview: string | null;
  readonly approval: Approval;
  /** Lines that the model asks to see; null when it asks for none. Only the follow-up mode answers. */
  readonly contextRequest: ReadRequest | null;
  /** What is wrong with the whole. When there is something, this is no review, whatever the items say. */
  readonly problems: readonly string[];
};

export const noApproval: Approval = { approved: false, rationale: '', action: 'COMMENT' };

/**
 * Reads what came to `submit_review` as kindly as can be: an absent nullable is null, unknown keys are ignored, aliases and
 * units are understood (DESIGN section 5). A bad item never costs a good one. Never throws.
 */
export function normaliseSubmission(value: unknown): NormalisedSubmission {
  const object = Array.isArray(value) ? { files_review: value } : value;
  if (!isObject(object)) return refuse(['the submission must be an object with files_review and approval']);

  const list = listOf(firstOf(object, 'files_review'));
  if (list === null) return refuse(['files_review is missing: send a list, empty when there is nothing to report']);
  return {
    items: [...list.slice(0, maxItems).map((item, index) => normaliseItem(item, index + 1)), ...surplus(list.length)],
    nonSpecificReview: textOrNull(firstOf(object, 'non_specific_review')),
    approval: approvalOf(firstOf(object, 'approval')),
    contextRequest: readContextRequest(firstOf(object, 'context_request')),
    problems: [],
  };
}

/** A review of more findings helps nobody, and each may cost a search through a file. */
const maxItems = 200;

/** What is not read is reported as one item that failed, so that it goes back to the model and then to the delivery. */
function surplus(count: number): readonly NormalisedItem[] {
  const more = count - maxItems;
  if (more <= 0) return [];
  const problem = `only the first ${maxItems} findings are read: send the most important of the other ${more}`;
  return [{ ok: false, number: maxItems + 1, title: `${more} more findings`, path: '', problem }];
}

function refuse(problems: readonly string[]): NormalisedSubmission {
  return { items: [], nonSpecificReview: null, approval: noApproval, contextRequest: null, problems };
}

/** A list, one item without its list, or either as JSON text. */
function listOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return [value];
  if (typeof value !== 'string') return null;
  const parsed = parseRepairedJson(value);
  return parsed.ok && typeof parsed.value !== 'string' ? listOf(parsed.value) : null;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function approvalOf(value: unknown): Approval {
  if (!isObject(value)) return noApproval;
  const action = actionOf(value);
  const approved = firstOf(value, 'approved') === true && action !== 'REQUEST_CHANGES';
  // Approving takes both words: a contradiction is no approval.
  return {
    approved,
    rationale: textOrNull(firstOf(value, 'rationale')) ?? '',
    action: action === 'APPROVE' && !approved ? 'COMMENT' : action,
  };
}

function actionOf(value: JsonObject): Action {
  const word = String(textOrNull(firstOf(value, 'action')) ?? '').toUpperCase();
  if (/^APPROVED?$/.test(word)) return 'APPROVE';
  return /^REQUEST(ED)?[ _-]CHANGES$|^CHANGES[ _-]REQUESTED$/.test(word) ? 'REQUEST_CHANGES' : 'COMMENT';
}
