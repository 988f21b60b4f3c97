import { lifeWord } from '../../memory/life.ts';
import { isByRules, leadOf, shareReviewed } from '../../review/headline.ts';
import type { ReviewRecord } from '../../review/sink.ts';
import { dollars, duration, grouped, plural } from '../../text.ts';
import { pathOf } from '../json.ts';
import { groups, hasHistory, type RenderContext } from '../wording.ts';
import { joined, type Line } from './blocks.ts';
import { commitWords } from './links.ts';

/** What there is now on a pull request: the heading of its summary comment. */
export function stateOf(record: ReviewRecord, reviewer: string | null): Line {
  const named = reviewer && reviewer !== 'Postil' ? [[{ said: reviewer }]] : [];
  return joined([['Postil'], ...named, [countsOf(record)]], ' · ');
}

/** Such as `1 new finding, 1 came back, 2 still open (1 changed, not checked), 2 fixed`; at a first review how severe the findings are. */
function countsOf({ review, placed }: ReviewRecord): string {
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
  const withdrawn = review.lives.filter(({ life }) => life === 'withdrawn').length;
  const counts = [
    ...[...news, ...nothing, ...count(returned, lifeWord('returned'))],
    ...count(standing, `${lifeWord('open')}${unchecked === 0 ? '' : ` (${unchecked} ${lifeWord('changed')})`}`),
    ...[...count(ended('fixed'), lifeWord('fixed')), ...count(ended('gone'), lifeWord('gone'))],
    ...count(declined.length - withdrawn, lifeWord('declined')),
    ...count(withdrawn, lifeWord('withdrawn')),
  ];
  const isSure = open.length > 0 && review.outcome !== 'partial';
  return [...partial, counts.join(', '), ...(isSure ? [] : [reviewed])].join(' · ');
}

/**
 * Such as `Reviewed abc1234 on 2026-11-22 10:14 UTC · 15,015 tokens · $0.02 · 12 s · gpt · run · report`: which state of the change a comment speaks
 * for, and what else its reader may ask.
 */
export function spokenFor({ review, deliveries }: ReviewRecord, context: RenderContext): Line {
  const { usage, cost, modelCalls } = review.metrics;
  const { model } = review.limits;
  const run = context.run?.url ?? null;
  const tokens = `${usage.estimated ? 'about ' : ''}${grouped(usage.input + usage.output)} tokens`;
  const time = context.run === undefined ? '' : ` on ${context.run.startedAt().slice(0, 16).replace('T', ' ')} UTC`;
  const head = review.pullRequest?.head.sha;
  const report = pathOf(deliveries, 'report-html') !== null;
  const parts: readonly Line[] = [
    ...(head === undefined ? [] : [['Reviewed ', commitWords(head, context), time]]),
    [modelCalls === 0 ? 'no model calls' : tokens],
    ...(cost === null ? [] : [[dollars(cost)]]),
    [duration(review.milliseconds)],
    ...(model === null ? [] : [[{ name: model }]]),
    ...(run === null ? [] : [[{ linked: ['run'], to: run }]]),
    ...(run === null || !report ? [] : [[{ linked: ['report'], to: `${run}#artifacts` }]]),
  ];
  return joined(parts, ' · ');
}
