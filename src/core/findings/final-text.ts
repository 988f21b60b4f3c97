import { type Accepted, type Format, readAccepted } from './accepted-formats.ts';
import { type EmbeddedJson, readJsonInText } from './json-in-text.ts';
import { type NormalisedSubmission, normaliseSubmission } from './normalise-submission.ts';

/** What a model's last text is, when it did not call `submit_review`. */
export type FinalText =
  | { readonly kind: 'submission'; readonly submission: NormalisedSubmission; readonly format: Format }
  /** A review in words: an extraction call brings it into the schema. */
  | { readonly kind: 'free-text'; readonly text: string }
  /** Lines are asked for, and nothing was found yet. */
  | { readonly kind: 'context-request'; readonly submission: NormalisedSubmission }
  /** "Let me check the file…": no review at all (FAILURES M10). */
  | { readonly kind: 'announcement' };

/** Reads the last of the submissions in a text, in any accepted format: raw, fenced or with prose around it. Never throws. */
export function parseFinalText(text: string): FinalText {
  const accepted = readJsonInText(text, read).at(-1);
  if (accepted !== undefined) return accepted;
  if (looksUnfinished(text)) return { kind: 'announcement' };
  return { kind: 'free-text', text };
}

/** An empty list is a review without findings only as the last word: prose mentions `[]` for many reasons. */
function read(found: EmbeddedJson): Accepted | null {
  if (!Array.isArray(found.value) || found.value.length > 0) return readAccepted(found.value);
  if (!found.last) return null;
  return { kind: 'submission', submission: normaliseSubmission([]), format: 'owlsight' };
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
  const words = lastSentence.replace(/^[\s>*_#-]+|[\s*_]+$/g, '');
  return intention.test(words) || activity.test(words);
}
