import { estimateTokens } from '../agent/estimate.ts';
import type { FinishingTool } from '../agent/tool.ts';
import { readAccepted } from '../findings/accepted-formats.ts';
import { readJsonInText } from '../findings/loose-json.ts';
import { mergeSubmissions, type NormalisedSubmission, normaliseSubmission } from '../findings/read-submission.ts';
import { submissionSchema } from '../findings/submission.ts';
import {
  parametersFor,
  type SubmitReview,
  type SubmitReviewOptions,
  takeFinalText,
} from '../findings/submit-review.ts';
import {
  type ContextRequest,
  contextRequestSchema,
  firstOf,
  isObject,
  type JsonObject,
  type ReadRequest,
} from '../findings/words.ts';
import { numberedLines, type ShownLine } from '../repository/shown.ts';
import { exactly } from '../schema.ts';
import { cutLine } from '../text.ts';

/** `submit_review` as the two calls of a follow-up see it: the same bytes, another meaning. */
export type FollowUpTools = {
  readonly first: FinishingTool;
  readonly second: FinishingTool;
  /** The last request of the first call; null when there was none. */
  requested(): ReadRequest | null;
  /** What the second call said; null until it did. */
  answered(): FollowUpAnswer | null;
};

export function followUpTools(
  submit: SubmitReview,
  options: Pick<SubmitReviewOptions, 'walkthrough' | 'unasked' | 'asked'>,
): FollowUpTools {
  let requested: ReadRequest | null = null;
  let answered: FollowUpAnswer | null = null;
  const takeFirst: SubmitReview['take'] = (submission) => {
    requested = submission.contextRequest ?? requested;
    return submit.take(submission);
  };
  const takeSecond = async (answer: FollowUpAnswer | null) => {
    if (answer === null) return { done: false, text: 'This says nothing of the findings.' };
    answered = answer;
    await submit.take(answer.submission);
    return { done: true, text: 'Taken.' };
  };
  const tool = { ...submit.tool, parameters: parametersFor(followUpSchema, options) };
  return {
    first: {
      ...tool,
      finish: (value, also = []) => takeFirst(mergeSubmissions([value, ...also].map(submissionIn))),
      takeText: (text) => takeFinalText(text, takeFirst, { requests: true }),
    },
    second: {
      ...tool,
      finish: (value, also = []) => takeSecond(mergeAnswers([value, ...also].map(readFollowUpAnswer))),
      takeText: (text) => takeSecond(readFollowUpText(text)),
    },
    requested: () => requested,
    answered: () => answered,
  };
}

/** What a follow-up may show. */
export type FollowUpScope = {
  /** Paths of the batch's changed files, and of the code around them that the prompt holds; an old name leads to the new one. */
  readonly paths: ReadonlyMap<string, string>;
  /** Tokens, estimated. */
  readonly maxTokens: number;
  /** Lines at head; null for what is no text file there, or may not be read. */
  readonly read: (path: string) => Promise<readonly ShownLine[] | null>;
};

type Granted =
  | { readonly granted: true; readonly path: string; readonly lines: string; readonly text: string }
  | { readonly granted: false; readonly reason: string };

/** Decides a request for lines and reads them: within the batch's files and their chain, a given range, a limited number of tokens. */
export async function grantContext(asked: ReadRequest, scope: FollowUpScope): Promise<Granted> {
  if (!asked.ok) return refused(asked.problem);
  const { request } = asked;
  const path = scope.paths.get(request.file.replace(/^(?:\.\/)+/, ''));
  if (path === undefined) {
    return refused('the file is neither among the changed files of the batch nor in the code around them');
  }
  const lines = await scope.read(path);
  if (lines === null) return refused('there is no text at the reviewed commit that may be read');
  if (request.lineStart > lines.length) return refused(`the file has ${lines.length} lines`);
  return excerpt(lines, { request, path, maxTokens: scope.maxTokens });
}

/** Of one line; minified files have lines of megabytes. */
const maxLineCharacters = 500;
/** A line with its number takes a token at least. */
const leastTokensOfLine = 1;

function excerpt(
  lines: readonly ShownLine[],
  { request, path, maxTokens }: { request: ContextRequest; path: string; maxTokens: number },
): Granted {
  const { lineStart } = request;
  const wanted = Math.min(request.lineEnd, lines.length);
  const most = Math.min(wanted, lineStart - 1 + Math.floor(maxTokens / leastTokensOfLine));
  const rows = lines
    .slice(lineStart - 1, most)
    .map((line) => ({ ...line, text: cutLine(line.text, maxLineCharacters) }));
  const text = (count: number) => textOf(rows.slice(0, count), { lineStart, wanted });
  let count = rows.length;
  while (count > 0 && estimateTokens(text(count)) > maxTokens) {
    // Down by a tenth: an estimate is no sum of its parts.
    count -= Math.max(1, Math.floor(count / 10));
  }
  if (count === 0) return refused(`not even its first line fits ${maxTokens} tokens`);
  return { granted: true, path, lines: `${lineStart}-${lineStart + count - 1}`, text: text(count) };
}

function textOf(rows: readonly ShownLine[], at: { lineStart: number; wanted: number }): string {
  const last = at.lineStart + rows.length - 1;
  const note = last < at.wanted ? `\n[lines ${last + 1}-${at.wanted} are left out: the limit of a follow-up]` : '';
  return `${numberedLines(rows, at.lineStart)}${note}`;
}

function refused(reason: string): Granted {
  return { granted: false, reason };
}

const { approval, ...found } = submissionSchema.properties;

/**
 * `submit_review` in the follow-up mode: the same for both calls, so that the second one finds the first one's prompt in the provider's cache.
 * The instructions and the question of the second call explain the fields that it adds.
 */
const followUpSchema = exactly({
  ...found,
  confirmed: { type: ['array', 'null'], items: { type: 'integer' } },
  dismissed: {
    type: ['array', 'null'],
    items: exactly({ finding: { type: 'integer' }, reason: { type: 'string' } }),
  },
  context_request: contextRequestSchema,
  approval,
});

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

/** All answers in a text as one: raw, fenced or with prose around them. */
export function readFollowUpText(text: string): FollowUpAnswer | null {
  return mergeAnswers(readJsonInText(text, ({ value }) => readFollowUpAnswer(value)));
}

function mergeAnswers(given: readonly (FollowUpAnswer | null)[]): FollowUpAnswer | null {
  const answers = given.filter((answer) => answer !== null);
  if (answers.length === 0) return null;
  return {
    confirmed: answers.flatMap(({ confirmed }) => confirmed),
    dismissed: answers.flatMap(({ dismissed }) => dismissed),
    submission: mergeSubmissions(answers.map(({ submission }) => submission)),
    again: answers.every(({ again }) => again),
    approves: answers.some(({ approves }) => approves),
  };
}

function submissionIn(value: unknown): NormalisedSubmission {
  return readAccepted(value)?.submission ?? normaliseSubmission(value);
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
