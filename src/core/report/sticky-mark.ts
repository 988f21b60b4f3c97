import { type Placement, places } from '../findings/placement.ts';
import { markOf, openMark } from '../memory/finding-mark.ts';
import type { FindingMark, OpenMark, StickyMark } from '../memory/mark.ts';
import type { LedgerEntry, Review } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import type { RenderContext } from './render-context.ts';

/** Characters of JSON, about, for each list: the comment has 65,536 in all. */
const listCharacters = 12_000;
const othersAtMost = 100;

/** Where the next run goes on; null when this one looked at nothing. */
export function stickyMarkOf({ review, ledger }: ReviewRecord, { redact }: RenderContext): StickyMark | null {
  const { identity, pullRequest, coverage } = review;
  if (identity === null || pullRequest === null) return null;
  const planned = new Map(review.placements.map((placement) => [placement.finding.id, placement]));
  const undelivered = new Set(ledger.filter((entry) => wasMeantForPeople(planned, entry)));
  const at = { identity, commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase, redact };
  const others = ledger.filter((entry) => isHeldNowhere(planned, entry) && !undelivered.has(entry));
  const { kept, left } = fitting(others.map(({ finding }) => markOf(finding, at)));
  // What could be code is looked at again; an image that nobody reads needs no second look.
  const unread = coverage.unread.filter(({ code }) => code);
  const again = [...[...coverage.unreviewed, ...unread].map(({ path }) => path), ...paths([...undelivered]), ...left];
  const unreviewed = [...new Set(again)];
  // A list that does not fit cannot be gone on from: the next review is a full one.
  const head = JSON.stringify(unreviewed).length > listCharacters ? noCommit : pullRequest.head.sha;
  const open = openMarks(
    heldByComments(review, ledger).map(({ finding, url }) => openMark(markOf(finding, at), url)),
    3 * listCharacters - JSON.stringify(kept).length,
  );
  return {
    kind: 'sticky',
    name: identity.name,
    run: identity.run,
    head,
    mergeBase: pullRequest.mergeBase,
    base: pullRequest.base.ref,
    settings: identity.settings,
    unreviewed: head === noCommit ? [] : unreviewed,
    others: kept,
    ...(open.length === 0 ? {} : { open }),
    // A run of the rules alone, after the most that a pull request gets, is none.
    reviews: review.earlierReviews + (review.stop.reason === 'skipped' ? 0 : 1),
  };
}

const noCommit = '0'.repeat(40);

/** By the id of their finding. */
type Planned = ReadonlyMap<string, Placement>;

/** Findings that were to be posted and could not be: their files are reviewed again. */
function wasMeantForPeople(placements: Planned, { finding, place }: LedgerEntry): boolean {
  const planned = placements.get(finding.id)?.place;
  const isPlanned = planned === 'inline' || planned === 'file' || planned === 'body';
  return isPlanned && place !== 'standing' && place !== 'suppressed' && places.indexOf(place) > places.indexOf('body');
}

/** Findings that no comment of ours holds: below the limits, told as annotations only, or carried on from the comment before. */
function isHeldNowhere(placements: Planned, { finding, place }: LedgerEntry): boolean {
  if (place === 'summary' || place === 'annotation') return true;
  const placement = placements.get(finding.id);
  return placement?.place === 'standing' && placement.held === 'sticky';
}

/** Open findings that a comment of ours holds: should somebody delete it, the summary comment still knows them. */
export function heldByComments({ placements }: Review, ledger: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const plans = new Map(placements.map((placement) => [placement.finding.id, placement]));
  return ledger.filter(({ finding, place }) => {
    if (place === 'inline' || place === 'file' || place === 'body') return true;
    const planned = plans.get(finding.id);
    return planned?.place === 'standing' && planned.held !== 'sticky';
  });
}

/** As many as fit, most important first. */
function openMarks(marks: readonly OpenMark[], room: number): readonly OpenMark[] {
  let left = room;
  return marks.slice(0, othersAtMost).filter((mark) => {
    left -= JSON.stringify(mark).length;
    return left >= 0;
  });
}

function paths(entries: readonly LedgerEntry[]): readonly string[] {
  return entries.map(({ finding }) => finding.path);
}

/** As many marks as there is room for, and the paths of the others. */
function fitting(marks: readonly FindingMark[]): {
  readonly kept: readonly FindingMark[];
  readonly left: readonly string[];
} {
  const kept: FindingMark[] = [];
  let room = listCharacters * 2;
  for (const mark of marks) {
    room -= JSON.stringify(mark).length;
    if (room < 0 || kept.length === othersAtMost) break;
    kept.push(mark);
  }
  return { kept, left: marks.slice(kept.length).map(({ path }) => path) };
}
