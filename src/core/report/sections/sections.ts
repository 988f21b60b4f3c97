import { type PlacedFinding, suppressors } from '../../findings/finding.ts';
import { shareOfFiles } from '../../review/headline.ts';
import type { Coverage, Review, SkippedFile } from '../../review/review.ts';
import type { Delivery, ReviewRecord } from '../../review/sink.ts';
import { capitalised, counted, groupBy, plural } from '../../text.ts';
import { cleanCode } from '../sanitise-phrasing.ts';
import { characters, cutText } from '../text.ts';
import { groups, placeOf, type RenderContext, scopeText, suppressedWords } from '../wording.ts';
import {
  type Block,
  fold,
  joined,
  type Line,
  lineBreak,
  lineOf,
  listOf,
  proseOf,
  tableOf,
  type Words,
} from './blocks.ts';

/** The first sentence is the title of a page, what follows explains it: sentences, or a list of problems and what to do about them. */
export function partsOfHeadline(headline: string): { readonly title: string; readonly rest: readonly Block[] } {
  const [title = ''] = headline.split(/(?<=[.!?])\s+|\n/, 1);
  const lines = headline.slice(title.length).trim().split('\n');
  const rest = lines.flatMap((line) =>
    line.startsWith('- ') ? listOf([[{ said: line.slice(2), max: 2_000 }]]) : lineOf({ said: line, max: 2_000 }),
  );
  return { title, rest };
}

/** Where the fold beside them names more. */
const filesNamed = 5;
/** Servers put numbers of their own into each of their errors. */
const reasonsNamed = 20;

/** What should have been reviewed and was not; nothing when all was. A lock file or an image that the `headline` names is not named again. */
export function notReviewed({ unreviewed, unread, missing }: Coverage, headline = ''): readonly Block[] {
  const untold = unread.filter(({ path, code }) => code || !headline.includes(path));
  const files = [...unreviewed, ...untold];
  if (files.length + missing.length === 0) return [];
  const isHarmless = unreviewed.length + missing.length === 0 && !untold.some(({ code }) => code);
  const reasons = byReason(files);
  const left = reasons.slice(reasonsNamed).reduce((sum, { names }) => sum + names.length, 0);
  const items: readonly Line[] = [
    ...reasons.slice(0, reasonsNamed).map(({ reason, names }): Line => [reason, ': ', { names, most: filesNamed }]),
    ...(left > 0 ? [[`and ${plural(left, 'more file')}`]] : []),
    ...missing.map((said): Line => [{ said }]),
  ];
  const title = files.length === 0 ? 'Not reviewed' : `Not reviewed: ${plural(files.length, 'file')}`;
  return [{ kind: 'alert', level: isHarmless ? 'note' : 'warning', title, items }];
}

/** What became of each file, in lines of so many paths; nothing where all of it is said in a number. */
export function whatWasReviewed(review: Review, most: number): readonly Block[] {
  const { coverage } = review;
  const { reviewed, skipped, unread, unreviewed, earlier } = coverage;
  const left = unread.length + unreviewed.length;
  const scope = scopeText(review);
  const isTold = left === 0 || (reviewed.length === 0 && left <= filesNamed);
  if (skipped.length + earlier.length === 0 && isTold && scope === '') return [];
  const others = { 'not reviewed': left, skipped: skipped.length };
  const besides = counted({ 'of them unchanged since the last review': earlier.length, ...others });
  const title = [`What was reviewed: ${shareOfFiles(coverage)}`, ...besides].join(', ');
  return fold(title, [...lineOf(scope), ...filesBy(coverage, most)]);
}

export function filesBy(coverage: Coverage, most: number): readonly Block[] {
  const { reviewed, unread, unreviewed, earlier } = coverage;
  const item = (label: Line, names: readonly string[]): readonly Line[] =>
    names.length === 0 ? [] : [[{ strong: [...label, ':'] }, ' ', { names, most }]];
  return listOf([
    ...item(['Reviewed'], reviewed),
    ...byReason([...unread, ...unreviewed]).flatMap(({ reason, names }) => item(['Not reviewed, ', reason], names)),
    ...skippedItems(coverage, most),
    ...item(['Unchanged since the last review'], earlier),
  ]);
}

export function skippedItems({ skipped }: Coverage, most: number): readonly Line[] {
  return byReason(skipped).map(({ reason, names }) => [{ strong: ['Skipped, ', reason, ':'] }, ' ', { names, most }]);
}

function byReason(
  files: readonly SkippedFile[],
): readonly { readonly reason: Words; readonly names: readonly string[] }[] {
  return [...groupBy(files, ({ reason }) => reason)].map(([reason, same]) => {
    return { reason: { said: reason.replace(/\.$/, '') }, names: same.map(({ path }) => path) };
  });
}

/** What changes in each group of files and what was checked there: as a fold, or open where a short table is what a clean review has to say. */
export function walkthrough({ walkthrough: lines, outcome }: Review): readonly Block[] {
  const isOpen = outcome === 'clean' && lines.length <= rowsOpen;
  return isOpen ? whatChanges(lines) : fold(`What changed: ${plural(filesIn(lines), 'file')}`, whatChanges(lines));
}

const rowsOpen = 10;
const rowsAtMost = 100;
/** In a row; the others are behind a fold. */
const pathsSeen = 3;
const pathsFolded = 100;

/** Two columns fit a phone. */
export function whatChanges(lines: Review['walkthrough']): readonly Block[] {
  const rows = lines.slice(0, rowsAtMost).map(({ paths, changes, checked }): readonly Line[] => {
    const seen = joined(
      paths.slice(0, pathsSeen).map((name) => [{ name }]),
      ', ',
    );
    const names = paths.slice(pathsSeen);
    const others: Line =
      names.length === 0 ? [] : [{ folded: `+${plural(names.length, 'more file')}`, names, most: pathsFolded }];
    return [[{ small: [seen] }, lineBreak, { said: changes }, ...others], [{ said: checked }]];
  });
  const rest = filesIn(lines.slice(rowsAtMost));
  return [
    ...tableOf(['What changes', 'What was checked'], rows),
    ...(rest > 0 ? lineOf(`and ${plural(rest, 'more file')}`) : []),
  ];
}

/** Below it: whoever edits it would lose that. */
export const ownBlock: readonly Block[] = [
  { kind: 'line', line: ['Postil keeps this block up to date. Write above or below it.'], small: true },
];

function filesIn(lines: Review['walkthrough']): number {
  return lines.reduce((sum, { paths }) => sum + paths.length, 0);
}

/** What did not arrive, and why. */
export function undelivered(deliveries: readonly Delivery[]): readonly Block[] {
  const failed = deliveries.filter(({ status, reason }) => isFailure(status) && reason !== null);
  if (failed.length === 0) return [];
  const items = failed.map(
    ({ sink, status, reason }): Line => [
      { strong: [`${status === 'refused' ? 'Not permitted' : 'Failed'}: `, { said: sink, max: 200 }] },
      ': ',
      { said: reason ?? '', max: 1_000 },
    ],
  );
  return [{ kind: 'alert', level: 'warning', title: 'Not delivered', items }];
}

function isFailure(status: Delivery['status']): boolean {
  return status === 'refused' || status === 'failed';
}

/** What a person may want to know of the run, and of what was delivered: nothing that asks for action. */
export function notes({ review, deliveries }: ReviewRecord): readonly Block[] {
  const remarks = deliveries.filter(({ status, reason }) => status === 'delivered' && reason !== null);
  return listOf([
    ...remarks.map(({ sink, reason }): Line => [{ said: `${capitalised(sink)}: ${reason}`, max: 1_000 }]),
    ...review.notes.map((said): Line => [{ said, max: 1_000 }]),
  ]);
}

/** What was found and is not raised: what keeps each back, and why. */
export function notRaised(found: readonly PlacedFinding[]): readonly Block[] {
  return listOf(
    found.map((finding) => [
      { strong: [`${capitalised(suppressedWords[finding.suppressed?.by ?? 'people'])}:`] },
      ' ',
      { said: finding.title },
      ' (',
      { name: placeOf(finding) },
      '): ',
      { said: finding.reason ?? '', max: 1_000 },
    ]),
  );
}

/** The same as a fold, without what people declined, which the table of findings lists. */
export function foldedNotRaised({ placed }: ReviewRecord): readonly Block[] {
  const { suppressed } = groups(placed);
  const found = suppressed.filter((finding) => finding.suppressed?.by !== 'people');
  const counts = Object.fromEntries(
    suppressors.map((by) => [suppressedWords[by], found.filter((one) => one.suppressed?.by === by).length]),
  );
  return fold(`Found, not raised: ${counted(counts).join(', ')}`, notRaised(found));
}

/** What the model wrote about the change as a whole, and what nobody could make findings of. */
export function generalWords({ nonSpecific, rawFreeText }: Review): readonly Block[] {
  const why = 'It could not be brought into findings, so none of it was posted:';
  return [
    ...nonSpecific.flatMap((text) => proseOf(text, 10_000)),
    ...(rawFreeText === null
      ? []
      : ([
          { kind: 'heading', level: 3, line: ['What the model wrote'] },
          ...lineOf(why),
          ...proseOf(rawFreeText, 60_000),
        ] as const)),
  ];
}

/** All findings for an agent that is to fix them: plain text, which nothing executes. */
export function fixPrompt(findings: readonly PlacedFinding[]): string {
  const texts = findings.map((finding, index) => {
    const { severity, title, review, suggestion, alsoAt } = finding;
    const also = alsoAt.length === 0 ? '' : `\nAlso at: ${alsoAt.slice(0, 50).join(', ')}`;
    const fix = suggestion === null ? '' : `\nSuggested instead of these lines:\n${suggestion}`;
    return `${index + 1}. ${placeOf(finding)} (${severity}): ${title.trim().replace(/\s+/g, ' ')}\n${review.trim()}${also}${fix}`;
  });
  return `Fix these findings of a code review. Check each against the code first; say which you did not fix, and why.\n\n${texts.join('\n\n')}`;
}

const promptFindings = 50;
const fewestCharacters = 500;

/** The prompt with every open finding as a fold of at most so many characters; nothing when it does not fit, or nothing is open. */
export function foldedPrompt(
  placed: readonly PlacedFinding[],
  { redact, max }: Pick<RenderContext, 'redact'> & { max: number },
): readonly Block[] {
  const { open } = groups(placed);
  if (open.length === 0 || max < fewestCharacters) return [];
  const prompt = cleanCode(fixPrompt(open.slice(0, promptFindings)), redact);
  const room = max - fewestCharacters / 2;
  const isCut = prompt.length > room || open.length > promptFindings;
  const note = isCut ? '\n… (cut: the job summary and the report hold all findings)' : '';
  const text = `${cutText(prompt, { max: room - note.length, measure: characters })}${note}`;
  return fold('Fix with an agent', [{ kind: 'code', text }]);
}
