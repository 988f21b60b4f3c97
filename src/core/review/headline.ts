import { labelFor, sentenceFor } from '../agent/event.ts';
import { withHint } from '../errors.ts';
import type { Finding, PlacedFinding } from '../findings/finding.ts';
import { type Life, lifeWord } from '../memory/life.ts';
import { type Severity, severities } from '../settings/setting.ts';
import { english, type Say, type Sentence } from '../words/say.ts';
import type { BatchReport, Coverage, Review, RunStop } from './review.ts';
import type { Outcome } from './verdict.ts';

/** How a run ended; `model` is the one that looked, null where none did. */
type Ended = { readonly outcome: Outcome; readonly stop: RunStop; readonly model: string | null };

/** One line for a person: what came out, what is new of it, and of how much. */
export function headline(
  ended: Ended,
  findings: readonly PlacedFinding[],
  { coverage, say = english }: { coverage: Coverage; say?: Say },
): string {
  const { outcome, stop } = ended;
  const lead = leadOf(ended, findings, { coverage, say });
  const why = whyOf(stop, say);
  if (isByRules(ended)) {
    const reasons = [stop.reason === 'no-key' ? why : '', ...coverage.missing.map(say.of)];
    return say.joined([`${lead}${say('.')}`, ...reasons, alsoUnread(coverage, say)]);
  }
  switch (outcome) {
    case 'clean':
    case 'findings':
      return `${lead}${say('.')}`;
    case 'partial':
      if (stop.reason !== 'unread') return say.joined([`${lead}${say('.')}`, why, alsoUnread(coverage, say)]);
      return [...(lead === '' ? [] : [lead]), unreadSentence(coverage.unread, say)].join(' · ');
    case 'skipped':
    case 'failed':
      return say.joined([`${lead}${say(': ')}${why}`, ...stillOpen(findings, say)]);
  }
}

/** The same in a language, with what was said behind it since it was made. */
export function headlineIn(review: Pick<Review, HeadlineNeeds>, say: Say): string {
  const { coverage, findings, limits } = review;
  const made = (words: Say) => headline({ ...review, model: limits.model }, findings, { coverage, say: words });
  const own = made(english);
  if (!review.headline.startsWith(own)) return say.of(review.headline);
  return say.joined([made(say), say.of(review.headline.slice(own.length).trim())]);
}

type HeadlineNeeds = 'headline' | 'outcome' | 'stop' | 'limits' | 'findings' | 'coverage';

/** What every surface begins with; empty where nothing but what nobody reads was changed. */
export function leadOf(
  ended: Ended,
  findings: readonly PlacedFinding[],
  { coverage, say }: { coverage: Coverage; say: Say },
): string {
  const { outcome, stop } = ended;
  const told = foundIn(findings, say);
  if (isByRules(ended)) {
    const count = coverage.reviewed.length + coverage.earlier.length;
    if (!isAny(findings)) {
      return say.many(count, 'Rules only: nothing matched in {n} file', 'Rules only: nothing matched in {n} files');
    }
    return [say('Rules only'), told, filesIn(count, say)].join(' · ');
  }
  switch (outcome) {
    case 'clean':
    case 'findings':
      return `${told} · ${shareReviewed(coverage, say)}`;
    case 'partial':
      return stop.reason === 'unread'
        ? ofWhatWasRead(findings, { coverage, say })
        : `${say('Partial review')} · ${partOf(findings, { coverage, say })}`;
    case 'skipped':
      if (stop.reason === 'skipped' && stop.planned === true) return say('Planned');
      return stop.reason === 'skipped' && stop.nothing === true ? say('Nothing to review') : say('Not reviewed');
    case 'failed':
      return say('Review failed');
  }
}

/** Where no model looked, the patterns did. */
export function isByRules({ outcome, stop, model }: Ended): boolean {
  return stop.reason === 'no-key' || ((outcome === 'clean' || outcome === 'findings') && model === null);
}

/** Such as `No findings · 3 of 7 files reviewed`. */
function partOf(findings: readonly PlacedFinding[], { coverage, say }: { coverage: Coverage; say: Say }): string {
  const { reviewed, whole } = countReviewed(coverage);
  const share = shareReviewed(coverage, say);
  if (reviewed === 0 && !isAny(findings)) return whole === 0 ? say('nothing was reviewed') : share;
  const told = foundIn(findings, say);
  return whole === 0 ? told : `${told} · ${share}`;
}

/** Such as `3 of 7 files reviewed`. */
export function shareReviewed(coverage: Counted, say: Say): string {
  const { reviewed, whole } = countReviewed(coverage);
  if (reviewed === whole) return say.many(whole, '{n} file reviewed', '{n} files reviewed');
  return say.many(whole, '{m} of {n} file reviewed', '{m} of {n} files reviewed', { m: reviewed });
}

/** Such as `3 of 7 files`. */
export function shareOfFiles(coverage: Counted, say: Say): string {
  const { reviewed, whole } = countReviewed(coverage);
  if (reviewed === whole) return filesIn(whole, say);
  return say.many(whole, '{m} of {n} file', '{m} of {n} files', { m: reviewed });
}

function filesIn(count: number, say: Say): string {
  return say.many(count, '{n} file', '{n} files');
}

type Counted = Pick<Coverage, 'reviewed' | 'earlier' | 'unreviewed' | 'unread'>;

/** The one count of files: those reviewed in this run, or in an earlier one and untouched since, of all that the workflow did not leave out. */
export function countReviewed(coverage: Counted): { readonly reviewed: number; readonly whole: number } {
  const reviewed = coverage.reviewed.length + coverage.earlier.length;
  return { reviewed, whole: reviewed + coverage.unreviewed.length + coverage.unread.length };
}

/** Such as `No findings · 3 of 4 files reviewed`. */
function ofWhatWasRead(
  findings: readonly PlacedFinding[],
  { coverage, say }: { coverage: Coverage; say: Say },
): string {
  const isNone = coverage.reviewed.length + coverage.earlier.length === 0 && !isAny(findings);
  return isNone ? '' : `${foundIn(findings, say)} · ${shareReviewed(coverage, say)}`;
}

const namedAtMost = 3;

/** Such as `2 files were not reviewed: logo.png (image), app.bin (binary).` */
function unreadSentence(unread: Coverage['unread'], say: Say): string {
  // What could be code comes first.
  const named = unread
    .toSorted((one, other) => Number(other.code) - Number(one.code))
    .slice(0, namedAtMost)
    .map(({ path, reason }) => `${path} (${say.of(reason)})`);
  const more = unread.length > named.length ? [say('{n} more', { n: unread.length - named.length })] : [];
  return say.many(unread.length, '{n} file was not reviewed: {list}.', '{n} files were not reviewed: {list}.', {
    list: say.listed([...named, ...more]),
  });
}

/** Such as `2 new findings: 1 critical, 1 warning · 3 still open`. */
function foundIn(findings: readonly PlacedFinding[], say: Say): string {
  const { fresh, returned, standing } = openOf(findings);
  if (standing.length + returned.length === 0)
    return fresh.length === 0 ? say('No findings') : countFindings(fresh, say);
  const count = (n: number, life: Life) => say('{n} {word}', { n: String(n), word: lifeWord(life, say) });
  const unchecked = findings.filter(({ place, life }) => place !== 'suppressed' && life === 'changed').length;
  return [
    ...(fresh.length > 0 ? [countNew(fresh, say)] : returned.length > 0 ? [] : [say('Nothing new')]),
    ...(returned.length > 0
      ? [say('{n} came back: {counts}', { n: returned.length, counts: severityCounts(returned, say) })]
      : []),
    ...(standing.length > 0
      ? [`${count(standing.length, 'open')}${unchecked > 0 ? ` (${count(unchecked, 'changed')})` : ''}`]
      : []),
  ].join(' · ');
}

function isAny(findings: readonly PlacedFinding[]): boolean {
  return findings.some(({ place }) => place !== 'suppressed');
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
function stillOpen(findings: readonly PlacedFinding[], say: Say): readonly string[] {
  const { fresh, returned, standing: stood } = openOf(findings);
  const standing = [...returned, ...stood];
  const ofRules = fresh.filter(({ source }) => source === 'rule');
  const others = fresh.filter(({ source }) => source !== 'rule');
  const counts = (some: readonly Finding[]) => ({ counts: severityCounts(some, say) });
  return [
    ofRules.length === 0
      ? ''
      : say.many(
          ofRules.length,
          '{n} finding of the rules: {counts}.',
          '{n} findings of the rules: {counts}.',
          counts(ofRules),
        ),
    others.length === 0 ? '' : `${countFindings(others, say)}${say('.')}`,
    standing.length === 0
      ? ''
      : say.many(
          standing.length,
          '{n} earlier finding is still open: {counts}.',
          '{n} earlier findings are still open: {counts}.',
          counts(standing),
        ),
  ];
}

function alsoUnread({ unread }: Coverage, say: Say): string {
  return unread.length === 0 ? '' : unreadSentence(unread, say);
}

/** Such as `3 findings: 1 critical, 2 warnings`. */
export function countFindings(findings: readonly Finding[], say: Say = english): string {
  const counts = severityCounts(findings, say);
  return say.many(findings.length, '{n} finding: {counts}', '{n} findings: {counts}', { counts });
}

function countNew(findings: readonly Finding[], say: Say): string {
  const counts = severityCounts(findings, say);
  return say.many(findings.length, '{n} new finding: {counts}', '{n} new findings: {counts}', { counts });
}

export function severityCounts(findings: readonly Finding[], say: Say = english): string {
  const counts = severities
    .map((severity) => ({ severity, count: findings.filter((finding) => finding.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => {
      const [one, more] = counted[severity];
      return say.many(count, one, more);
    });
  return say.listed(counts);
}

/** One says two warnings, and two critical. */
const counted = {
  critical: ['{n} critical', '{n} critical'],
  warning: ['{n} warning', '{n} warnings'],
  info: ['{n} info', '{n} info'],
  nitpick: ['{n} nitpick', '{n} nitpicks'],
} as const satisfies Readonly<Record<Severity, readonly [Sentence, Sentence]>>;

/** Why a run ended as it did, as sentences. */
export function whyOf(stop: RunStop, say: Say = english): string {
  switch (stop.reason) {
    case 'completed':
      return say('Everything was reviewed.');
    case 'skipped':
      return say.of(stop.why);
    case 'no-key':
      return say('No model reviewed this (no API key).');
    case 'incomplete':
      return say.of(stop.why === '' ? sentenceFor(stop.stop) : stop.why);
    case 'earlier-unknown':
      return say(
        'Earlier findings are unknown: the existing comments could not be read, or no key of this run signed them. Run it again.',
      );
    case 'unexplained':
      return say('The model asks for changes, and names nothing to change.');
    case 'unplaced':
      return stop.unread
        ? say.many(
            stop.count,
            '{n} finding of the model could not be read.',
            '{n} findings of the model could not be read.',
          )
        : say.many(
            stop.count,
            'The code that one finding quotes was not found.',
            'The code that {n} findings quote was not found.',
          );
    case 'unread':
      return unreadSentence(stop.files, say);
    case 'cancelled':
      return say('The run was cancelled. Findings up to that point are listed.');
    case 'failed':
      return say.of(withHint(stop.message, stop.hint));
  }
}

/** How the review of a batch ended, in a few words: the headline has the sentence. */
export function howItEnded(
  { reviewed, stop, gap }: Pick<BatchReport, 'reviewed' | 'stop' | 'gap'>,
  say: Say = english,
): string {
  if (gap === null) return say('reviewed');
  if (reviewed && stop.reason === 'submitted') {
    return say('reviewed, but {why}', { why: say.of(gap).replace(/[.。]$/, '') });
  }
  const why = say.of(labelFor(stop));
  return reviewed ? say('cut short ({why})', { why }) : say('not reviewed ({why})', { why });
}
