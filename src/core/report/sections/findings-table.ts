import type { PlacedFinding } from '../../findings/finding.ts';
import { lifeWord } from '../../memory/life.ts';
import type { PriorFinding } from '../../memory/memory.ts';
import type { Review } from '../../review/review.ts';
import type { ReviewRecord } from '../../review/sink.ts';
import { titleIn } from '../../rules/rule-texts.ts';
import { groupBy } from '../../text.ts';
import { english, type Say, type Sentence } from '../../words/say.ts';
import { groups, hasHistory, lifeNote, placeLabels, severityIcons, severityLabels } from '../wording.ts';
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
  const { say = english } = links.context;
  const { open, declined } = groups(placed);
  const shared = sharedReasons(open);
  const marksNew = hasHistory(review, placed);
  const how = { links, delivered, marksNew, ids, shared, say };
  const rows = [
    ...open.slice(0, most).map((finding) => openRow(finding, how)),
    ...declined.slice(0, most).map((finding) => declinedRow(finding, how)),
    ...review.gone.slice(0, most).map((prior) => endedRow(prior, review, say)),
  ];
  const left = [open, declined, review.gone].reduce((sum, { length }) => sum + Math.max(0, length - most), 0);
  const head = ['', say('Finding')];
  const folded = rows.slice(rowsSeen);
  return [
    ...tableOf(head, rows.slice(0, rowsSeen)),
    ...fold(say.many(folded.length, '{n} more finding', '{n} more findings'), tableOf(head, folded)),
    ...[...shared].map(([reason, count]) =>
      note(
        say.many(count, '{n} finding only listed here:', '{n} findings only listed here:'),
        ' ',
        { said: reason },
        say('.'),
      ),
    ),
    ...(left > 0 ? [note(say('and {n} more in the job summary or the report file.', { n: left }))] : []),
    ...(ids.size > 0 && rows.length > 0 ? [note(say(howToDismiss))] : []),
  ];
}

const howToDismiss =
  'Declines a finding by its id, as a comment of somebody with write permission: `/postil dismiss ID REASON`';

function note(...line: Line): Block {
  return { kind: 'line', line, small: true };
}

/** Why findings are only listed, as far as several share it. */
function sharedReasons(open: readonly PlacedFinding[]): ReadonlyMap<string, number> {
  const listed = open.flatMap(({ place, reason }) => (place === 'summary' && reason !== null ? [reason] : []));
  const counts = [...groupBy(listed, (reason) => reason)].map(([reason, { length }]) => [reason, length] as const);
  return new Map(counts.filter(([, count]) => count >= sharedBy));
}

type How = {
  readonly links: Links;
  readonly delivered: boolean;
  readonly marksNew: boolean;
  readonly ids: ReadonlyMap<string, string>;
  readonly shared: ReadonlyMap<string, number>;
  readonly say: Say;
};

function openRow(finding: PlacedFinding, { links, delivered, marksNew, ids, shared, say }: How): readonly Line[] {
  const { place, reason, life, severity } = finding;
  const isShared = place === 'summary' && reason !== null && shared.has(reason);
  const short = shortPlaces[place];
  const where = isShared ? '' : delivered ? say(placeLabels[place]) : short === '' ? '' : say(short);
  const said = (delivered || place === 'summary') && !isShared ? reason : null;
  const about: readonly Line[] = [
    [say(severityLabels[severity])],
    [placeWords(finding, links)],
    ...(where === '' ? [] : [[where]]),
    ...[...lifeNote({ life, reason: said }, say), ...(said === null ? [] : [said])].map((why): Line => [{ said: why }]),
    ...idOf(finding, ids),
  ];
  const isNew = marksNew && place !== 'standing' && life === undefined;
  const title: Words = { linked: [{ said: titleIn(finding, say) }], to: finding.url };
  return [
    [severityIcons[severity]],
    [title, ...(isNew ? [' ', { strong: [say('new')] }] : []), lineBreak, { small: about }],
  ];
}

/** What a reader cannot see from the link. */
const shortPlaces = {
  inline: '',
  file: 'on the file',
  body: 'outside the diff',
  annotation: 'annotation only',
  summary: 'only listed here',
  suppressed: '',
  standing: '',
} as const satisfies Readonly<Record<keyof typeof placeLabels, Sentence | ''>>;

function idOf({ id }: PlacedFinding, ids: How['ids']): readonly Line[] {
  const known = ids.get(id);
  return known === undefined ? [] : [[{ name: known }]];
}

function declinedRow(finding: PlacedFinding, { ids, say }: How): readonly Line[] {
  const why: Line = [{ said: finding.reason ?? say('declined') }];
  return [
    ['💬'],
    [
      { linked: [{ said: titleIn(finding, say) }], to: finding.url },
      lineBreak,
      { small: [why, ...idOf(finding, ids)] },
    ],
  ];
}

/** What is fixed is struck through; what left with its file is not. */
function endedRow(prior: PriorFinding, review: Review, say: Say): readonly Line[] {
  const title: Words = { linked: [{ said: titleIn(prior.mark, say) }], to: prior.url };
  const state: Line = [changedWhen(prior, review, say)];
  const isFixed = prior.life === 'fixed';
  return [[isFixed ? '✅' : '➖'], [isFixed ? { struck: [title] } : title, lineBreak, { small: [state] }]];
}

/** The last push ended what the last review raised; of anything older only that it was after that is known. */
function changedWhen({ mark, life }: PriorFinding, { scope, pullRequest }: Review, say: Say): string {
  const isLast = scope?.kind === 'incremental' && scope.since === mark.commit;
  const named = (sha: string) => sha.replace(/[^0-9a-f]/g, '').slice(0, 7);
  const word = lifeWord(life, say);
  if (isLast && pullRequest !== null) return say('{word} in `{commit}`', { word, commit: named(pullRequest.head.sha) });
  return say('{word} after `{commit}`', { word, commit: named(mark.commit) });
}
