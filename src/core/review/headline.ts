import { labelFor, sentenceFor } from '../agent/event.ts';
import { reasons, UserError, withHint } from '../errors.ts';
import type { Finding, PlacedFinding } from '../findings/finding.ts';
import { lifeWord } from '../memory/life.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { type Severity, severities } from '../settings/setting.ts';
import { docsAddress, grouped, plural } from '../text.ts';
import type { BatchReport, Coverage, RunStop } from './review.ts';
import type { Outcome } from './verdict.ts';

/** How a run ended; `model` is the one that looked, null where none did. */
type Ended = { readonly outcome: Outcome; readonly stop: RunStop; readonly model: string | null };

/** One line for a person: what came out, what is new of it, and of how much. */
export function headline(ended: Ended, findings: readonly PlacedFinding[], coverage: Coverage): string {
  const { outcome, stop } = ended;
  const lead = leadOf(ended, findings, coverage);
  if (isByRules(ended)) {
    const why = stop.reason === 'no-key' ? [whyOf(stop)] : [];
    return [`${lead}.`, ...why, ...coverage.missing].join(' ') + alsoUnread(coverage);
  }
  switch (outcome) {
    case 'clean':
    case 'findings':
      return `${lead}.`;
    case 'partial':
      if (stop.reason !== 'unread') return `${lead}. ${whyOf(stop)}${alsoUnread(coverage)}`;
      return [...(lead === '' ? [] : [lead]), unreadSentence(coverage.unread)].join(' · ');
    case 'skipped':
    case 'failed':
      return `${lead}: ${whyOf(stop)}${stillOpen(findings)}`;
  }
}

/** What every surface begins with; empty where nothing but what nobody reads was changed. */
export function leadOf(ended: Ended, findings: readonly PlacedFinding[], coverage: Coverage): string {
  const { outcome, stop } = ended;
  if (isByRules(ended)) {
    const files = plural(coverage.reviewed.length + coverage.earlier.length, 'file');
    const none = found(findings) === 'No findings';
    return none ? `Rules only: nothing matched in ${files}` : `Rules only · ${found(findings)} · ${files}`;
  }
  switch (outcome) {
    case 'clean':
    case 'findings':
      return `${found(findings)} · ${shareReviewed(coverage)}`;
    case 'partial':
      return stop.reason === 'unread'
        ? ofWhatWasRead(findings, coverage)
        : `Partial review · ${partOf(findings, coverage)}`;
    case 'skipped':
      if (stop.reason === 'skipped' && stop.planned === true) return 'Planned';
      return stop.reason === 'skipped' && stop.nothing === true ? 'Nothing to review' : 'Not reviewed';
    case 'failed':
      return 'Review failed';
  }
}

/** Where no model looked, the patterns did. */
export function isByRules({ outcome, stop, model }: Ended): boolean {
  return stop.reason === 'no-key' || ((outcome === 'clean' || outcome === 'findings') && model === null);
}

/** Such as `No findings · 3 of 7 files reviewed`. */
function partOf(findings: readonly PlacedFinding[], { reviewed, earlier, unreviewed, unread }: Coverage): string {
  const whole = [reviewed, earlier, unreviewed, unread].reduce((sum, { length }) => sum + length, 0);
  const isNone = reviewed.length + earlier.length === 0 && found(findings) === 'No findings';
  if (isNone) return whole === 0 ? 'nothing was reviewed' : `0 of ${plural(whole, 'file')} reviewed`;
  if (whole === 0) return found(findings);
  return `${found(findings)} · ${shareReviewed({ reviewed, earlier, unreviewed, unread })}`;
}

/** Such as `3 of 7 files reviewed`. */
export function shareReviewed(coverage: Counted): string {
  return `${shareOfFiles(coverage)} reviewed`;
}

/** Such as `3 of 7 files`. */
export function shareOfFiles(coverage: Counted): string {
  const { reviewed, whole } = countReviewed(coverage);
  return reviewed === whole ? plural(whole, 'file') : `${grouped(reviewed)} of ${plural(whole, 'file')}`;
}

type Counted = Pick<Coverage, 'reviewed' | 'earlier' | 'unreviewed' | 'unread'>;

/** The one count of files: those reviewed in this run, or in an earlier one and untouched since, of all that the workflow did not leave out. */
export function countReviewed(coverage: Counted): { readonly reviewed: number; readonly whole: number } {
  const reviewed = coverage.reviewed.length + coverage.earlier.length;
  return { reviewed, whole: reviewed + coverage.unreviewed.length + coverage.unread.length };
}

/** Such as `No findings · 3 of 4 files reviewed`. */
function ofWhatWasRead(findings: readonly PlacedFinding[], coverage: Coverage): string {
  const isNone = coverage.reviewed.length + coverage.earlier.length === 0 && found(findings) === 'No findings';
  return isNone ? '' : `${found(findings)} · ${shareReviewed(coverage)}`;
}

const namedAtMost = 3;

/** Such as `2 files were not reviewed: logo.png (image), app.bin (binary).` */
function unreadSentence(unread: Coverage['unread']): string {
  // What could be code comes first.
  const named = unread
    .toSorted((one, other) => Number(other.code) - Number(one.code))
    .slice(0, namedAtMost)
    .map(({ path, reason }) => `${path} (${reason})`);
  const more = unread.length > named.length ? [`${unread.length - named.length} more`] : [];
  return `${plural(unread.length, 'file')} ${unread.length === 1 ? 'was' : 'were'} not reviewed: ${[...named, ...more].join(', ')}.`;
}

/** Such as `2 new findings: 1 critical, 1 warning · 3 still open`. */
function found(findings: readonly PlacedFinding[]): string {
  const { fresh, returned, standing } = openOf(findings);
  if (standing.length + returned.length === 0) return fresh.length === 0 ? 'No findings' : countFindings(fresh);
  const unchecked = findings.filter(({ place, life }) => place !== 'suppressed' && life === 'changed').length;
  return [
    ...(fresh.length > 0 ? [countFindings(fresh, 'new finding')] : returned.length > 0 ? [] : ['Nothing new']),
    ...(returned.length > 0 ? [`${returned.length} ${lifeWord('returned')}: ${severityCounts(returned)}`] : []),
    ...(standing.length > 0
      ? [`${standing.length} ${lifeWord('open')}${unchecked > 0 ? ` (${unchecked} ${lifeWord('changed')})` : ''}`]
      : []),
  ].join(' · ');
}

type Open = { readonly [when in 'fresh' | 'returned' | 'standing']: readonly Finding[] };

function openOf(findings: readonly PlacedFinding[]): Open {
  const open = findings.filter(({ place }) => place !== 'suppressed');
  const returned = open.filter(({ life }) => life === 'returned');
  const those = (standing: boolean) =>
    open.filter((one) => !returned.includes(one) && (one.place === 'standing') === standing);
  return { fresh: those(false), returned, standing: those(true) };
}

/** What counts although no model reviewed this; empty when nothing does. */
function stillOpen(findings: readonly PlacedFinding[]): string {
  const { fresh, returned, standing: stood } = openOf(findings);
  const standing = [...returned, ...stood];
  const ofRules = fresh.filter(({ source }) => source === 'rule');
  const others = fresh.filter(({ source }) => source !== 'rule');
  const earlier = `${plural(standing.length, 'earlier finding')} ${standing.length === 1 ? 'is' : 'are'} still open`;
  return [
    ...(ofRules.length === 0
      ? []
      : [` ${plural(ofRules.length, 'finding')} of the rules: ${severityCounts(ofRules)}.`]),
    ...(others.length === 0 ? [] : [` ${countFindings(others)}.`]),
    ...(standing.length === 0 ? [] : [` ${earlier}: ${severityCounts(standing)}.`]),
  ].join('');
}

function alsoUnread({ unread }: Coverage): string {
  return unread.length === 0 ? '' : ` ${unreadSentence(unread)}`;
}

/** Such as `3 findings: 1 critical, 2 warnings`. */
export function countFindings(findings: readonly Finding[], noun = 'finding'): string {
  return `${plural(findings.length, noun)}: ${severityCounts(findings)}`;
}

export function severityCounts(findings: readonly Finding[]): string {
  return severities
    .map((severity) => ({ severity, count: findings.filter((finding) => finding.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => (isNoun[severity] ? plural(count, severity) : `${count} ${severity}`))
    .join(', ');
}

/** One says two warnings, and two critical. */
const isNoun: Readonly<Record<Severity, boolean>> = { critical: false, warning: true, info: false, nitpick: true };

/** The word of the `stop-reason` output: for an incomplete run the limit or the failure that cut it. */
export const stopWords = [
  'completed',
  'skipped',
  'no-key',
  'iterations',
  'tokens',
  'cost',
  'time',
  'tool-calls',
  'repeated-calls',
  'empty-answers',
  'refused',
  'truncated',
  'context-overflow',
  'answered',
  'model-failed',
  'unreadable-diff',
  'unreadable-answer',
  'earlier-unknown',
  'unexplained',
  'unplaced',
  'unread',
  'cancelled',
  'failed',
] as const;

export function stopWord(stop: RunStop): (typeof stopWords)[number] {
  if (stop.reason !== 'incomplete') return stop.reason;
  if (stop.stop.reason === 'limit') return stop.stop.limit;
  if (stop.stop.reason !== 'submitted') return stop.stop.reason;
  // Every batch was reviewed: it is the diff, or a part of an answer, that could not be read.
  return stop.of === 'answer' ? 'unreadable-answer' : 'unreadable-diff';
}

/** Why a run ended as it did, as sentences. */
export function whyOf(stop: RunStop): string {
  switch (stop.reason) {
    case 'completed':
      return 'Everything was reviewed.';
    case 'skipped':
      return stop.why;
    case 'no-key':
      return 'No model reviewed this (no API key).';
    case 'incomplete':
      return stop.why === '' ? sentenceFor(stop.stop) : stop.why;
    case 'earlier-unknown':
      return 'Earlier findings are unknown: the existing comments could not be read, or no key of this run signed them. Run it again.';
    case 'unexplained':
      return 'The model asks for changes, and names nothing to change.';
    case 'unplaced':
      if (stop.unread) return `${plural(stop.count, 'finding')} of the model could not be read.`;
      return stop.count === 1
        ? 'The code that one finding quotes was not found.'
        : `The code that ${grouped(stop.count)} findings quote was not found.`;
    case 'unread':
      return unreadSentence(stop.files);
    case 'cancelled':
      return 'The run was cancelled. Findings up to that point are listed.';
    case 'failed':
      return withHint(stop.message, stop.hint);
  }
}

/** How the review of a batch ended, in a few words: the headline has the sentence. */
export function howItEnded({ reviewed, stop, gap }: Pick<BatchReport, 'reviewed' | 'stop' | 'gap'>): string {
  if (gap === null) return 'reviewed';
  if (reviewed && stop.reason === 'submitted') return `reviewed, but ${gap.replace(/\.$/, '')}`;
  return `${reviewed ? 'cut short' : 'not reviewed'} (${labelFor(stop)})`;
}

/** What to do on a laptop where there is no key. */
export const laptopKeyHint = 'For a review by a model set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';

/** What to do where there is no key. */
export function keyHint(pullRequest: Pick<PullRequest, 'number' | 'fromFork' | 'author'> | null): string {
  if (pullRequest?.number === null) return laptopKeyHint;
  const isStrangers = pullRequest?.fromFork === true || pullRequest?.author === 'dependabot[bot]';
  if (isStrangers) return `Runs for forks and Dependabot get no secrets. Ways to review them: ${docsAddress}/forks.md`;
  return 'For a review by a model set `api-key`.';
}

/** What an error that ended the run says to a person: what happened, why, and what to do next. */
export function failure(error: unknown): Extract<RunStop, { reason: 'failed' }> {
  const message = reasons(error).join(' ');
  if (error instanceof UserError) return { reason: 'failed', message, hint: error.hint };
  const hint = 'This is a defect of Postil. Run the job again with debug logging and report it with the log.';
  return { reason: 'failed', message, hint };
}
