import { withoutEnd } from '../text.ts';
import { type EmbeddedJson, readJsonInText } from './loose-json.ts';
import { mergeSubmissions, type NormalisedSubmission, normaliseSubmission } from './read-submission.ts';
import { firstOf, isObject, type JsonObject } from './words.ts';

type Accepted =
  | { readonly kind: 'submission'; readonly submission: NormalisedSubmission }
  /** Cora's request for more context: it found nothing because it has not finished looking. */
  | { readonly kind: 'context-request'; readonly submission: NormalisedSubmission };

/** What counts as a submission by itself in the profile `follow-up`: a request for lines, and in the second call verdicts on the findings so far. */
export type Understood = { readonly requests?: boolean; readonly verdicts?: boolean };

/**
 * Reads a value in one of the formats that are also accepted: Postil's own, OwlSight's and Cora's. Null when it is
 * none of them. An empty bare list is left to the caller: by itself it says too little.
 */
export function readAccepted(value: unknown, { requests = false, verdicts = false }: Understood = {}): Accepted | null {
  if (Array.isArray(value)) return value.length === 0 ? null : readBareList(value);
  if (!isObject(value)) return null;
  if (firstOf(value, 'files_review') !== null) return accept(value);

  const list = [firstOf(value, 'findings'), firstOf(value, 'issues')].find(Array.isArray);
  if (list === undefined) return verdicts ? readVerdicts(value) : null;
  const accepted = accept(translated(value, list));
  const asks = !requests && list.length === 0 && accepted.submission.contextRequest !== null;
  return asks ? { ...accepted, kind: 'context-request' } : accepted;
}

/** Cora's second answer: what holds, what does not, and what is new, in the words of any format. */
function readVerdicts(value: JsonObject): Accepted | null {
  const added = firstOf(value, 'added', 'issues_added', 'findings_added');
  const confirmed = firstOf(value, 'confirmed');
  if (added === null && confirmed === null && firstOf(value, 'dismissed') === null) return null;
  return accept({ ...translated(value, added ?? []), confirmed: confirmed ?? [] });
}

function readBareList(list: readonly unknown[]): Accepted | null {
  const hasEach = (name: string) => list.every((item) => isObject(item) && typeof firstOf(item, name) === 'string');
  return hasEach('file') || (hasEach('path') && hasEach('review')) ? accept(translated({}, list)) : null;
}

function accept(value: unknown): Accepted {
  return { kind: 'submission', submission: normaliseSubmission(value) };
}

function translated(value: JsonObject, items: unknown): JsonObject {
  return {
    ...value,
    files_review: Array.isArray(items) ? items.map(translatedItem) : items,
    non_specific_review: firstOf(value, 'non_specific_review', 'summary'),
  };
}

/** An item in the words of OwlSight or Cora. They ask for no evidence, so there is none to hold against them. */
function translatedItem(item: unknown): unknown {
  if (!isObject(item) || firstOf(item, 'review') !== null) return item;
  const start = firstOf(item, 'line_start', 'line', 'lines');
  const end = firstOf(item, 'line_end');
  return {
    path: firstOf(item, 'file', 'path'),
    quote: firstOf(item, 'quote'),
    lines: start === null || end === null ? start : `${start}-${end}`,
    side: firstOf(item, 'side'),
    evidence: firstOf(item, 'evidence') ?? '',
    title: firstOf(item, 'title'),
    review: withAdvice(firstOf(item, 'description', 'body'), firstOf(item, 'suggestion', 'suggested_fix')),
    severity: firstOf(item, 'severity'),
    category: firstOf(item, 'category', 'issue_type'),
    rule_id: firstOf(item, 'ruleId', 'rule_id'),
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

/** What a model's last text is, when it did not call `submit_review`. */
type FinalText =
  | Accepted
  /** A review in words: an extraction call brings it into the schema. */
  | { readonly kind: 'free-text'; readonly text: string }
  /** "Let me check the file…": no review at all. */
  | { readonly kind: 'announcement' };

/** Reads all submissions in a text as one, in any accepted format: raw, fenced or with prose around it. Never throws. */
export function parseFinalText(text: string, understood: Understood = {}): FinalText {
  const accepted = readJsonInText(text, (found) => read(found, understood));
  const [first] = accepted;
  if (first !== undefined) {
    const { kind } = accepted.find((one) => one.kind === 'submission') ?? first;
    return { kind, submission: mergeSubmissions(accepted.map(({ submission }) => submission)) };
  }
  return looksUnfinished(text) ? { kind: 'announcement' } : { kind: 'free-text', text };
}

/** An empty list is a review without findings only as the last word: prose mentions `[]` for many reasons. */
function read(found: EmbeddedJson, understood: Understood): Accepted | null {
  if (!Array.isArray(found.value) || found.value.length > 0) return readAccepted(found.value, understood);
  return found.last ? accept([]) : null;
}

const leadIn = String.raw`(?:(?:ok(?:ay)?|now|next|first|then|so|also|alright|great|good|but)[,:]?\s+|(?:before|to)\s[^,]{1,60},\s+)*`;
const subject = String.raw`(?:let me|let us|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|i must|i have to)\s+`;
const adverbs = String.raw`(?:(?:now|next|first|also|then|just|quickly|continue to|start by|begin by|take a)\s+)*`;
const verbs =
  'check|look|re-?read|read|inspect|examin|verify|see|search|open|view|find|fetch|trac|continu|start|explor|investigat|analy[sz]|review|dig|confirm|grep|gather|compar|understand';
const intention = new RegExp(String.raw`^${leadIn}${subject}${adverbs}(?:${verbs})(?:e|ing)?\b`, 'i');
const activity =
  /^(?:checking|reading|looking|searching|inspecting|examining|opening|fetching|verifying)\b.*(?:…|\.\.\.|:)$/i;

// In characters. White space in a row costs the expressions below the square of its length.
const maxAnnouncement = 500;

/** True when the last words announce further work instead of giving an answer. Knows English only. */
export function looksUnfinished(text: string): boolean {
  const lastLine = text.trimEnd().slice(-maxAnnouncement).split('\n').at(-1) ?? '';
  const lastSentence = lastLine.split(/(?<=[.!?…])\s+/).at(-1) ?? '';
  const words = withoutEnd(lastSentence.replace(/^[\s>*_#-]+/, ''), /[\s*_]/);
  return intention.test(words) || activity.test(words);
}
