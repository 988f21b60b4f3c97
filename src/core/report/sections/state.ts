import { lifeWord } from '../../memory/life.ts';
import { isByRules, leadOf, shareReviewed } from '../../review/headline.ts';
import type { ReviewRecord } from '../../review/sink.ts';
import { dollars, duration } from '../../text.ts';
import { english, type Say } from '../../words/say.ts';
import { pathOf } from '../json.ts';
import { groups, hasHistory, type RenderContext } from '../wording.ts';
import { joined, type Line, type Words } from './blocks.ts';
import { commitWords } from './links.ts';

/** What there is now on a pull request: the heading of its summary comment. */
export function stateOf(record: ReviewRecord, { reviewer, say }: { reviewer: string | null; say: Say }): Line {
  const named = reviewer && reviewer !== 'Postil' ? [[{ said: reviewer }]] : [];
  return joined([['Postil'], ...named, [countsOf(record, say)]], ' · ');
}

/** Such as `1 new finding, 1 came back, 2 still open (1 changed, not checked), 2 fixed`; at a first review how severe the findings are. */
function countsOf({ review, placed }: ReviewRecord, say: Say): string {
  const { open, declined } = groups(placed);
  const reviewed = shareReviewed(review.coverage, say);
  const how = { ...review, model: review.limits.model };
  if (!hasHistory(review, placed)) return leadOf(how, placed, { coverage: review.coverage, say }) || reviewed;
  // A lock file or an image that nobody reads is counted, and named below; as in every headline, it does not lead it.
  const isPartial = review.outcome === 'partial' && review.stop.reason !== 'unread';
  const partial = isByRules(how) ? [say('Rules only')] : isPartial ? [say('Partial review')] : [];
  const returned = open.filter(({ life }) => life === 'returned').length;
  const unchecked = open.filter(({ life }) => life === 'changed').length;
  const standing = open.filter(({ place, life }) => place === 'standing' && life !== 'returned').length;
  const fresh = open.length - returned - standing;
  const ended = (life: 'fixed' | 'gone') => review.gone.filter((prior) => prior.life === life).length;
  const none = open.length === 0 ? [say('No open findings')] : [];
  const news = fresh === 0 ? none : [say.many(fresh, '{n} new finding', '{n} new findings')];
  const nothing = fresh + returned === 0 && open.length > 0 ? [say('Nothing new')] : [];
  const count = (n: number, word: string) => (n === 0 ? [] : [say('{n} {word}', { n: String(n), word })]);
  const [changed = ''] = count(unchecked, lifeWord('changed', say));
  const beside = changed === '' ? '' : ` (${changed})`;
  const withdrawn = review.lives.filter(({ life }) => life === 'withdrawn').length;
  const counts = [
    ...[...news, ...nothing, ...count(returned, lifeWord('returned', say))],
    ...count(standing, lifeWord('open', say)).map((told) => `${told}${beside}`),
    ...[...count(ended('fixed'), lifeWord('fixed', say)), ...count(ended('gone'), lifeWord('gone', say))],
    ...count(declined.length - withdrawn, lifeWord('declined', say)),
    ...count(withdrawn, lifeWord('withdrawn', say)),
  ];
  const isSure = open.length > 0 && review.outcome !== 'partial';
  return [...partial, say.listed(counts), ...(isSure ? [] : [reviewed])].join(' · ');
}

/**
 * Such as `Reviewed abc1234 on 2026-11-22 10:14 UTC · 15,015 tokens · $0.02 · 12 s · gpt · run · report`: which state of the change a comment speaks
 * for, and what else its reader may ask.
 */
export function spokenFor({ review, deliveries }: ReviewRecord, context: RenderContext): Line {
  const { usage, cost, modelCalls } = review.metrics;
  const { model } = review.limits;
  const run = context.run?.url ?? null;
  const { say = english } = context;
  const count = say('{n} tokens', { n: usage.input + usage.output });
  const tokens = usage.estimated ? say('about {what}', { what: count }) : count;
  const time = context.run?.startedAt().slice(0, 16).replace('T', ' ');
  const head = review.pullRequest?.head.sha;
  const report = pathOf(deliveries, 'report-html') !== null;
  const parts: readonly Line[] = [
    ...(head === undefined ? [] : [reviewedAt(commitWords(head, context), { time, say })]),
    [modelCalls === 0 ? say('no model calls') : tokens],
    ...(cost === null ? [] : [[dollars(cost)]]),
    [duration(review.milliseconds)],
    ...(model === null ? [] : [[{ name: model }]]),
    ...(run === null ? [] : [[{ linked: [say('run')], to: run }]]),
    ...(run === null || !report ? [] : [[{ linked: [say('report')], to: `${run}#artifacts` }]]),
  ];
  return joined(parts, ' · ');
}

/** A language may put the commit anywhere. */
function reviewedAt(commit: Words, { time, say }: { time: string | undefined; say: Say }): Line {
  const place = '\u0000';
  const said =
    time === undefined
      ? say('Reviewed {commit}', { commit: place })
      : say('Reviewed {commit} on {time} UTC', { commit: place, time });
  const [before = '', after = ''] = said.split(place);
  return [before, commit, after];
}
