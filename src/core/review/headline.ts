import { sentenceFor } from '../agent/stop-reason.ts';
import type { Finding } from '../findings/finding.ts';
import type { Placement } from '../findings/placement.ts';
import { severities } from '../settings/severity.ts';
import type { Coverage, Outcome, RunStop } from './review.ts';

/** One line for a person: what came out, what is new of it, and of how much. */
export function headline(
  { outcome, stop }: { readonly outcome: Outcome; readonly stop: RunStop },
  placements: readonly Placement[],
  coverage: Coverage,
): string {
  if (outcome === 'partial' && stop.reason === 'unread') return ofWhatWasRead(placements, coverage);
  switch (outcome) {
    case 'clean':
      return `No findings in ${files(coverage)}.`;
    case 'findings':
      return `${found(placements)} in ${files(coverage)}.`;
    case 'partial':
      return `Partial review: ${lowered(found(placements))}. ${whyOf(stop)}${alsoUnread(coverage)}`;
    case 'skipped':
      return `Not reviewed: ${whyOf(stop)}${stillOpen(placements)}`;
    case 'failed':
      return `The review failed: ${whyOf(stop)}${stillOpen(placements)}`;
  }
}

/** Such as `No findings in 3 files; 1 file was not read: logo.png (image).` */
function ofWhatWasRead(placements: readonly Placement[], coverage: Coverage): string {
  const { reviewed, earlier, unread } = coverage;
  if (reviewed.length + earlier.length === 0 && found(placements) === 'No findings') return unreadSentence(unread);
  return `${found(placements)} in ${files(coverage)}; ${unreadSentence(unread)}`;
}

const namedAtMost = 3;

/** Such as `2 files were not read: logo.png (image), app.bin (binary).` */
function unreadSentence(unread: Coverage['unread']): string {
  // What could be code comes first.
  const named = unread
    .toSorted((one, other) => Number(other.code) - Number(one.code))
    .slice(0, namedAtMost)
    .map(({ path, reason }) => `${path} (${reason})`);
  const more = unread.length > named.length ? [`${unread.length - named.length} more`] : [];
  const count = unread.length === 1 ? '1 file was' : `${unread.length} files were`;
  return `${count} not read: ${[...named, ...more].join(', ')}.`;
}

/** Such as `2 new findings (1 critical, 1 warning), 3 still standing`. */
function found(placements: readonly Placement[]): string {
  const open = placements.filter(({ place }) => place !== 'suppressed');
  const standing = open.filter(({ place }) => place === 'standing').length;
  const fresh = open.filter(({ place }) => place !== 'standing').map(({ finding }) => finding);
  if (standing === 0) return fresh.length === 0 ? 'No findings' : countFindings(fresh);
  if (fresh.length === 0)
    return `Nothing new, ${standing} earlier ${standing === 1 ? 'finding stands' : 'findings stand'}`;
  return `${countFindings(fresh).replace(' finding', ' new finding')}, ${standing} still standing`;
}

/** What counts although nothing was reviewed; empty when nothing does. */
function stillOpen(placements: readonly Placement[]): string {
  const open = placements.filter(({ place }) => place !== 'suppressed').map(({ finding }) => finding);
  return open.length === 0 ? '' : ` Earlier findings still stand: ${countFindings(open)}.`;
}

function alsoUnread({ unread }: Coverage): string {
  return unread.length === 0 ? '' : ` ${unreadSentence(unread)}`;
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** Such as `3 findings (1 critical, 2 warning)`. */
export function countFindings(findings: readonly Finding[]): string {
  const counts = severities
    .map((severity) => ({ severity, count: findings.filter((finding) => finding.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}`);
  return `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'} (${counts.join(', ')})`;
}

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
  'unread',
  'cancelled',
  'failed',
] as const;

export function stopWord(stop: RunStop): (typeof stopWords)[number] {
  if (stop.reason !== 'incomplete') return stop.reason;
  if (stop.stop.reason === 'limit') return stop.stop.limit;
  // Every bundle was reviewed: it is the diff that could not be read whole.
  return stop.stop.reason === 'submitted' ? 'unreadable-diff' : stop.stop.reason;
}

/** Why a run ended as it did, as sentences. */
export function whyOf(stop: RunStop): string {
  switch (stop.reason) {
    case 'completed':
      return 'Everything was reviewed.';
    case 'skipped':
      return stop.why;
    case 'no-key':
      return 'There is no API key, so only the pattern rules looked at the change. For a review by a model set the input `api-key`; runs for forks and Dependabot get no secrets.';
    case 'incomplete':
      return stop.why === '' ? sentenceFor(stop.stop) : stop.why;
    case 'unread':
      return unreadSentence(stop.files);
    case 'cancelled':
      return 'The run was cancelled; what was found until then is listed.';
    case 'failed':
      return stop.hint === '' ? stop.message : `${stop.message} ${stop.hint}`;
  }
}

function files({ reviewed, earlier }: Coverage): string {
  const count = reviewed.length + earlier.length;
  return count === 1 ? '1 file' : `${count} files`;
}
