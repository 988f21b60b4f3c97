import { categories, type Severity, severities } from '../settings/setting.ts';
import { readEvidence, readPlaces } from './citations.ts';
import { readEarlier, type SubmittedEarlier } from './earlier.ts';
import { parseRepairedJson } from './loose-json.ts';
import {
  type Action,
  type Approval,
  noApproval,
  parseSubmittedFinding,
  type SubmittedFinding,
  saysApproval,
  worstApproval,
} from './submission.ts';
import { readWalkthrough, type WalkthroughLine } from './walkthrough.ts';
import {
  firstOf,
  formatLineRange,
  isObject,
  type JsonObject,
  type OwnVerdicts,
  parseLineRange,
  type ReadRequest,
  readContextRequest,
  readOwnVerdicts,
  severityWord,
  sideWord,
  textOf,
} from './words.ts';

/** What a model submitted, each item valid or with what is wrong with it. */
export type NormalisedSubmission = {
  readonly items: readonly NormalisedItem[];
  /** Without the lines that say nothing: they are returned to nobody. */
  readonly walkthrough: readonly WalkthroughLine[];
  readonly nonSpecificReview: string | null;
  readonly approval: Approval;
  /** What became of earlier findings; only those that were asked for count. */
  readonly earlier: readonly SubmittedEarlier[];
  /** Lines that the model asks to see; null when it asks for none. Only the follow-up mode answers. */
  readonly contextRequest: ReadRequest | null;
  /** What it makes of the findings so far; null when it says nothing of them. Only the second call of that mode is asked. */
  readonly verdicts: OwnVerdicts | null;
  /** What is wrong with the whole. When there is something, this is no review, whatever the items say. */
  readonly problems: readonly string[];
};

/**
 * Reads what came to `submit_review` as kindly as can be: an absent nullable is null, unknown keys are ignored, aliases and
 * units are understood. A bad item never costs a good one. Never throws.
 */
export function normaliseSubmission(value: unknown): NormalisedSubmission {
  const object = Array.isArray(value) ? { files_review: value } : value;
  if (!isObject(object)) return refuse('the submission must be an object with files_review and approval');

  const list = listOf(firstOf(object, 'files_review'));
  if (list === null) return refuse('files_review is missing: send a list, empty when there is nothing to report');
  return {
    items: [...list.slice(0, maxItems).map((item, index) => normaliseItem(item, index + 1)), ...surplus(list.length)],
    walkthrough: readWalkthrough(listOf(firstOf(object, 'walkthrough')) ?? []),
    nonSpecificReview: text(object, 'non_specific_review') || null,
    approval: approvalOf(firstOf(object, 'approval')),
    earlier: readEarlier(firstOf(object, 'earlier_findings')),
    contextRequest: readContextRequest(firstOf(object, 'context_request')),
    verdicts: readOwnVerdicts(object),
    problems: [],
  };
}

/** What several submissions of one answer say: all of it, and the worst approval. One that cannot be read spoils the whole. */
export function mergeSubmissions(submissions: readonly NormalisedSubmission[]): NormalisedSubmission {
  const [only = refuse('nothing was submitted'), ...others] = submissions;
  if (others.length === 0) return only;
  const items = submissions.flatMap((one) => one.items);
  const verdicts = submissions.flatMap((one) => one.verdicts ?? []);
  return {
    items: items.map((item, index) => ({ ...item, number: index + 1 })),
    walkthrough: submissions.flatMap(({ walkthrough }) => walkthrough),
    nonSpecificReview: allWords(submissions),
    approval: worstApproval(submissions.map(({ approval }) => approval).filter(saysApproval)) ?? noApproval,
    earlier: submissions.flatMap(({ earlier }) => earlier),
    contextRequest: submissions.findLast(({ contextRequest }) => contextRequest !== null)?.contextRequest ?? null,
    verdicts:
      verdicts.length === 0
        ? null
        : {
            confirmed: verdicts.flatMap(({ confirmed }) => confirmed),
            dismissed: verdicts.flatMap(({ dismissed }) => dismissed),
          },
    problems: submissions.flatMap(({ problems }) => problems),
  };
}

/** What is said of the whole, each once; null where nothing is. */
export function allWords(said: readonly { readonly nonSpecificReview: string | null }[]): string | null {
  return [...new Set(said.flatMap(({ nonSpecificReview }) => nonSpecificReview ?? []))].join('\n\n') || null;
}

/** A review of more findings helps nobody, and each may cost a search through a file. */
const maxItems = 200;

/** What is not read is reported as one item that failed, so that it goes back to the model and then to the delivery. */
function surplus(count: number): readonly NormalisedItem[] {
  const more = count - maxItems;
  if (more <= 0) return [];
  const problem = `only the first ${maxItems} findings are read: send the most important of the other ${more}`;
  return [{ ok: false, number: maxItems + 1, problem, said: { ...nothingSaid, title: `${more} more findings` } }];
}

function refuse(problem: string): NormalisedSubmission {
  const nothing = { items: [], walkthrough: [], nonSpecificReview: null, earlier: [] };
  return { ...nothing, contextRequest: null, verdicts: null, approval: noApproval, problems: [problem] };
}

/** A list, one item without its list, items by number or by path, or any of these as JSON text. */
function listOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  if (isObject(value)) return isNamed(value) ? byName(value) : [value];
  if (typeof value !== 'string') return null;
  const parsed = parseRepairedJson(value);
  return parsed.ok && typeof parsed.value !== 'string' ? listOf(parsed.value) : null;
}

function isNamed(value: JsonObject): boolean {
  const all = Object.values(value);
  return all.length > 0 && all.every((one) => isObject(one) || (Array.isArray(one) && one.every(isObject)));
}

/** Such as `{"0": {…}}` and `{"src/a.ts": [{…}]}`: an item that names no path is of the file under whose name it stands. */
function byName(value: JsonObject): readonly unknown[] {
  return Object.entries(value).flatMap(([name, given]) => {
    const items = Array.isArray(given) ? given : [given];
    return items.map((item: unknown) => (isObject(item) && /[./]/.test(name) ? { path: name, ...item } : item));
  });
}

function approvalOf(value: unknown): Approval {
  if (!isObject(value)) return noApproval;
  const action = actionOf(value);
  const approved = firstOf(value, 'approved') === true && action !== 'REQUEST_CHANGES';
  // Approving takes both words: a contradiction is no approval.
  return {
    approved,
    rationale: text(value, 'rationale'),
    action: action === 'APPROVE' && !approved ? 'COMMENT' : action,
  };
}

function actionOf(value: JsonObject): Action {
  const word = text(value, 'action').toUpperCase();
  if (/^APPROVED?$/.test(word)) return 'APPROVE';
  return /^REQUEST(ED)?[ _-]CHANGES$|^CHANGES[ _-]REQUESTED$/.test(word) ? 'REQUEST_CHANGES' : 'COMMENT';
}

/** `number` counts from 1 in the order of the submission: what `#2` means to the model. */
export type NormalisedItem =
  | { readonly ok: true; readonly number: number; readonly item: SubmittedFinding }
  | {
      readonly ok: false;
      readonly number: number;
      readonly problem: string;
      /** As much of it as could be read. */
      readonly said: Said;
    };

type Said = Pick<SubmittedFinding, 'path' | 'quote' | 'evidence' | 'title' | 'review' | 'category'> & {
  /** Null when it names none that there is. */
  readonly severity: Severity | null;
};

// What a model that names no confidence gets: neither trusted nor doubted.
const unstatedConfidence = 0.5;

/** One item of `files_review`, read leniently and then held to the schema. Never throws. */
export function normaliseItem(value: unknown, number: number): NormalisedItem {
  if (!isObject(value)) return { ok: false, number, problem: 'it must be an object', said: nothingSaid };

  const quote = quoteOf(firstOf(value, 'quote'));
  const lines = linesOf(firstOf(value, 'lines'));
  const parsed = parseSubmittedFinding(candidate(value, { quote, lines: lines.value }));
  // Beside a quote they are a hint, which may be odd; without one they are the place.
  const ofLines = quote === null ? lines.problems : [];
  const problems = [...ofLines, ...blankProblems(value), ...(parsed.ok ? [] : parsed.problems)];
  if (parsed.ok && problems.length === 0) return { ok: true, number, item: parsed.value };
  return { ok: false, number, problem: problems.join('; '), said: saidIn(value) };
}

const nothingSaid: Said = {
  ...{ path: '', quote: null, evidence: [], title: '', review: '' },
  ...{ category: 'other', severity: null },
};

function saidIn(value: JsonObject): Said {
  const severity = severityWord(word(firstOf(value, 'severity')));
  return {
    path: text(value, 'path'),
    quote: text(value, 'quote') || null,
    evidence: readEvidence(firstOf(value, 'evidence')),
    title: oneLine(text(value, 'title')),
    review: text(value, 'review'),
    category: categories.find((category) => category === word(firstOf(value, 'category'))) ?? 'other',
    severity: severities.find((known) => known === severity) ?? null,
  };
}

/** What the item probably means, in the words of the schema. Required properties that are absent stay absent. */
function candidate(value: JsonObject, { quote, lines }: { quote: unknown; lines: string | null }): JsonObject {
  const given = ['path', 'title', 'review'].filter((name) => firstOf(value, name) !== null);
  return {
    ...Object.fromEntries(
      given.map((name) => [name, trimmed(firstOf(value, name), name === 'title' ? oneLine : same)]),
    ),
    quote,
    lines,
    evidence: readEvidence(firstOf(value, 'evidence')),
    also_at: readPlaces(firstOf(value, 'also_at')),
    side: sideWord(firstOf(value, 'side')),
    ...severityOf(firstOf(value, 'severity')),
    category: categories.find((category) => category === word(firstOf(value, 'category'))) ?? 'other',
    suggestion: textOrNull(firstOf(value, 'suggestion')),
    rule_id: nothingAsNull(text(value, 'rule_id')),
    same_as: nothingAsNull(text(value, 'same_as')),
    confidence: confidenceOf(firstOf(value, 'confidence')),
  };
}

function linesOf(value: unknown): { readonly value: string | null; readonly problems: readonly string[] } {
  const given = typeof value === 'number' ? String(value) : nothingAsNull(value);
  if (given === null) return { value: null, problems: [] };
  const range = parseLineRange(typeof given === 'string' ? given : JSON.stringify(given));
  return range.ok ? { value: formatLineRange(range.value), problems: [] } : { value: null, problems: range.problems };
}

function blankProblems(value: JsonObject): readonly string[] {
  const names = ['path', 'title', 'review'];
  return names
    .filter((name) => blankAsNull(firstOf(value, name) ?? 'absent') === null)
    .map((name) => `${name} is empty`);
}

/** Lines in a list are one text. */
function quoteOf(value: unknown): unknown {
  const isList = Array.isArray(value) && value.every((line) => typeof line === 'string');
  return blankAsNull(isList ? value.join('\n') : value);
}

function textOrNull(value: unknown): unknown {
  return typeof value === 'string' ? blankAsNull(value) : null;
}

/** A word without a meaning counts as the worst: a finding must not lose its place for it, and no gate opens by it. */
function severityOf(value: unknown): JsonObject {
  const said = severityWord(word(value));
  return value === null ? {} : { severity: severities.find((severity) => severity === said) ?? 'critical' };
}

const confidenceWords: { readonly [word: string]: number } = { high: 0.9, medium: 0.6, low: 0.3 };

/** `0.8`, `"0.8"`, `"80%"`, `95`, `"high"`, within 0 and 1. */
function confidenceOf(value: unknown): number {
  const given = word(value);
  if (Object.hasOwn(confidenceWords, given)) return confidenceWords[given] ?? unstatedConfidence;
  const [, digits, unit] = /^(-?\d{0,9}\.?\d{1,20})\s?(%|percent)?$/.exec(given) ?? [];
  if (digits === undefined) return unstatedConfidence;
  const number = Number(digits);
  return Math.min(1, Math.max(0, unit !== undefined || number > 1 ? number / 100 : number));
}

function text(value: JsonObject, name: string): string {
  return textOf(firstOf(value, name));
}

function word(value: unknown): string {
  return typeof value === 'string' ? value.trim().toLowerCase() : String(JSON.stringify(value));
}

function trimmed(value: unknown, change: (text: string) => string = same): unknown {
  return typeof value === 'string' ? change(value.trim()) : value;
}

function same(text: string): string {
  return text;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

function blankAsNull(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? null : value;
}

/** Models write the word null where they mean the value. */
function nothingAsNull(value: unknown): unknown {
  return typeof value === 'string' && /^(?:null|none|n\/a)?$/i.test(value.trim()) ? null : trimmed(value);
}
