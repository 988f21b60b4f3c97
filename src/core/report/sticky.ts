import { type Placement, places } from '../findings/finding.ts';
import { type FindingMark, type OpenMark, type StickyMark, writeMark } from '../memory/mark.ts';
import { markOf, openMark } from '../memory/memory.ts';
import { noKeys } from '../memory/signed-marks.ts';
import type { LedgerEntry, Review } from '../review/review.ts';
import type { Delivery, ReviewRecord } from '../review/sink.ts';
import { plural } from '../text.ts';
import { type Links, linkedPlace } from './links.ts';
import { untrustedLine, untrustedName } from './sanitise.ts';
import { characters, cutMarkdown, details, linked, table } from './text.ts';
import { renderUnreviewed, usageText } from './usage.ts';
import { placeOf, type RenderContext, scopeText, severityLabels } from './wording.ts';

/** What GitHub takes, in characters. */
const commentCharacters = 65_536;

/**
 * The one summary comment of a pull request, updated by every run; null when this run looked at nothing. Its mark is signed for one `comment`, so a copy
 * of it in another one says nothing; null while it has no number yet.
 */
export function renderSticky(
  record: ReviewRecord,
  context: RenderContext & { readonly comment: number | null },
): string | null {
  const { review, ledger } = record;
  const mark = stickyMarkOf(record, context);
  const looked = review.outcome !== 'skipped' && review.outcome !== 'failed' && review.stop.reason !== 'cancelled';
  if (mark === null || !looked) return null;
  const links = { context, pullRequest: review.pullRequest };
  const parts = [
    `### ${untrustedLine(mark.name, context)} · ${untrustedLine(review.headline, context, 2_000)}`,
    renderUnreviewed(review.coverage, context),
    findings(ledger, links),
    suppressed(ledger, context),
    outdated(review),
    unkept(heldByComments(review, ledger).length - (mark.open?.length ?? 0)),
    undelivered(record.deliveries, context),
    footer(review, context),
  ];
  const { keys = noKeys, comment } = context;
  const sign = (content: string) => (comment === null ? null : keys.sign(content, { in: 'summary', comment }));
  const marker = `\n\n${writeMark(mark, sign)}`;
  const text = parts.filter((part) => part !== '').join('\n\n');
  const pointer = 'The rest did not fit here and is in the job summary.';
  return `${cutMarkdown(text, { max: commentCharacters - marker.length, measure: characters, pointer })}${marker}`;
}

const rowsAtMost = 50;

function findings(ledger: readonly LedgerEntry[], links: Links): string {
  const open = ledger.filter(({ place }) => place !== 'suppressed');
  if (open.length === 0) return '';
  const rows = open
    .slice(0, rowsAtMost)
    .map(({ finding, place, url }) => [
      severityLabels[finding.severity],
      `${linkedTitle(untrustedLine(finding.title, links.context), url)}${place === 'standing' ? '' : ' · new'}`,
      linkedPlace(finding, links),
    ]);
  const rest = open.length - rows.length;
  const more = rest > 0 ? [`and ${plural(rest, 'more finding')} in the job summary`] : [];
  return [table(['', 'Finding', 'Where'], rows), ...more].join('\n\n');
}

// A bracket of the model's could end the link early and begin one of its own.
function linkedTitle(title: string, url: string | null): string {
  if (url === null) return title;
  return /[[\]]|\\$/.test(title) ? `${title} (${linked('comment', url)})` : linked(title, url);
}

function suppressed(ledger: readonly LedgerEntry[], context: RenderContext): string {
  const entries = ledger.filter(({ place, by }) => place === 'suppressed' && by === undefined);
  if (entries.length === 0) return '';
  const rows = entries
    .slice(0, rowsAtMost)
    .map(({ finding, reason }) => [
      untrustedLine(finding.title, context),
      untrustedName(placeOf(finding), context),
      untrustedLine(reason ?? '', context),
    ]);
  const title = `${plural(entries.length, 'finding')} not raised again: the team declined ${entries.length === 1 ? 'it' : 'them'}`;
  return details(title, table(['Finding', 'Where', 'By whom'], rows));
}

function outdated({ gone }: Review): string {
  return gone.length === 0 ? '' : `Resolved by a change: ${plural(gone.length, 'earlier finding')}.`;
}

function unkept(count: number): string {
  if (count <= 0) return '';
  return `This comment has no room for ${plural(count, 'open finding')}: if their own comments are deleted, Postil forgets them.`;
}

/** What people would otherwise look for in vain. */
function undelivered(deliveries: readonly Delivery[], context: RenderContext): string {
  return deliveries
    .filter(({ status, reason }) => (status === 'refused' || status === 'failed') && reason !== null)
    .map(({ sink, reason }) => `> ${sink}: ${untrustedLine(reason ?? '', context, 500)}`)
    .join('\n>\n');
}

function footer(review: Review, context: RenderContext): string {
  const { limits, pullRequest } = review;
  const commit = pullRequest === null ? '' : `Commit ${untrustedName(pullRequest.head.sha.slice(0, 12), context)}.`;
  const setting = [limits.model ?? '', limits.profile]
    .filter((part) => part !== '')
    .map((part) => untrustedName(part, context));
  const lines = [
    [commit, scopeText(review)].filter((part) => part !== '').join(' '),
    [usageText(review), ...setting].join(' · '),
  ];
  return lines.map((line) => `<sub>${line}</sub>`).join('\\\n');
}

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

/** Findings that no comment of ours holds: below the limits, shown as annotations only, or carried on from the comment before. */
function isHeldNowhere(placements: Planned, { finding, place }: LedgerEntry): boolean {
  if (place === 'summary' || place === 'annotation') return true;
  const placement = placements.get(finding.id);
  return placement?.place === 'standing' && placement.held === 'sticky';
}

/** Open findings that a comment of ours holds: should somebody delete it, the summary comment still knows them. */
function heldByComments({ placements }: Review, ledger: readonly LedgerEntry[]): readonly LedgerEntry[] {
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
