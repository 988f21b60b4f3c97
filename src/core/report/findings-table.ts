import type { Finding, PlacedFinding } from '../findings/finding.ts';
import type { FileNote } from '../findings/submission.ts';
import { lifeWord } from '../memory/life.ts';
import type { PriorFinding } from '../memory/memory.ts';
import type { Review } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { plural } from '../text.ts';
import { type Links, linkedPlace } from './finding.ts';
import { untrustedLine, untrustedName } from './sanitise.ts';
import { cleanCode } from './sanitise-phrasing.ts';
import { characters, cutText, details, fenced, linked, table } from './text.ts';
import { lifeNote, placeLabels, placeOf, type RenderContext, severityIcons, severityLabels } from './wording.ts';

const rowsAtMost = 50;
const endedAtMost = 10;

/**
 * All findings of a pull request in two columns, which fit a phone: those that are open, those that people declined, and those that
 * ended. `mostRows` is of the open ones; `delivered` also says where each went.
 */
export function findingsTable(
  { review, placed }: Pick<ReviewRecord, 'review' | 'placed'>,
  {
    context,
    mostRows = rowsAtMost,
    delivered = false,
    ids = new Map(),
  }: {
    context: RenderContext;
    mostRows?: number;
    delivered?: boolean;
    /** By which people decline a finding, by its id in this run. */
    ids?: Ids;
  },
): string {
  const links = { context, pullRequest: review.pullRequest };
  const { open, declined } = groups(placed);
  const isLater = hasHistory(review, placed);
  const rows = [
    ...open.slice(0, mostRows).map((entry) => openRow(entry, { links, delivered, marksNew: isLater, ids })),
    ...declined.slice(0, mostRows).map((entry) => declinedRow(entry, { context, ids })),
    ...review.gone.slice(0, endedAtMost).map((prior) => endedRow(prior, { review, context })),
  ];
  if (rows.length === 0) return '';
  const left = Math.max(0, open.length - mostRows) + Math.max(0, declined.length - mostRows);
  const ended = review.gone.length - endedAtMost;
  const more = [
    ...(left > 0 ? [`and ${plural(left, 'more finding')} in the job summary`] : []),
    ...(ended > 0 ? [`and ${ended} more that ended`] : []),
    ...(ids.size > 0 ? [howToDismiss] : []),
  ];
  return [table(['', 'Finding'], rows), ...more].join('\n\n');
}

const howToDismiss =
  '<sub>Declines a finding by its id, as a comment of somebody with write permission: `/postil dismiss ID REASON`</sub>';

/** Open findings, and those that people declined; what Postil itself took back is in neither. */
export function groups(placed: readonly PlacedFinding[]): {
  readonly open: readonly PlacedFinding[];
  readonly declined: readonly PlacedFinding[];
} {
  return {
    open: placed.filter(({ place }) => place !== 'suppressed'),
    declined: placed.filter(({ suppressed }) => suppressed?.by === 'people'),
  };
}

/** True when there is something of earlier runs to tell what is new from. */
export function hasHistory({ gone, lives, earlierReviews }: Review, placed: readonly PlacedFinding[]): boolean {
  return earlierReviews + gone.length + lives.length > 0 || placed.some(({ place }) => place === 'standing');
}

function openRow(
  finding: PlacedFinding,
  { links, delivered, marksNew, ids }: { links: Links; delivered: boolean; marksNew: boolean; ids: Ids },
): readonly string[] {
  const { place, reason, life } = finding;
  const title = linkedTitle(untrustedLine(finding.title, links.context), finding.url);
  const where = delivered ? placeLabels[place] : shortPlaces[place];
  const isSaid = delivered || place === 'summary';
  const why = [...lifeNote({ life, reason: isSaid ? reason : null }), ...(isSaid && reason !== null ? [reason] : [])];
  const notes = [
    severityLabels[finding.severity],
    linkedPlace(finding, links),
    ...(where === '' ? [] : [where]),
    ...why.map((text) => untrustedLine(text, links.context)),
    ...idNote(finding, ids),
  ];
  const isNew = marksNew && place !== 'standing' && life === undefined;
  return [severityIcons[finding.severity], withNotes(`${title}${isNew ? ' **new**' : ''}`, notes)];
}

/** What a reader cannot see from the link. */
const shortPlaces: Readonly<Record<PlacedFinding['place'], string>> = {
  inline: '',
  file: 'on the file',
  body: 'outside the diff',
  annotation: 'annotation only',
  summary: 'only listed here',
  suppressed: '',
  standing: '',
};

type Ids = ReadonlyMap<string, string>;

function idNote({ id }: Finding, ids: Ids): readonly string[] {
  const known = ids.get(id);
  return known === undefined ? [] : [`\`${known}\``];
}

function declinedRow(
  finding: PlacedFinding,
  { context, ids }: { context: RenderContext; ids: Ids },
): readonly string[] {
  const why = untrustedLine(finding.reason ?? 'declined', context);
  return [
    '💬',
    withNotes(linkedTitle(untrustedLine(finding.title, context), finding.url), [why, ...idNote(finding, ids)]),
  ];
}

/** What is fixed is struck through; what left with its file is not. */
function endedRow(
  prior: PriorFinding,
  { review, context }: { review: Review; context: RenderContext },
): readonly string[] {
  const title = linkedTitle(untrustedLine(prior.mark.title, context), prior.url);
  const state = `${lifeWord(prior.life)} ${changedWhen(prior, review)}`;
  return prior.life === 'fixed' ? ['✅', withNotes(`<del>${title}</del>`, [state])] : ['➖', withNotes(title, [state])];
}

/** The last push ended what the last review raised; of anything older only that it was after that is known. */
function changedWhen({ mark }: PriorFinding, { scope, pullRequest }: Review): string {
  const isLast = scope?.kind === 'incremental' && scope.since === mark.commit;
  const [word, commit] = isLast && pullRequest !== null ? ['in', pullRequest.head.sha] : ['after', mark.commit];
  return `${word} \`${commit.replace(/[^0-9a-f]/g, '').slice(0, 7)}\``;
}

function withNotes(title: string, notes: readonly string[]): string {
  return `${title}<br><sub>${notes.join(' · ')}</sub>`;
}

// A bracket of the model's could end the link early and begin one of its own.
function linkedTitle(title: string, url: string | null): string {
  if (url === null) return title;
  return /[[\]]|\\$/.test(title) ? `${title} (${linked('comment', url)})` : linked(title, url);
}

const notesAtMost = 100;

/** What changes in each file and what was checked there, in the model's words; empty when it said nothing. Two columns fit a phone. */
export function renderWalkthrough({ walkthrough }: Pick<Review, 'walkthrough'>, context: RenderContext): string {
  if (walkthrough.length === 0) return '';
  const rows = walkthrough
    .slice(0, notesAtMost)
    .map(({ path, changes, checked }: FileNote) => [
      `<sub>${untrustedName(path, context)}</sub><br>${untrustedLine(changes, context)}`,
      untrustedLine(checked, context),
    ]);
  const rest = walkthrough.length - rows.length;
  const more = rest > 0 ? [`and ${plural(rest, 'more file')}`] : [];
  return [table(['What changes', 'What was checked'], rows), ...more].join('\n\n');
}

/** The same as a fold. */
export function foldedWalkthrough(review: Pick<Review, 'walkthrough'>, context: RenderContext): string {
  const text = renderWalkthrough(review, context);
  return text === '' ? '' : details(`What changed: ${plural(review.walkthrough.length, 'file')}`, text);
}

/** What an agent that fixes findings needs to know of one. */
type ToFix = Pick<Finding, 'severity' | 'title' | 'review' | 'suggestion'> & { readonly place: string };

/** All findings for an agent that is to fix them: plain text, which nothing executes. */
export function fixPrompt(findings: readonly ToFix[]): string {
  const texts = findings.map(({ place, severity, title, review, suggestion }, index) => {
    const fix = suggestion === null ? '' : `\nSuggested instead of these lines:\n${suggestion}`;
    return `${index + 1}. ${place} (${severity}): ${title.trim().replace(/\s+/g, ' ')}\n${review.trim()}${fix}`;
  });
  return `Fix these findings of a code review. Check each against the code first; say which you did not fix, and why.\n\n${texts.join('\n\n')}`;
}

const promptFindings = 50;
const fewestCharacters = 500;

/** The prompt with every open finding as a fold of at most so many characters; empty when it does not fit, or nothing is open. */
export function renderFixPrompt(
  placed: readonly PlacedFinding[],
  { context, max }: { context: RenderContext; max: number },
): string {
  const { open } = groups(placed);
  if (open.length === 0 || max < fewestCharacters) return '';
  const findings = open.slice(0, promptFindings).map((finding) => ({ ...finding, place: placeOf(finding) }));
  const prompt = cleanCode(fixPrompt(findings), context.redact);
  const room = max - fewestCharacters / 2;
  const isCut = prompt.length > room || open.length > promptFindings;
  const note = isCut ? '\n… (cut: the job summary and the report hold all findings)' : '';
  const text = `${cutText(prompt, { max: room - note.length, measure: characters })}${note}`;
  return details('Fix with an agent', fenced(text, 'text'));
}
