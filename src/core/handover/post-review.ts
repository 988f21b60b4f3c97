import { UserError } from '../errors.ts';
import { checkPlaces } from '../findings/citations.ts';
import { type EarlierAnswer, groundEarlier, oneForEach, type RecheckItem } from '../findings/earlier.ts';
import type { Finding, LinesAnchor } from '../findings/finding.ts';
import type { GroundSources } from '../findings/sources.ts';
import { pathOnSide } from '../findings/subject.ts';
import { cleanSuggestion } from '../findings/suggestion.ts';
import { parsePlace } from '../findings/words.ts';
import { nothingHolds } from '../history/scope.ts';
import { distinctMessages, type Message } from '../messages/message.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { checkPath } from '../repository/path.ts';
import type { ShownLine } from '../repository/shown.ts';
import type { BatchReview, ReviewDraft, ReviewedDraft, StoppedDraft } from '../review/draft.ts';
import { reasonToSkip } from '../review/left-out.ts';
import type { Coverage } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { concludeReview, type ReviewParts, remember } from '../review-pull-request.ts';
import { questions, ruleAnswers } from '../reviewing/earlier.ts';
import { followChange, prepareChange } from '../reviewing/prepare-change.ts';
import { standingFor } from '../reviewing/standing.ts';
import { brokenFiles } from '../rules/broken-files.ts';
import { type CommentFor, ignoreComments, obeyComments, obeyedComments } from '../rules/obey-comments.ts';
import type { Settings } from '../settings/settings.ts';
import { type ReviewFile, reviewFileLimits } from './review-file.ts';

/**
 * The recipe of the job that posts: what the other job wrote is held against the commits, compared with earlier runs, and delivered. No model
 * is asked, and what the file says decides nothing but words.
 *
 * @throws UserError when the file is of another pull request.
 */
export async function postReview(parts: ReviewParts, file: ReviewFile): Promise<ReviewRecord> {
  const {
    pullRequest,
    settings,
    code: { repository },
  } = parts;
  const change = await prepareChange(parts, { globs: [], rulesOnly: false });
  const { files, missing } = change.changes;
  const { rules, readHead, redaction, sources } = change;
  const draft = await checkReviewFile(file, {
    repository: pullRequest.repository ?? '',
    number: pullRequest.number ?? 0,
    head: pullRequest.head.sha,
    mergeBase: pullRequest.mergeBase,
    sources,
    commentFor: obeyedComments(await ignoreComments(files, readHead)),
  });
  const skip = reasonToSkip(pullRequest, settings, parts.trigger);
  const { reviewEvent, note } = eventFor(parts);
  const notes = [...parts.trigger.notes, ...pullRequest.missing, ...missing, ...otherName(parts, file), ...note];
  const remembered = await remember(parts);
  const memory = followChange(remembered, files);
  const noted = withNotes(skip === null ? draft : skipped(draft, skip), notes);
  const { hide } = redaction;
  const broken = await brokenFiles({ repository, files, config: settings.config, nextId: () => '', hide });
  const ruled = await ruleAnswers(memory.prior, { rules, files, broken, readHead, hide });
  const claimed = await checkEarlier(file.earlier, { asked: questions(memory.prior, rules), sources });
  const earlier = oneForEach([...ruled, ...claimed]);
  const basis = noted.kind === 'reviewed' && file.isSigned ? noted.basis : null;
  const standing = basis === null ? nothingHolds('first review') : await standingFor(parts, { change, memory, basis });
  return await concludeReview(
    { ...parts, settings: { ...settings, reviewEvent } },
    { draft: noted.kind === 'reviewed' ? { ...noted, earlier, basis } : noted, memory, files, sources, standing },
  );
}

/** What a file claims of earlier findings is held to what a model's answer is: their code changed, and the proof is code at head. */
export async function checkEarlier(
  claims: ReviewFile['earlier'],
  { asked, sources }: { asked: readonly RecheckItem[]; sources: GroundSources },
): Promise<readonly EarlierAnswer[]> {
  const answers: EarlierAnswer[] = [];
  for (const claim of claims) {
    const one = asked.find(({ id }) => id === claim.id);
    if (one !== undefined) answers.push(await groundEarlier(claim, { asked: one, sources }));
  }
  return answers;
}

type Allowed = { readonly reviewEvent: Settings['reviewEvent']; readonly note: readonly Message[] };

/** The file was written beside a stranger's code: for a fork it never approves. */
function eventFor({ settings: { reviewEvent }, pullRequest }: ReviewParts): Allowed {
  if (reviewEvent !== 'approve' || !pullRequest.fromFork) return { reviewEvent, note: [] };
  const note: Message = { code: 'note.fork-never-approved' };
  return { reviewEvent: 'request-changes', note: [note] };
}

/** By another name the reviewing job does not find what this one posts. */
function otherName({ identity }: ReviewParts, { identity: writer }: ReviewFile): readonly Message[] {
  if (identity === null || identity.name === writer.name) return [];
  return [{ code: 'note.other-name', made: writer.name, posted: identity.name }];
}

function skipped(
  { milliseconds, limits, notes }: ReviewDraft,
  because: { why: Message; byAuthor?: true },
): StoppedDraft {
  return { kind: 'stopped', stop: { reason: 'skipped', ...because }, skipped: [], milliseconds, limits, notes };
}

function withNotes(draft: ReviewDraft, notes: readonly Message[]): ReviewDraft {
  return { ...draft, notes: distinctMessages([...draft.notes, ...notes]) };
}

/** The pull request that this run is about, as it is now. */
export type Posting = {
  readonly repository: string;
  readonly number: number;
  readonly head: string;
  readonly mergeBase: string;
  /** The source as it was shown; `files` is the whole diff. */
  readonly sources: GroundSources;
  /** The comments of the code itself: what only the file says is ignored counts. */
  readonly commentFor: CommentFor;
};

/**
 * Takes a review file for what it is, a claim: it must be of this pull request and of its present commits, and of its findings only those keep
 * their place that the source supports: the others are unplaced.
 *
 * @returns what may be posted: `stopped` when the file is of an older head
 * @throws UserError when it is of another repository or pull request.
 */
export async function checkReviewFile(file: ReviewFile, posting: Posting): Promise<ReviewDraft> {
  if (file.repository !== posting.repository || file.number !== posting.number) throw foreign(file, posting);
  const superseded = whySuperseded(file, posting);
  if (superseded !== null) return skipped({ ...file.draft, notes: [] }, { why: superseded });
  return file.draft.kind === 'stopped' ? file.draft : await checkDraft(file.draft, posting);
}

function foreign(file: ReviewFile, posting: Posting): UserError {
  return new UserError(
    `The review file is for ${file.repository}#${file.number}, but this run is for ${posting.repository}#${posting.number}.`,
    { hint: 'Let the job that posts download what the review job of the same workflow run has uploaded.' },
  );
}

type ReviewedCommits = { readonly head: string; readonly mergeBase: string };

/** Why what another job wrote is not about the present commits; null when it is. */
export function whySuperseded(file: ReviewedCommits, posting: ReviewedCommits): Message | null {
  const moved = (from: string, to: string) => ({ commit: from.slice(0, 12), now: to.slice(0, 12) });
  if (file.head !== posting.head) return { code: 'skip.outdated-head', ...moved(file.head, posting.head) };
  if (file.mergeBase === posting.mergeBase) return null;
  return { code: 'skip.outdated-base', ...moved(file.mergeBase, posting.mergeBase) };
}

async function checkDraft(draft: ReviewedDraft, { sources, commentFor }: Posting): Promise<ReviewDraft> {
  const rules = await checkFindings(draft.ruleFindings, sources);
  // What only the file says is ignored is raised.
  const toIgnore = draft.ignored.map(({ suppressed: _, ...finding }) => finding);
  const said = await checkFindings(toIgnore, sources);
  const { raised, ignored } = obeyComments(said.held, commentFor);
  const lost = [...rules.lost, ...said.lost];
  const ruleFindings = [...rules.held, ...raised, ...lost];
  const batches: BatchReview[] = [];
  for (const batch of draft.batches) {
    const checked = await checkFindings(batch.findings, sources);
    lost.push(...checked.lost);
    batches.push({ ...batch, findings: [...checked.held, ...checked.lost] });
  }
  return { ...draft, batches, ruleFindings, ignored, coverage: withoutLost(draft.coverage, lost) };
}

type Checked = {
  readonly held: readonly Finding[];
  /** What the source does not support, without its place. */
  readonly lost: readonly Finding[];
};

async function checkFindings(findings: readonly Finding[], sources: GroundSources): Promise<Checked> {
  const held: Finding[] = [];
  const lost: Finding[] = [];
  for (const finding of findings) {
    const checked = await recheckFinding(finding, sources);
    if (checked.ok) held.push({ ...checked.finding, alsoAt: await placesOf(finding, sources) });
    else {
      const { anchor } = finding;
      const unplaced = { reason: checked.reason, quote: anchor.kind === 'lines' ? anchor.quote : null };
      lost.push({ ...finding, anchor: { kind: 'file' }, suggestion: null, unplaced });
    }
  }
  return { held, lost };
}

/** Other places get annotations: those that can be looked up must be there, in the diff.  */
async function placesOf({ alsoAt }: Finding, sources: GroundSources): Promise<readonly string[]> {
  const isChanged = (path: string) => sources.files.some((file) => file.path === path);
  const places = alsoAt.filter((place) => isChanged(parsePlace(place)?.path ?? ''));
  const there = new Set(await checkPlaces(places, sources));
  return alsoAt.filter((place) => there.has(place));
}

/** A review that lost findings on the way is not complete, and the next run looks at their files again. */
function withoutLost(coverage: Coverage, lost: readonly Finding[]): Coverage {
  if (lost.length === 0) return coverage;
  const paths = new Set(lost.map(({ path }) => path));
  const again = coverage.reviewed.filter((path) => paths.has(path));
  const reason: Message = { code: 'file.finding-outdated' };
  const sentence: Message = { code: 'note.entries-unplaced', count: lost.length };
  return {
    ...coverage,
    reviewed: coverage.reviewed.filter((path) => !paths.has(path)),
    unreviewed: [...coverage.unreviewed, ...again.map((path) => ({ path, reason }))],
    missing: [...coverage.missing, sentence],
  };
}

type Rechecked = { readonly ok: true; readonly finding: Finding } | { readonly ok: false; readonly reason: Message };

/** Holds a finding of a review file against the source: at its lines must stand exactly what it quotes. Moves nothing. */
export async function recheckFinding(finding: Finding, sources: GroundSources): Promise<Rechecked> {
  const { path, anchor } = finding;
  const checked = checkPath(path);
  if (!checked.ok || path === '' || checked.path !== path) return refuse({ code: 'unplaced.no-path' });
  const file = sources.files.find((one) => one.path === path) ?? null;
  if (finding.unplaced !== undefined) return { ok: true, finding: { ...finding, suggestion: null } };
  if (anchor.kind === 'lines') return await recheckLines(finding, { anchor, file, sources });
  if (file === null) return refuse({ code: 'unplaced.file-not-in-diff' });
  return { ok: true, finding: { ...finding, suggestion: null } };
}

async function recheckLines(
  finding: Finding,
  { anchor, file, sources }: { anchor: LinesAnchor; file: ChangedFile | null; sources: GroundSources },
): Promise<Rechecked> {
  const { side, startLine, endLine } = anchor;
  if (side === 'LEFT' && file === null) return refuse({ code: 'unplaced.nothing-removed' });
  const lines = await sources.read(file === null ? finding.path : pathOnSide(file, side), side);
  if (lines === null) {
    const isNow = side === 'RIGHT';
    return refuse(isNow ? { code: 'unplaced.no-file-head' } : { code: 'unplaced.no-file-before' });
  }
  if (startLine > endLine || endLine > lines.length) return refuse({ code: 'unplaced.no-such-lines' });
  const own = lines.slice(startLine - 1, endLine);
  const quote = own.map(({ text }) => text).join('\n');
  if (quote.slice(0, reviewFileLimits.text) !== anchor.quote) return refuse({ code: 'unplaced.quote-not-there' });
  const suggestion = side === 'RIGHT' ? applicable(finding.suggestion, own) : null;
  return { ok: true, finding: { ...finding, anchor: { ...anchor, quote }, suggestion } };
}

/** The first job has cleaned it; whatever would not come through cleaning at all was never cleaned. */
function applicable(suggestion: string | null, replaced: readonly ShownLine[]): string | null {
  if (suggestion === null || replaced.some(({ redacted }) => redacted)) return null;
  const file = replaced.map(({ text }) => text);
  const reading = { lines: file, line: null, columns: { gutter: null, signs: false } };
  return cleanSuggestion(suggestion, { file, reading }) === null ? null : suggestion;
}

function refuse(reason: Message): Rechecked {
  return { ok: false, reason };
}
