import type { PlacedFinding } from '../../findings/finding.ts';
import { lifeMessage } from '../../history/life.ts';
import type { PriorFinding } from '../../history/memory.ts';
import { inEnglish } from '../../messages/languages.ts';
import type { Message } from '../../messages/message.ts';
import type { Translator } from '../../messages/translator.ts';
import type { Review } from '../../review/review.ts';
import type { ReviewRecord } from '../../review/sink.ts';
import { titleIn } from '../../rules/rule-texts.ts';
import { groupBy } from '../../text.ts';
import { groups, hasHistory, lifeNote, placeLabel, severityIcons, severityLabel } from '../wording.ts';
import { type Block, fold, type Line, lineBreak, tableOf, type Words } from './blocks.ts';
import { type Links, placeWords } from './links.ts';

/** Rows that are seen at once; the others are folded. */
const rowsSeen = 10;
/** Of several findings with the same reason it stands once, below the table. */
const sharedBy = 3;

/**
 * All findings of a pull request in two columns, which fit a phone: those that are open, those that people declined, and those that ended. `most`
 * rows of each; `delivered` also says where each went. `ids`: by which people decline a finding, by its id in this run.
 */
export function findingsTable(
  record: Pick<ReviewRecord, 'review' | 'placed'>,
  { links, most, delivered, ids }: { links: Links; most: number; delivered: boolean; ids: ReadonlyMap<string, string> },
): readonly Block[] {
  const { review, placed } = record;
  const { t = inEnglish } = links.context;
  const { open, declined } = groups(placed);
  const shared = sharedReasons(open, t);
  const marksNew = hasHistory(review, placed);
  const how = { links, delivered, marksNew, ids, shared, t };
  const rows = [
    ...open.slice(0, most).map((finding) => openRow(finding, how)),
    ...declined.slice(0, most).map((finding) => declinedRow(finding, how)),
    ...review.gone.slice(0, most).map((prior) => endedRow(prior, review, t)),
  ];
  const left = [open, declined, review.gone].reduce((sum, { length }) => sum + Math.max(0, length - most), 0);
  const head = ['', t({ code: 'findings.column' })];
  const folded = rows.slice(rowsSeen);
  return [
    ...tableOf(head, rows.slice(0, rowsSeen)),
    ...fold(t({ code: 'findings.more', count: folded.length }), tableOf(head, folded)),
    ...[...shared].map(([reason, count]) =>
      note(t({ code: 'findings.only-here', count: count }), ' ', { said: reason }, t({ code: 'punctuation.stop' })),
    ),
    ...(left > 0 ? [note(t({ code: 'findings.more-elsewhere', count: left }))] : []),
    ...(ids.size > 0 && rows.length > 0 ? [note(t({ code: 'findings.how-to-dismiss' }))] : []),
  ];
}

function note(...line: Line): Block {
  return { kind: 'line', line, small: true };
}

/** Why findings are only listed, as far as several share it. */
function sharedReasons(open: readonly PlacedFinding[], t: Translator): ReadonlyMap<string, number> {
  const listed = open.flatMap(({ place, reason }) => (place === 'summary' && reason !== null ? [t(reason)] : []));
  const counts = [...groupBy(listed, (reason) => reason)].map(([reason, { length }]) => [reason, length] as const);
  return new Map(counts.filter(([, count]) => count >= sharedBy));
}

type How = {
  readonly links: Links;
  readonly delivered: boolean;
  readonly marksNew: boolean;
  readonly ids: ReadonlyMap<string, string>;
  readonly shared: ReadonlyMap<string, number>;
  readonly t: Translator;
};

function openRow(finding: PlacedFinding, { links, delivered, marksNew, ids, shared, t }: How): readonly Line[] {
  const { place, reason, life, severity } = finding;
  const isShared = place === 'summary' && reason !== null && shared.has(t(reason));
  const short = shortPlaces[place];
  const where = isShared ? '' : delivered ? t(placeLabel(place)) : short === null ? '' : t(short);
  // That one of its places ended stands nowhere else.
  const isExplained = delivered || place === 'summary' || reason?.code === 'standing.places-ended';
  const shown = isExplained && !isShared ? reason : null;
  const about: readonly Line[] = [
    [t(severityLabel(severity))],
    [placeWords(finding, links)],
    ...(where === '' ? [] : [[where]]),
    ...[...lifeNote({ life, reason: shown }), ...(shown === null ? [] : [shown])].map(
      (why): Line => [{ said: t(why) }],
    ),
    ...idOf(finding, ids),
  ];
  const isNew = marksNew && place !== 'standing' && life === undefined;
  const title: Words = { linked: [{ said: titleIn(finding, t) }], to: finding.url };
  return [
    [severityIcons[severity]],
    [title, ...(isNew ? [' ', { strong: [t({ code: 'new' })] }] : []), lineBreak, { small: about }],
  ];
}

/** What a reader cannot see from the link. */
const shortPlaces = {
  inline: null,
  file: { code: 'place-short.file' },
  body: { code: 'place-short.body' },
  annotation: { code: 'place-short.annotation' },
  summary: { code: 'place-short.summary' },
  suppressed: null,
  standing: null,
} as const satisfies Readonly<Record<PlacedFinding['place'], Message | null>>;

function idOf({ id }: PlacedFinding, ids: How['ids']): readonly Line[] {
  const known = ids.get(id);
  return known === undefined ? [] : [[{ name: known }]];
}

function declinedRow(finding: PlacedFinding, { ids, t }: How): readonly Line[] {
  const why: Line = [{ said: t(finding.reason ?? { code: 'state.declined' }) }];
  return [
    ['💬'],
    [{ linked: [{ said: titleIn(finding, t) }], to: finding.url }, lineBreak, { small: [why, ...idOf(finding, ids)] }],
  ];
}

/** What is fixed is struck through; what left with its file is not. */
function endedRow(prior: PriorFinding, review: Review, t: Translator): readonly Line[] {
  const title: Words = { linked: [{ said: titleIn(prior.mark, t) }], to: prior.url };
  const state: Line = [changedWhen(prior, review, t)];
  const isFixed = prior.life === 'fixed';
  return [[isFixed ? '✅' : '➖'], [isFixed ? { struck: [title] } : title, lineBreak, { small: [state] }]];
}

/** The last push ended what the last review raised; of anything older only that it was after that is known. */
function changedWhen({ mark, life }: PriorFinding, { scope, pullRequest }: Review, t: Translator): string {
  const isLast = scope?.kind === 'incremental' && scope.since === mark.commit;
  const named = (sha: string) => sha.replace(/[^0-9a-f]/g, '').slice(0, 7);
  const word = lifeMessage(life);
  if (isLast && pullRequest !== null) return t({ code: 'state.in', word, commit: named(pullRequest.head.sha) });
  return t({ code: 'state.after', word, commit: named(mark.commit) });
}
