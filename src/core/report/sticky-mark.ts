import { firstFitting } from '../bounded.ts';
import { type Finding, type PlacedFinding, places } from '../findings/finding.ts';
import type { WalkthroughLine } from '../findings/walkthrough.ts';
import { type FindingMark, type HeldFindingMark, type StickyMark, writtenJson } from '../history/mark.ts';
import { heldMark, markOf, type PriorFinding } from '../history/memory.ts';
import { idOf } from '../history/prior-marks.ts';
import { contentOf, withoutFiles } from '../history/receipts.ts';
import { type MarkKeys, noKeys } from '../history/signed-marks.ts';
import type { Review } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { groups, type RenderContext } from './wording.ts';

/** Characters of JSON, about, for each list: the comment has 65,536 in all. */
const listCharacters = 12_000;
const othersAtMost = 100;

/** Where the next run goes on; null when this one looked at nothing. */
export function stickyMarkOf(
  record: ReviewRecord,
  { redact, keys = noKeys }: Pick<RenderContext, 'redact' | 'keys'>,
): StickyMark | null {
  const { review } = record;
  const { identity, pullRequest, coverage } = review;
  const run = runOf(review, redact);
  if (identity === null || pullRequest === null || run === null) return null;
  const { others, inComments, undelivered } = heldBy(record);
  const marks = others.map((finding) => markNow(finding, { review, run }));
  const kept = firstFitting(marks.slice(0, othersAtMost), 2 * listCharacters, sizeOf);
  // What could be code is looked at again; an image that nobody reads needs no second look.
  const unread = coverage.unread.filter(({ code }) => code);
  const files = [...coverage.unreviewed, ...unread, ...undelivered, ...marks.slice(kept.length)];
  const unreviewed = [...new Set([...review.unproven, ...files.map(({ path }) => path)])];
  // A list that does not fit cannot be gone on from: the next review is a full one.
  const isTooLong = sizeOf(unreviewed) > listCharacters;
  const head = isTooLong ? noCommit : pullRequest.head.sha;
  // As many as fit, most important first.
  const openOnes = inComments
    .slice(0, othersAtMost)
    .map((finding) => heldMark(markNow(finding, { review, run }), undelivered.has(finding) ? null : finding.url));
  const open = firstFitting(openOnes, 2.5 * listCharacters - sizeOf(kept), sizeOf);
  // An end that does not fit is forgotten: what was declined is raised again, and what comes back is new.
  const ended = firstFitting(review.lives.flatMap(endedMark).slice(0, othersAtMost), listCharacters, sizeOf);
  // Findings come first: what a line of the walkthrough says can be read in its files.
  const readings = isTooLong ? null : withoutFiles(review.readings ?? null, unreviewed.map(sealOfPath(keys)));
  const lists = [unreviewed, readings ?? [], kept, open, ended];
  const left = 4 * listCharacters - lists.reduce((sum, list) => sum + sizeOf(list), 0);
  const walkthrough = firstFitting(review.walkthrough.map(shortened(redact)), Math.min(listCharacters, left), sizeOf);
  return {
    kind: 'sticky',
    name: identity.name,
    run: identity.run,
    head,
    mergeBase: pullRequest.mergeBase,
    base: pullRequest.base.ref,
    settings: identity.settings,
    unreviewed: isTooLong ? [] : unreviewed,
    ...(readings === null || sizeOf(readings) > listCharacters ? {} : { readings }),
    others: kept,
    ...(open.length === 0 ? {} : { open }),
    ended,
    ...(walkthrough.length === 0 ? {} : { walkthrough }),
    // A run of the rules alone, after the most that a pull request gets, is none.
    reviews: review.earlierReviews + (review.stop.reason === 'skipped' ? 0 : 1),
  };
}

function sealOfPath({ seal }: MarkKeys): (path: string) => string {
  return (path) => seal(contentOf.path(path)) ?? '';
}

const noCommit = '0'.repeat(40);

/** What is not open any more, as it was when it was: its code may come back. */
function endedMark({ id, mark, life, change, held, url }: PriorFinding): readonly HeldFindingMark[] {
  if (life === 'open' || life === 'changed' || life === 'returned') return [];
  const isIntact = change.kind === 'changed' && change.isIntact;
  const known = { ...heldMark({ ...mark, id, life }, url), ...(isIntact ? { isIntact } : {}) };
  return [held.in === 'thread' ? { ...known, comment: held.comment.restId } : known];
}

const lineCharacters = 300;

function shortened(redact: (text: string) => string): (line: WalkthroughLine) => WalkthroughLine {
  const short = (text: string) => redact(text).slice(0, lineCharacters);
  return ({ paths, changes, checked }) => ({ paths, changes: short(changes), checked: short(checked) });
}

type RunMark = Parameters<typeof markOf>[1];

function runOf({ identity, pullRequest }: Review, redact: RunMark['redact']): RunMark | null {
  if (identity === null || pullRequest === null) return null;
  return { identity, commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase, redact };
}

/** What the summary comment keeps of a finding. Until somebody has looked again, what is known is where it was. */
function markNow(finding: Finding, { review, run }: { review: Review; run: RunMark }): FindingMark {
  const prior = priorOf(review, finding);
  if (prior === undefined) return markOf(finding, run);
  const seen = prior.seen === true && !prior.declined ? markSeen(finding, { prior, run }) : null;
  const mark = seen ?? { ...prior.mark, severity: finding.severity, id: prior.id };
  return prior.life === 'open' ? mark : { ...mark, life: prior.life };
}

/** Null for one that was found still there, and nobody said on which lines: whoever reviews it next is asked again. */
function markSeen(finding: Finding, { prior, run }: { prior: PriorFinding; run: RunMark }): FindingMark | null {
  const mark = markOf(finding, run);
  const { lines } = prior.mark;
  if (lines === null || (finding.anchor.kind === 'lines' && finding.anchor.quote !== '')) return mark;
  const isIntact = prior.change.kind === 'same' || (prior.change.kind === 'changed' && prior.change.isIntact);
  return mark.lines !== null && isIntact ? { ...mark, lines: { ...mark.lines, digests: lines.digests } } : null;
}

/** The signed finding of an earlier run that one of this run is. */
function priorOf({ lives }: Review, { earlierId }: Finding): PriorFinding | undefined {
  return earlierId === undefined ? undefined : lives.find(({ id }) => id === earlierId);
}

/**
 * By the id of a finding of this run, the one by which people decline it: of those without a thread of their own that the next run will know. None
 * without a key: then nobody can decline.
 */
export function idsShown(record: ReviewRecord, { redact }: Pick<RenderContext, 'redact'>): ReadonlyMap<string, string> {
  const { review, placed } = record;
  const run = runOf(review, redact);
  if (run === null || review.signs !== true) return new Map();
  const declined = groups(placed).declined.filter((finding) => priorOf(review, finding)?.held.in === 'sticky');
  const inReview = placed.filter((finding) => isHeldByReview(review, finding));
  const { others, undelivered } = heldBy(record);
  return new Map(
    [...others, ...undelivered, ...declined, ...inReview].map((finding) => {
      return [finding.id, idOf(markNow(finding, { review, run }), { signed: true })];
    }),
  );
}

/**
 * Every open finding: those that the summary comment alone holds, and those that comments of their own hold, or should: without one they are
 * said again, once.
 */
export function heldBy({ review, placed }: Pick<ReviewRecord, 'review' | 'placed'>) {
  const planned = new Map(review.findings.map((finding) => [finding.id, finding]));
  const undelivered = new Set(placed.filter((finding) => wasMeantForPeople(planned, finding)));
  const others = placed.filter((finding) => isHeldNowhere(planned, finding) && !undelivered.has(finding));
  const inComments = placed.filter((finding) => undelivered.has(finding) || isInComment(planned, finding));
  return { others, inComments, undelivered };
}

function isHeldByReview(review: Review, finding: PlacedFinding): boolean {
  if (finding.place === 'body') return true;
  const isEarlier = finding.place === 'standing' || finding.suppressed?.by === 'people';
  return isEarlier && priorOf(review, finding)?.held.in === 'review';
}

/** By the id of their finding. */
type Planned = ReadonlyMap<string, PlacedFinding>;

/** Findings that were to be posted and could not be: their files are reviewed again. */
function wasMeantForPeople(plans: Planned, { id, place }: PlacedFinding): boolean {
  const planned = plans.get(id)?.place;
  const isPlanned = planned === 'inline' || planned === 'file' || planned === 'body';
  return isPlanned && place !== 'standing' && place !== 'suppressed' && places.indexOf(place) > places.indexOf('body');
}

/** Findings that no comment of ours holds: below the limits, shown as annotations only, or carried on from the comment before. */
function isHeldNowhere(plans: Planned, { id, place }: PlacedFinding): boolean {
  if (place === 'summary' || place === 'annotation') return true;
  const planned = plans.get(id);
  return planned?.place === 'standing' && planned.held === 'sticky';
}

function isInComment(plans: Planned, { id, place }: PlacedFinding): boolean {
  if (place === 'inline' || place === 'file' || place === 'body') return true;
  const planned = plans.get(id);
  return planned?.place === 'standing' && planned.held !== 'sticky';
}

function sizeOf(marks: object): number {
  return writtenJson(marks).length;
}
