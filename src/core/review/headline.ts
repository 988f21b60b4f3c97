import { labelFor, sentenceFor } from '../agent/event.ts';
import { reasons, UserError, withHint } from '../errors.ts';
import type { Finding, Placement } from '../findings/finding.ts';
import type { Memory } from '../memory/memory.ts';
import type { Changes, CommitMessage, PullRequest } from '../pull-request/pull-request.ts';
import { type Severity, severities } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';
import { grouped, plural } from '../text.ts';
import type { BatchReport, Coverage, Outcome, RunStop } from './review.ts';

/** One line for a person: what came out, what is new of it, and of how much. */
export function headline(
  { outcome, stop }: { outcome: Outcome; stop: RunStop },
  placements: readonly Placement[],
  coverage: Coverage,
): string {
  if (stop.reason === 'no-key') return ofTheRules(placements, coverage);
  if (outcome === 'partial' && stop.reason === 'unread') return ofWhatWasRead(placements, coverage);
  const saysNothing = stop.reason === 'skipped' && stop.nothing === true;
  switch (outcome) {
    case 'clean':
    case 'findings':
      return `${found(placements)} · ${filesReviewed(coverage)}.`;
    case 'partial':
      return `Partial review · ${partOf(placements, coverage)}. ${whyOf(stop)}${alsoUnread(coverage)}`;
    case 'skipped':
      return `${saysNothing ? 'Nothing to review' : 'Not reviewed'}: ${whyOf(stop)}${stillOpen(placements)}`;
    case 'failed':
      return `Review failed: ${whyOf(stop)}${stillOpen(placements)}`;
  }
}

/** What the patterns found where no model looked. */
function ofTheRules(placements: readonly Placement[], coverage: Coverage): string {
  const files = plural(coverage.reviewed.length + coverage.earlier.length, 'file');
  const none = found(placements) === 'No findings';
  const matched = none ? `Rules only: nothing matched in ${files}.` : `Rules only · ${found(placements)} · ${files}.`;
  const gaps = [whyOf({ reason: 'no-key' }), ...coverage.missing].join(' ');
  return `${matched} ${gaps}${alsoUnread(coverage)}`;
}

/** Such as `No findings · 3 of 7 files reviewed`. */
function partOf(placements: readonly Placement[], { reviewed, earlier, unreviewed, unread }: Coverage): string {
  const whole = [reviewed, earlier, unreviewed, unread].reduce((sum, { length }) => sum + length, 0);
  if (whole === 0) return found(placements) === 'No findings' ? 'nothing was reviewed' : found(placements);
  return `${found(placements)} · ${shareReviewed({ reviewed, earlier, unreviewed, unread })}`;
}

/** Such as `3 of 7 files reviewed`: of all that were to be read. */
export function shareReviewed(coverage: Pick<Coverage, 'reviewed' | 'earlier' | 'unreviewed' | 'unread'>): string {
  const count = coverage.reviewed.length + coverage.earlier.length;
  const whole = count + coverage.unreviewed.length + coverage.unread.length;
  return `${count === whole ? plural(whole, 'file') : `${grouped(count)} of ${plural(whole, 'file')}`} reviewed`;
}

/** Such as `No findings · 3 files reviewed · 1 file was not read: logo.png (image).` */
function ofWhatWasRead(placements: readonly Placement[], coverage: Coverage): string {
  const { reviewed, earlier, unread } = coverage;
  if (reviewed.length + earlier.length === 0 && found(placements) === 'No findings') return unreadSentence(unread);
  return `${found(placements)} · ${filesReviewed(coverage)} · ${unreadSentence(unread)}`;
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
  return `${plural(unread.length, 'file')} ${unread.length === 1 ? 'was' : 'were'} not read: ${[...named, ...more].join(', ')}.`;
}

/** Such as `2 new findings: 1 critical, 1 warning · 3 still open`. */
function found(placements: readonly Placement[]): string {
  const { fresh, standing } = openOf(placements);
  if (standing.length === 0) return fresh.length === 0 ? 'No findings' : countFindings(fresh);
  const news = fresh.length === 0 ? 'Nothing new' : countFindings(fresh, 'new finding');
  return `${news} · ${standing.length} still open`;
}

function openOf(placements: readonly Placement[]): { readonly [when in 'fresh' | 'standing']: readonly Finding[] } {
  const open = placements.filter(({ place }) => place !== 'suppressed');
  const those = (standing: boolean) => open.filter(({ place }) => (place === 'standing') === standing);
  return { fresh: those(false).map(({ finding }) => finding), standing: those(true).map(({ finding }) => finding) };
}

/** What counts although no model reviewed this; empty when nothing does. */
function stillOpen(placements: readonly Placement[]): string {
  const { fresh, standing } = openOf(placements);
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

function severityCounts(findings: readonly Finding[]): string {
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
  'unread',
  'cancelled',
  'failed',
] as const;

export function stopWord(stop: RunStop): (typeof stopWords)[number] {
  if (stop.reason !== 'incomplete') return stop.reason;
  if (stop.stop.reason === 'limit') return stop.stop.limit;
  // Every batch was reviewed: it is the diff that could not be read whole.
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
      return 'No model reviewed this (no API key).';
    case 'incomplete':
      return stop.why === '' ? sentenceFor(stop.stop) : stop.why;
    case 'unread':
      return unreadSentence(stop.files);
    case 'cancelled':
      return 'The run was cancelled. Findings up to that point are listed.';
    case 'failed':
      return withHint(stop.message, stop.hint);
  }
}

/** Such as `7 files reviewed`: in this run, or in an earlier one and untouched since. */
function filesReviewed({ reviewed, earlier }: Coverage): string {
  return `${plural(reviewed.length + earlier.length, 'file')} reviewed`;
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
  if (isStrangers) return 'Runs for forks and Dependabot get no secrets: docs/forks.md shows ways to review them.';
  return 'For a review by a model set `api-key`.';
}

/** What an error that ended the run says to a person: what happened, why, and what to do next. */
export function failure(error: unknown): Extract<RunStop, { reason: 'failed' }> {
  const message = reasons(error).join(' ');
  if (error instanceof UserError) return { reason: 'failed', message, hint: error.hint };
  const hint = 'This is a defect of Postil. Run the job again with debug logging and report it with the log.';
  return { reason: 'failed', message, hint };
}

/** Why a pull request is not reviewed at all; null when it is. Those that coding agents opened are reviewed like any other. */
export function reasonToSkip(pullRequest: PullRequest, settings: Settings): string | null {
  if (pullRequest.state !== 'open') return `The pull request is ${pullRequest.state}.`;
  if (pullRequest.draft && !settings.reviewDrafts) {
    return 'The pull request is a draft. It is reviewed when it is ready, or with `review-drafts: true`.';
  }
  if (isSkippedAuthor(pullRequest, settings) && whyNotTheirs(pullRequest) === null) {
    return `Pull requests of ${pullRequest.author} are not reviewed (\`skip-authors\`).`;
  }
  return null;
}

/** Why a pull request is reviewed although its author is in `skip-authors`: one sentence, or none. */
export function strangersNote(pullRequest: PullRequest, settings: Settings): readonly string[] {
  const why = isSkippedAuthor(pullRequest, settings) ? whyNotTheirs(pullRequest) : null;
  return why === null ? [] : [`Reviewed although \`skip-authors\` names ${pullRequest.author}: ${why}`];
}

function isSkippedAuthor({ author }: PullRequest, { skipAuthors }: Settings): boolean {
  return skipAuthors.some((name) => isSameLogin(name, author));
}

/** As many as GitHub lists of a pull request. */
const commitsListed = 250;

/** Whoever may push to the branch can add a commit to it, so each of them has to be the author's own. Null when all are. */
function whyNotTheirs({ author, commits, commitCount }: PullRequest): string | null {
  const all = commitCount === undefined ? commits.length < commitsListed : commitCount === commits.length;
  if (commits.length === 0 || !all) return 'not all of its commits could be read.';
  const foreign = commits.find(({ identity }) => !isTheirs(identity, author));
  return foreign === undefined ? null : `commit ${foreign.sha.slice(0, 12)} is not known to be theirs.`;
}

/** Anybody can write a bot's address into a commit: GitHub signs what its bots commit, as \`web-flow\` or as the bot itself. */
function isTheirs(identity: CommitMessage['identity'], author: string): boolean {
  if (identity === undefined || !isSameLogin(identity.author, author)) return false;
  const { committer, verified } = identity;
  if (!isSameLogin(committer, author) && !isSameLogin(committer, 'web-flow')) return false;
  return verified !== false || !author.endsWith('[bot]');
}

function isSameLogin(one: string | null, other: string): boolean {
  return one !== null && one.toLowerCase() === other.toLowerCase();
}

/** Runs of one reviewer over one pull request: agents that push in a circle end, and with them what they cost. */
const reviewsAtMost = 50;

/** Why no model looks at a pull request that was reviewed so often; null when one does. */
export function reasonToRest({ reviews }: Memory): string | null {
  if (reviews < reviewsAtMost) return null;
  return `Only the pattern rules reviewed this change: the pull request has had ${reviews} reviews, and the maximum is ${reviewsAtMost}. Open another pull request for the rest, run \`postil review\` locally, or set another \`name\`: each name has its own count.`;
}

/** What a diff without anything to review consists of. */
export function nothingToReview(
  { files, nothing = 'No file is changed.' }: Changes,
  { skipped }: { skipped: readonly { readonly reason: string }[] },
): string {
  const changed = files.length;
  if (changed === 0) return nothing;
  const reasons = [...new Set(skipped.map((file) => file.reason))];
  const shown = reasons.slice(0, 4).join('; ');
  const noun = changed === 1 ? 'The one changed file was' : `All ${changed} changed files were`;
  return `${noun} left out: ${shown}${reasons.length > 4 ? '; …' : ''}.`;
}
