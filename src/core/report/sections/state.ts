import type { PlacedFinding } from '../../findings/finding.ts';
import type { Life } from '../../history/life.ts';
import { inEnglish } from '../../messages/languages.ts';
import type { Message } from '../../messages/message.ts';
import type { Translator } from '../../messages/translator.ts';
import {
  filesReviewed,
  findingsInState,
  headlineLead,
  isByRules,
  parts,
  standingFindings,
} from '../../review/headline.ts';
import type { Review } from '../../review/review.ts';
import type { ReviewRecord } from '../../review/sink.ts';
import { dollars, duration } from '../../text.ts';
import { pathOf } from '../json.ts';
import { groups, hasHistory, type RenderContext } from '../wording.ts';
import { type Block, joined, type Line, type Words } from './blocks.ts';
import { commitWords } from './links.ts';

/** What there is now on a pull request: the heading of its summary comment. */
export function stateOf(record: ReviewRecord, { reviewer, t }: { reviewer: string | null; t: Translator }): Line {
  const named = reviewer && reviewer !== 'Postil' ? [[{ said: reviewer }]] : [];
  return joined([['Postil'], ...named, [countsOf(record, t)]], ' · ');
}

/** Such as `1 new finding, 1 came back, 2 still open (1 changed, not checked), 2 fixed`; at a first review how severe the findings are. */
function countsOf({ review, placed }: ReviewRecord, t: Translator): string {
  const end = { ...review, model: review.limits.model };
  const reviewed = filesReviewed(review.coverage);
  if (!hasHistory(review, placed)) {
    const lead = headlineLead(end, placed, review.coverage);
    return t(parts(lead.length === 0 ? [reviewed] : lead));
  }
  const { open } = groups(placed);
  // A lock file or an image that nobody reads is counted, and named below; as in every headline, it does not lead it.
  const isPartial = review.outcome === 'partial' && review.stop.reason !== 'unread';
  const lead: readonly Message[] = isByRules(end)
    ? [{ code: 'headline.rules-only' }]
    : isPartial
      ? [{ code: 'headline.partial' }]
      : [];
  const isSure = open.length > 0 && review.outcome !== 'partial';
  const counts: Message = { code: 'list', of: findingCounts(review, placed) };
  return t(parts([...lead, counts, ...(isSure ? [] : [reviewed])]));
}

/** Counts open findings by what is new of them, then those that ended. */
function findingCounts(review: Review, placed: readonly PlacedFinding[]): readonly Message[] {
  const { open, declined } = groups(placed);
  const returned = open.filter(({ life }) => life === 'returned').length;
  const unchecked = open.filter(({ life }) => life === 'changed').length;
  const standing = open.filter(({ place, life }) => place === 'standing' && life !== 'returned').length;
  const fresh = open.length - returned - standing;
  const ended = (life: Life) => review.gone.filter((prior) => prior.life === life).length;
  const withdrawn = review.lives.filter(({ life }) => life === 'withdrawn').length;
  const inState = (count: number, life: Life) => (count === 0 ? [] : [findingsInState(count, life)]);
  const counts: Message[] = [];
  if (fresh > 0) counts.push({ code: 'findings.new-count', count: fresh });
  else if (open.length === 0) counts.push({ code: 'findings.none-open' });
  else if (returned === 0) counts.push({ code: 'findings.none-new' });
  return [
    ...counts,
    ...inState(returned, 'returned'),
    ...(standing === 0 ? [] : [standingFindings(standing, unchecked)]),
    ...[...inState(ended('fixed'), 'fixed'), ...inState(ended('gone'), 'gone')],
    ...[...inState(declined.length - withdrawn, 'declined'), ...inState(withdrawn, 'withdrawn')],
  ];
}

/** Such as `Reading 3: 1 in new code, 1 in a fix. Done when: 1 critical fixed or declined`. */
export function convergence({ review, placed, verdict }: ReviewRecord, t: Translator): readonly Block[] {
  const { doneWhen } = verdict;
  if (doneWhen === null) return [];
  const reading = review.round?.reading ?? 0;
  // A first review that found nothing has said so.
  if (reading < 2 && doneWhen.title.code === 'done-when.done') return [];
  const said = reading < 2 ? [] : [{ said: t({ code: 'reading.of', reading, news: newsOf(placed) }) }, ' '];
  return [
    { kind: 'line', line: [...said, { strong: [{ said: t(doneWhen.title) }] }, ' ', { said: t(doneWhen.rest) }] },
  ];
}

function newsOf(placed: readonly PlacedFinding[]): Message {
  const fresh = groups(placed).open.filter(({ origin }) => origin !== undefined);
  const of = (['new', 'fix', 'late'] as const).flatMap((kind): readonly Message[] => {
    const count = fresh.filter(({ origin }) => origin?.kind === kind).length;
    return count === 0 ? [] : [{ code: `reading.${kind}`, count }];
  });
  return of.length === 0 ? { code: 'reading.nothing' } : { code: 'list', of };
}

/**
 * Such as `Reviewed abc1234 on 2026-11-22 10:14 UTC · 15,015 tokens · $0.02 · 12 s · gpt · run · report`: which state of the change a comment speaks
 * for, and what else its reader may ask.
 */
export function spokenFor({ review, deliveries }: ReviewRecord, context: RenderContext): Line {
  const { usage, cost, modelCalls } = review.metrics;
  const { model } = review.limits;
  const run = context.run?.url ?? null;
  const { t = inEnglish } = context;
  const count = t({ code: 'cost.tokens', count: usage.input + usage.output });
  const tokens = usage.estimated ? t({ code: 'about', what: count }) : count;
  const time = context.run?.startedAt().slice(0, 16).replace('T', ' ');
  const head = review.pullRequest?.head.sha;
  const report = pathOf(deliveries, 'report-html') !== null;
  const parts: readonly Line[] = [
    ...(head === undefined ? [] : [reviewedAt(commitWords(head, context), { time, t })]),
    [modelCalls === 0 ? t({ code: 'cost.no-calls' }) : tokens],
    ...(cost === null ? [] : [[dollars(cost)]]),
    [duration(review.milliseconds)],
    ...(model === null ? [] : [[{ name: model }]]),
    ...(run === null ? [] : [[{ linked: [t({ code: 'link.run' })], to: run }]]),
    ...(run === null || !report ? [] : [[{ linked: [t({ code: 'link.report' })], to: `${run}#artifacts` }]]),
  ];
  return joined(parts, ' · ');
}

/** A language may put the commit anywhere. */
function reviewedAt(commit: Words, { time, t }: { time: string | undefined; t: Translator }): Line {
  const place = '\u0000';
  const said =
    time === undefined
      ? t({ code: 'reviewed.at', commit: place })
      : t({ code: 'reviewed.at-time', commit: place, time });
  const [before = '', after = ''] = said.split(place);
  return [before, commit, after];
}
