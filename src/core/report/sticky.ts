import { firstFitting } from '../bounded.ts';
import { type Placement, places } from '../findings/finding.ts';
import { type StickyMark, writeMark } from '../memory/mark.ts';
import { markOf, openMark } from '../memory/memory.ts';
import { noKeys } from '../memory/signed-marks.ts';
import { countFindings, shareReviewed, whyOf } from '../review/headline.ts';
import type { PlacedFinding, Review } from '../review/review.ts';
import type { Delivery, ReviewRecord } from '../review/sink.ts';
import { firstSentences, plural } from '../text.ts';
import {
  findingsTable,
  foldedWalkthrough,
  groups,
  hasHistory,
  renderFixPrompt,
  renderWalkthrough,
} from './findings-table.ts';
import { reportHtmlRecorder } from './json.ts';
import { untrustedBlock, untrustedLine } from './sanitise.ts';
import { characters, cutMarkdown } from './text.ts';
import { renderReviewed, renderUnreviewed, shortUsage } from './usage.ts';
import type { RenderContext } from './wording.ts';

/** What GitHub takes, in characters. */
const commentCharacters = 65_536;

/** Of each kind. */
const filesInFold = 50;

/** Of the prompt, at most: what else is in the comment comes first. */
const promptCharacters = 20_000;

type StickyContext = RenderContext & {
  /** The number of the comment; null while it has none yet. */
  readonly comment: number | null;
  /** How the workflow names this reviewer, which tells it from others; null where it does not. */
  readonly reviewer?: string | null;
};

/**
 * The one summary comment of a pull request, updated by every run; null when this run looked at nothing. Its mark is signed for one `comment`, so a copy
 * of it in another one says nothing; null while it has no number yet.
 */
export function renderSticky(record: ReviewRecord, context: StickyContext): string | null {
  const { review, placed } = record;
  const mark = stickyMarkOf(record, context);
  const looked = review.outcome !== 'skipped' && review.outcome !== 'failed' && review.stop.reason !== 'cancelled';
  if (mark === null || !looked) return null;
  const above = [
    `### ${['Postil', ...nameOf(context), stateOf(record)].join(' · ')}`,
    verdict(review, context),
    untrustedLine(whyPartial(review), context, 2_000),
    renderUnreviewed(review.coverage, context),
    findingsTable(record, { context }),
    unkept(heldByComments(review, placed).length - (mark.open?.length ?? 0)),
    undelivered(record.deliveries, context),
    walkthrough(review, context),
    renderReviewed(review, context, filesInFold),
  ].filter((part) => part !== '');
  const report = record.deliveries.some(({ sink, status }) => sink === reportHtmlRecorder && status === 'delivered');
  const last = shortUsage(review, { context, report });
  const { keys = noKeys, comment } = context;
  const sign = (content: string) => (comment === null ? null : keys.sign(content, { in: 'summary', comment }));
  const marker = `\n\n${writeMark(mark, sign)}`;
  const room = commentCharacters - marker.length;
  const spare = room - [...above, last].join('\n\n').length;
  const prompt = renderFixPrompt(placed, { context, max: Math.min(promptCharacters, spare) });
  const text = [...above, ...(prompt === '' ? [] : [prompt]), last].join('\n\n');
  const pointer = 'The rest did not fit here and is in the job summary.';
  return `${cutMarkdown(text, { max: room, measure: characters, pointer })}${marker}`;
}

function nameOf(context: StickyContext): readonly string[] {
  return context.reviewer ? [untrustedLine(context.reviewer, context)] : [];
}

/** Such as `1 new finding, 2 still open, 2 resolved by a change`; at a first review how severe the findings are. */
function stateOf({ review, placed }: ReviewRecord): string {
  const { open, declined } = groups(placed);
  const reviewed = shareReviewed(review.coverage);
  // A lock file or an image that nobody reads is counted, and named below; as in every headline, it does not lead it.
  const partial = review.outcome === 'partial' && review.stop.reason !== 'unread' ? ['Partial review'] : [];
  if (!hasHistory(review, placed)) {
    const found = open.length === 0 ? 'No findings' : countFindings(open.map(({ finding }) => finding));
    return [...partial, found, reviewed].join(' · ');
  }
  const standing = open.filter(({ place }) => place === 'standing').length;
  const fresh = open.length - standing;
  const counts = [
    fresh === 0 ? (standing === 0 ? 'No open findings' : 'Nothing new') : plural(fresh, 'new finding'),
    ...(standing === 0 ? [] : [`${standing} still open`]),
    ...(review.gone.length === 0 ? [] : [`${review.gone.length} resolved by a change`]),
    ...(declined.length === 0 ? [] : [`${declined.length} declined`]),
  ];
  const isSure = open.length > 0 && review.outcome !== 'partial';
  return [...partial, counts.join(', '), ...(isSure ? [] : [reviewed])].join(' · ');
}

const verdictCharacters = 300;

/** One sentence, or the few that fit beside it; a clean review keeps all that the model says of it. */
function verdict({ outcome, rationale }: Review, context: RenderContext): string {
  if (outcome === 'clean') return untrustedBlock(rationale, { context, max: 2_000 });
  return untrustedLine(firstSentences(rationale, verdictCharacters), context, 2 * verdictCharacters);
}

// What was not read is listed below, each with its reason.
function whyPartial({ outcome, stop }: Review): string {
  return outcome === 'partial' && stop.reason !== 'unread' ? whyOf(stop) : '';
}

const shownOpen = 10;

/** What was checked is what a clean review has to say. */
function walkthrough(review: Review, context: RenderContext): string {
  const isOpen = review.outcome === 'clean' && review.walkthrough.length <= shownOpen;
  return isOpen ? renderWalkthrough(review, context) : foldedWalkthrough(review, context);
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

/** Characters of JSON, about, for each list: the comment has 65,536 in all. */
const listCharacters = 12_000;
const othersAtMost = 100;

/** Where the next run goes on; null when this one looked at nothing. */
export function stickyMarkOf({ review, placed }: ReviewRecord, { redact }: RenderContext): StickyMark | null {
  const { identity, pullRequest, coverage } = review;
  if (identity === null || pullRequest === null) return null;
  const planned = new Map(review.placements.map((placement) => [placement.finding.id, placement]));
  const undelivered = new Set(placed.filter((entry) => wasMeantForPeople(planned, entry)));
  const at = { identity, commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase, redact };
  const others = placed.filter((entry) => isHeldNowhere(planned, entry) && !undelivered.has(entry));
  const marks = others.map(({ finding }) => markOf(finding, at));
  const kept = firstFitting(marks.slice(0, othersAtMost), 2 * listCharacters, sizeOf);
  // What could be code is looked at again; an image that nobody reads needs no second look.
  const unread = coverage.unread.filter(({ code }) => code);
  const files = [...coverage.unreviewed, ...unread, ...[...undelivered].map(({ finding }) => finding)];
  const unreviewed = [...new Set([...files, ...marks.slice(kept.length)].map(({ path }) => path))];
  // A list that does not fit cannot be gone on from: the next review is a full one.
  const head = JSON.stringify(unreviewed).length > listCharacters ? noCommit : pullRequest.head.sha;
  // As many as fit, most important first.
  const held = heldByComments(review, placed).slice(0, othersAtMost);
  const openOnes = held.map(({ finding, url }) => openMark(markOf(finding, at), url));
  const open = firstFitting(openOnes, 3 * listCharacters - sizeOf(kept), sizeOf);
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
function wasMeantForPeople(placements: Planned, { finding, place }: PlacedFinding): boolean {
  const planned = placements.get(finding.id)?.place;
  const isPlanned = planned === 'inline' || planned === 'file' || planned === 'body';
  return isPlanned && place !== 'standing' && place !== 'suppressed' && places.indexOf(place) > places.indexOf('body');
}

/** Findings that no comment of ours holds: below the limits, shown as annotations only, or carried on from the comment before. */
function isHeldNowhere(placements: Planned, { finding, place }: PlacedFinding): boolean {
  if (place === 'summary' || place === 'annotation') return true;
  const placement = placements.get(finding.id);
  return placement?.place === 'standing' && placement.held === 'sticky';
}

/** Open findings that a comment of ours holds: should somebody delete it, the summary comment still knows them. */
function heldByComments({ placements }: Review, placed: readonly PlacedFinding[]): readonly PlacedFinding[] {
  const plans = new Map(placements.map((placement) => [placement.finding.id, placement]));
  return placed.filter(({ finding, place }) => {
    if (place === 'inline' || place === 'file' || place === 'body') return true;
    const planned = plans.get(finding.id);
    return planned?.place === 'standing' && planned.held !== 'sticky';
  });
}

function sizeOf(marks: object): number {
  return JSON.stringify(marks).length;
}
