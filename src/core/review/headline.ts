import { stopLabel, stopMessage } from '../agent/event.ts';
import { withHint } from '../errors.ts';
import type { Finding, PlacedFinding } from '../findings/finding.ts';
import { type Life, lifeMessage } from '../history/life.ts';
import { type Message, verbatim } from '../messages/message.ts';
import { severities } from '../settings/setting.ts';
import type { BatchReport, Coverage, RunStop } from './review.ts';
import type { Outcome } from './verdict.ts';

/** How a run ended; `model` is the one that looked, null where none did. */
type RunEnd = { readonly outcome: Outcome; readonly stop: RunStop; readonly model: string | null };

/** Tells what came out, what is new of it, and of how much: one sentence, and those that explain it. */
export function headline(end: RunEnd, findings: readonly PlacedFinding[], coverage: Coverage): readonly Message[] {
  const { outcome, stop } = end;
  const lead = headlineLead(end, findings, coverage);
  if (isByRules(end)) {
    const noKey = stop.reason === 'no-key' ? stopMessages(stop) : [];
    return [...sentence(lead), ...noKey, ...coverage.missing.slice(0, missingTold), ...unreadFiles(coverage.unread)];
  }
  switch (outcome) {
    case 'clean':
    case 'findings':
      return sentence(lead);
    case 'partial':
      if (stop.reason === 'unread') return [parts([...lead, ...unreadFiles(coverage.unread)])];
      return [...sentence(lead), ...stopMessages(stop), ...unreadFiles(coverage.unread)];
    case 'skipped':
    case 'failed':
      return [{ code: 'because', what: parts(lead), why: stopMessages(stop) }, ...openFindings(findings)];
  }
}

/** Sentences of a headline about what could not be read: the coverage lists all. */
export const missingTold = 100;

/** The parts that every surface begins with; none where nothing but what nobody reads was changed. */
export function headlineLead(end: RunEnd, findings: readonly PlacedFinding[], coverage: Coverage): readonly Message[] {
  const { outcome, stop } = end;
  if (isByRules(end)) return rulesOnly(findings, coverage);
  switch (outcome) {
    case 'clean':
    case 'findings':
      return [...findingCounts(findings), filesReviewed(coverage)];
    case 'partial':
      if (stop.reason !== 'unread') return [{ code: 'headline.partial' }, ...partialCounts(findings, coverage)];
      if (countReviewed(coverage).reviewed === 0 && !hasOpen(findings)) return [];
      return [...findingCounts(findings), filesReviewed(coverage)];
    case 'skipped':
      if (stop.reason === 'skipped' && stop.planned === true) return [{ code: 'headline.planned' }];
      if (stop.reason === 'skipped' && stop.nothing === true) return [{ code: 'headline.nothing' }];
      return [{ code: 'headline.not-reviewed' }];
    case 'failed':
      return [{ code: 'headline.failed' }];
  }
}

/** Joins the parts of a line. */
export function parts(of: readonly Message[]): Message {
  const [only] = of;
  return only !== undefined && of.length === 1 ? only : { code: 'parts', of };
}

function sentence(lead: readonly Message[]): readonly Message[] {
  return [{ code: 'sentence', what: parts(lead) }];
}

/** True where no model looked: the patterns did. */
export function isByRules({ outcome, stop, model }: RunEnd): boolean {
  return stop.reason === 'no-key' || ((outcome === 'clean' || outcome === 'findings') && model === null);
}

function rulesOnly(findings: readonly PlacedFinding[], coverage: Coverage): readonly Message[] {
  const count = countReviewed(coverage).reviewed;
  if (!hasOpen(findings)) return [{ code: 'headline.rules-clean', count }];
  return [{ code: 'headline.rules-only' }, ...findingCounts(findings), { code: 'files.count', count }];
}

/** Such as `No findings · 3 of 7 files reviewed`. */
function partialCounts(findings: readonly PlacedFinding[], coverage: Coverage): readonly Message[] {
  const { reviewed, whole } = countReviewed(coverage);
  const share = whole === 0 ? [] : [filesReviewed(coverage)];
  if (reviewed > 0 || hasOpen(findings)) return [...findingCounts(findings), ...share];
  return whole === 0 ? [{ code: 'files.none-reviewed' }] : share;
}

/** Such as `3 of 7 files reviewed`. */
export function filesReviewed(coverage: CountedFiles): Message {
  const { reviewed, whole: count } = countReviewed(coverage);
  return reviewed === count ? { code: 'files.reviewed', count } : { code: 'files.reviewed-share', reviewed, count };
}

/** Such as `3 of 7 files`. */
export function shareOfFiles(coverage: CountedFiles): Message {
  const { reviewed, whole: count } = countReviewed(coverage);
  return reviewed === count ? { code: 'files.count', count } : { code: 'files.share', reviewed, count };
}

type CountedFiles = Pick<Coverage, 'reviewed' | 'earlier' | 'unreviewed' | 'unread'>;

/** Counts the files that were reviewed, in this run or in an earlier one and untouched since, and all that the workflow did not leave out. */
export function countReviewed(coverage: CountedFiles): { readonly reviewed: number; readonly whole: number } {
  const reviewed = coverage.reviewed.length + coverage.earlier.length;
  return { reviewed, whole: reviewed + coverage.unreviewed.length + coverage.unread.length };
}

const filesNamed = 3;

/** Such as `2 files were not reviewed: logo.png (image), app.bin (binary).`; nothing where all were read. */
function unreadFiles(unread: Coverage['unread']): readonly Message[] {
  if (unread.length === 0) return [];
  // What could be code comes first.
  const named = unread
    .toSorted((one, other) => Number(other.code) - Number(one.code))
    .slice(0, filesNamed)
    .map(({ path, reason }): Message => ({ code: 'files.with-reason', path, why: reason }));
  const count = unread.length - named.length;
  const more: readonly Message[] = count === 0 ? [] : [{ code: 'more', count }];
  return [{ code: 'files.unread', count: unread.length, files: [...named, ...more] }];
}

/** Lists the files that a headline names. */
export function namedFiles(headline: readonly Message[]): readonly string[] {
  return headline.flatMap((message) => {
    if (message.code === 'parts' || message.code === 'sentences') return namedFiles(message.of);
    if (message.code === 'files.unread') return namedFiles(message.files);
    return message.code === 'files.with-reason' ? [message.path] : [];
  });
}

/** Such as `2 new findings: 1 critical, 1 warning · 3 still open`. */
function findingCounts(findings: readonly PlacedFinding[]): readonly Message[] {
  const { fresh, returned, standing } = openOf(findings);
  if (standing.length + returned.length === 0) return [countFindings(fresh)];
  const unchecked = findings.filter(({ place, life }) => place !== 'suppressed' && life === 'changed').length;
  const counts: Message[] = [];
  if (fresh.length > 0) counts.push({ code: 'findings.new', count: fresh.length, counts: severityCounts(fresh) });
  else if (returned.length === 0) counts.push({ code: 'findings.none-new' });
  if (returned.length > 0) {
    counts.push({ code: 'findings.returned', count: returned.length, counts: severityCounts(returned) });
  }
  if (standing.length > 0) counts.push(standingFindings(standing.length, unchecked));
  return counts;
}

/** Such as `3 still open (1 changed, not checked)`. */
export function standingFindings(count: number, unchecked: number): Message {
  const open = findingsInState(count, 'open');
  return unchecked === 0
    ? open
    : { code: 'findings.some-changed', open, changed: findingsInState(unchecked, 'changed') };
}

/** Such as `2 fixed`. */
export function findingsInState(count: number, life: Life): Message {
  return { code: 'findings.in-state', count, state: lifeMessage(life) };
}

function hasOpen(findings: readonly PlacedFinding[]): boolean {
  return findings.some(({ place }) => place !== 'suppressed');
}

type OpenFindings = { readonly [when in 'fresh' | 'returned' | 'standing']: readonly Finding[] };

function openOf(findings: readonly PlacedFinding[]): OpenFindings {
  const open = findings.filter(({ place }) => place !== 'suppressed');
  const others = open.filter(({ life }) => life !== 'returned');
  return {
    fresh: others.filter(({ place }) => place !== 'standing'),
    returned: open.filter(({ life }) => life === 'returned'),
    standing: others.filter(({ place }) => place === 'standing'),
  };
}

/** Tells what counts although no model reviewed this; nothing when nothing does. */
function openFindings(findings: readonly PlacedFinding[]): readonly Message[] {
  const { fresh, returned, standing } = openOf(findings);
  const earlier = [...returned, ...standing];
  const ofRules = fresh.filter(({ source }) => source === 'rule');
  const others = fresh.filter(({ source }) => source !== 'rule');
  const told: Message[] = [];
  if (ofRules.length > 0) {
    told.push({ code: 'findings.of-rules', count: ofRules.length, counts: severityCounts(ofRules) });
  }
  if (others.length > 0) told.push({ code: 'sentence', what: countFindings(others) });
  if (earlier.length > 0) {
    told.push({ code: 'findings.still-open', count: earlier.length, counts: severityCounts(earlier) });
  }
  return told;
}

/** Such as `3 findings: 1 critical, 2 warnings`. */
export function countFindings(findings: readonly Finding[]): Message {
  if (findings.length === 0) return { code: 'findings.none' };
  return { code: 'findings.count', count: findings.length, counts: severityCounts(findings) };
}

export function severityCounts(findings: readonly Finding[]): readonly Message[] {
  return severities
    .map((severity) => ({ severity, count: findings.filter((finding) => finding.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }): Message => ({ code: `severity.${severity}`, count }));
}

/** Tells why a run ended as it did, one sentence or more. */
export function stopMessages(stop: RunStop): readonly Message[] {
  switch (stop.reason) {
    case 'skipped':
      return [stop.why];
    case 'incomplete':
      return stop.why.length === 0 ? [stopMessage(stop.stop)] : stop.why;
    case 'unplaced':
      return [{ code: stop.unread === true ? 'run.unreadable-findings' : 'run.unplaced', count: stop.count }];
    case 'unread':
      return unreadFiles(stop.files);
    case 'cancelled':
      return [{ code: 'run.cancelled-with-findings' }];
    case 'failed':
      return [stop.stop === undefined ? verbatim(withHint(stop.message, stop.hint)) : stopMessage(stop.stop)];
    default:
      return [{ code: `run.${stop.reason}` }];
  }
}

/** Tells how the review of a batch ended, in a few words: the headline has the sentence. */
export function batchResult({ reviewed, stop, gap }: Pick<BatchReport, 'reviewed' | 'stop' | 'gap'>): Message {
  if (gap === null) return { code: 'batch.reviewed' };
  if (reviewed && stop.reason === 'submitted') {
    return { code: 'batch.reviewed-but', why: gap.code === 'sentence' ? gap.what : gap };
  }
  return { code: reviewed ? 'batch.cut-short' : 'batch.not-reviewed', why: stopLabel(stop) };
}
