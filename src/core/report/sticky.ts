import { lifeWord } from '../memory/life.ts';
import { writeMark } from '../memory/mark.ts';
import { noKeys } from '../memory/signed-marks.ts';
import { isByRules, leadOf, shareReviewed, whyOf } from '../review/headline.ts';
import type { Review } from '../review/review.ts';
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
import { pathOf } from './json.ts';
import { noticeCharacters } from './not-reviewed.ts';
import { untrustedBlock, untrustedLine } from './sanitise.ts';
import { heldBy, idsShown, stickyMarkOf } from './sticky-mark.ts';
import { characters, cutMarkdown } from './text.ts';
import { renderReviewed, renderUnreviewed, spokenFor } from './usage.ts';
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
  // Where there is no key for a model, the rules looked.
  const isSkipped = review.outcome === 'skipped' && !(review.stop.reason === 'no-key' && review.signs === true);
  const looked = !isSkipped && review.outcome !== 'failed' && review.stop.reason !== 'cancelled';
  if (mark === null || !looked) return null;
  const above = [
    `### ${['Postil', ...nameOf(context), stateOf(record)].join(' · ')}`,
    record.verdict.title === null ? '' : `**${untrustedLine(record.verdict.title, context)}**`,
    untrustedLine(review.withheld ?? '', context),
    verdict(review, context),
    untrustedLine(whyPartial(review), context, 2_000),
    renderUnreviewed(review.coverage, context),
    findingsTable(record, { context, ids: idsShown(record, context) }),
    unkept(heldBy(record).inComments.length - (mark.open?.length ?? 0)),
    undelivered(record.deliveries, context),
    walkthrough(review, context),
    renderReviewed(review, context, filesInFold),
  ].filter((part) => part !== '');
  const report = pathOf(record.deliveries, 'report-html') !== null;
  const last = spokenFor(review, { context, report });
  const { keys = noKeys, comment } = context;
  const sign = (content: string) => (comment === null ? null : keys.sign(content, { in: 'summary', comment }));
  const marker = `\n\n${writeMark(mark, sign)}`;
  const room = commentCharacters - marker.length - noticeCharacters;
  const spare = room - [...above, last].join('\n\n').length;
  const prompt = renderFixPrompt(placed, { context, max: Math.min(promptCharacters, spare) });
  const text = [...above, ...(prompt === '' ? [] : [prompt]), last].join('\n\n');
  const pointer = 'The rest did not fit here and is in the job summary.';
  return `${cutMarkdown(text, { max: room, measure: characters, pointer })}${marker}`;
}

function nameOf(context: StickyContext): readonly string[] {
  return context.reviewer ? [untrustedLine(context.reviewer, context)] : [];
}

/** Such as `1 new finding, 1 came back, 2 still open (1 changed, not checked), 2 fixed`; at a first review how severe the findings are. */
function stateOf({ review, placed }: ReviewRecord): string {
  const { open, declined } = groups(placed);
  const reviewed = shareReviewed(review.coverage);
  const how = { ...review, model: review.limits.model };
  if (!hasHistory(review, placed)) return leadOf(how, placed, review.coverage) || reviewed;
  // A lock file or an image that nobody reads is counted, and named below; as in every headline, it does not lead it.
  const isPartial = review.outcome === 'partial' && review.stop.reason !== 'unread';
  const partial = isByRules(how) ? ['Rules only'] : isPartial ? ['Partial review'] : [];
  const returned = open.filter(({ life }) => life === 'returned').length;
  const unchecked = open.filter(({ life }) => life === 'changed').length;
  const standing = open.filter(({ place, life }) => place === 'standing' && life !== 'returned').length;
  const fresh = open.length - returned - standing;
  const ended = (life: 'fixed' | 'gone') => review.gone.filter((prior) => prior.life === life).length;
  const news = fresh === 0 ? (open.length === 0 ? ['No open findings'] : []) : [plural(fresh, 'new finding')];
  const nothing = fresh + returned === 0 && open.length > 0 ? ['Nothing new'] : [];
  const count = (number: number, words: string) => (number === 0 ? [] : [`${number} ${words}`]);
  const counts = [
    ...[...news, ...nothing, ...count(returned, lifeWord('returned'))],
    ...count(standing, `${lifeWord('open')}${unchecked === 0 ? '' : ` (${unchecked} ${lifeWord('changed')})`}`),
    ...[...count(ended('fixed'), lifeWord('fixed')), ...count(ended('gone'), lifeWord('gone'))],
    ...count(declined.length, lifeWord('declined')),
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
