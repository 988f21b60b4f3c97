import { type PlacedFinding, suppressors } from '../../findings/finding.ts';
import { shareOfFiles } from '../../review/headline.ts';
import type { Coverage, Review, SkippedFile } from '../../review/review.ts';
import type { Delivery, ReviewRecord } from '../../review/sink.ts';
import { titleIn } from '../../rules/rule-texts.ts';
import { capitalised, groupBy } from '../../text.ts';
import { english, type Say } from '../../words/say.ts';
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
  const [title = ''] = headline.split(/(?<=[.!?])\s+|(?<=。)|\n/, 1);
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

/** What should have been reviewed and was not; nothing when all was. A lock file or an image that the headline `named` is not named again. */
export function notReviewed(
  { unreviewed, unread, missing }: Coverage,
  say: Say = english,
  named: readonly string[] = [],
): readonly Block[] {
  const untold = unread.filter(({ path, code }) => code || !named.includes(path));
  const files = [...unreviewed, ...untold];
  if (files.length + missing.length === 0) return [];
  const isHarmless = unreviewed.length + missing.length === 0 && !untold.some(({ code }) => code);
  const reasons = byReason(files, say);
  const left = reasons.slice(reasonsNamed).reduce((sum, { names }) => sum + names.length, 0);
  const items: readonly Line[] = [
    ...reasons
      .slice(0, reasonsNamed)
      .map(({ reason, names }): Line => [reason, say(': '), { names, most: filesNamed }]),
    ...(left > 0 ? [[say.many(left, 'and {n} more file', 'and {n} more files')]] : []),
    ...missing.map((said): Line => [{ said }]),
  ];
  const title =
    files.length === 0
      ? say('Not reviewed')
      : say.many(files.length, 'Not reviewed: {n} file', 'Not reviewed: {n} files');
  return [{ kind: 'alert', level: isHarmless ? 'note' : 'warning', title, items }];
}

/** What became of each file, in lines of so many paths; nothing where all of it is said in a number. */
export function whatWasReviewed(review: Review, { most, say }: { most: number; say: Say }): readonly Block[] {
  const { coverage } = review;
  const { reviewed, skipped, unread, unreviewed, earlier } = coverage;
  const left = unread.length + unreviewed.length;
  const scope = scopeText(review, say);
  const isTold = left === 0 || (reviewed.length === 0 && left <= filesNamed);
  if (skipped.length + earlier.length === 0 && isTold && scope === '') return [];
  const besides = [
    ...(earlier.length === 0 ? [] : [say('{n} of them unchanged since the last review', { n: earlier.length })]),
    ...(left === 0 ? [] : [say('{n} not reviewed', { n: left })]),
    ...(skipped.length === 0 ? [] : [say('{n} skipped', { n: skipped.length })]),
  ];
  const title = say.listed([say('What was reviewed: {share}', { share: say.t(shareOfFiles(coverage)) }), ...besides]);
  return fold(title, [...lineOf(scope), ...filesBy(coverage, { most, say })]);
}

export function filesBy(coverage: Coverage, { most, say }: { most: number; say: Say }): readonly Block[] {
  const { reviewed, unread, unreviewed, earlier } = coverage;
  const item = (label: Line, names: readonly string[]): readonly Line[] =>
    names.length === 0 ? [] : [[{ strong: [...label, say(':')] }, ' ', { names, most }]];
  return listOf([
    ...item([say('Reviewed')], reviewed),
    ...byReason([...unread, ...unreviewed], say).flatMap(({ reason, names }) =>
      item([say('Not reviewed, '), reason], names),
    ),
    ...skippedItems(coverage, { most, say }),
    ...item([say('Unchanged since the last review')], earlier),
  ]);
}

export function skippedItems({ skipped }: Coverage, { most, say }: { most: number; say: Say }): readonly Line[] {
  return byReason(skipped, say).map(({ reason, names }) => [
    { strong: [say('Skipped, '), reason, say(':')] },
    ' ',
    { names, most },
  ]);
}

function byReason(
  files: readonly SkippedFile[],
  say: Say,
): readonly { readonly reason: Words; readonly names: readonly string[] }[] {
  return [...groupBy(files, ({ reason }) => say.t(reason))].map(([reason, same]) => {
    return { reason: { said: reason.replace(/[.。]$/, '') }, names: same.map(({ path }) => path) };
  });
}

/** What changes in each group of files and what was checked there: as a fold, or open where a short table is what a clean review has to say. */
export function walkthrough({ walkthrough: lines, outcome }: Review, say: Say): readonly Block[] {
  const isOpen = outcome === 'clean' && lines.length <= rowsOpen;
  if (isOpen) return whatChanges(lines, say);
  const title = say.many(filesIn(lines), 'What changed: {n} file', 'What changed: {n} files');
  return fold(title, whatChanges(lines, say));
}

const rowsOpen = 10;
const rowsAtMost = 100;
/** In a row; the others are behind a fold. */
const pathsSeen = 3;
const pathsFolded = 100;

/** Two columns fit a phone. */
export function whatChanges(lines: Review['walkthrough'], say: Say): readonly Block[] {
  const rows = lines.slice(0, rowsAtMost).map(({ paths, changes, checked }): readonly Line[] => {
    const seen = joined(
      paths.slice(0, pathsSeen).map((name) => [{ name }]),
      ', ',
    );
    const names = paths.slice(pathsSeen);
    const others: Line =
      names.length === 0
        ? []
        : [{ folded: `+${say.many(names.length, '{n} more file', '{n} more files')}`, names, most: pathsFolded }];
    return [[{ small: [seen] }, lineBreak, { said: changes }, ...others], [{ said: checked }]];
  });
  const rest = filesIn(lines.slice(rowsAtMost));
  return [
    ...tableOf([say('What changes'), say('What was checked')], rows),
    ...(rest > 0 ? lineOf(say.many(rest, 'and {n} more file', 'and {n} more files')) : []),
  ];
}

/** Below it: whoever edits it would lose that. */
export function ownBlock(say: Say): readonly Block[] {
  return [{ kind: 'line', line: [say('Postil keeps this block up to date. Write above or below it.')], small: true }];
}

function filesIn(lines: Review['walkthrough']): number {
  return lines.reduce((sum, { paths }) => sum + paths.length, 0);
}

/** What did not arrive, and why. */
export function undelivered(deliveries: readonly Delivery[], say: Say): readonly Block[] {
  const failed = deliveries.filter(({ status, reason }) => isFailure(status) && reason !== null);
  if (failed.length === 0) return [];
  const items = failed.map(
    ({ sink, status, reason }): Line => [
      { strong: [status === 'refused' ? say('Not permitted: ') : say('Failed: '), { said: say.of(sink), max: 200 }] },
      say(': '),
      { said: reason ?? '', max: 1_000 },
    ],
  );
  return [{ kind: 'alert', level: 'warning', title: say('Not delivered'), items }];
}

function isFailure(status: Delivery['status']): boolean {
  return status === 'refused' || status === 'failed';
}

/** What a person may want to know of the run, and of what was delivered: nothing that asks for action. */
export function notes({ review, deliveries }: ReviewRecord, say: Say): readonly Block[] {
  const remarks = deliveries.filter(({ status, reason }) => status === 'delivered' && reason !== null);
  return listOf([
    ...remarks.map(
      ({ sink, reason }): Line => [{ said: `${capitalised(say.of(sink))}${say(': ')}${reason}`, max: 1_000 }],
    ),
    ...review.notes.map((said): Line => [{ said, max: 1_000 }]),
  ]);
}

/** What was found and is not raised: what keeps each back, and why. */
export function notRaised(found: readonly PlacedFinding[], say: Say): readonly Block[] {
  return listOf(
    found.map((finding) => [
      { strong: [`${capitalised(say(suppressedWords[finding.suppressed?.by ?? 'people']))}${say(':')}`] },
      ' ',
      { said: titleIn(finding, say) },
      ' (',
      { name: placeOf(finding, say) },
      ')',
      say(': '),
      { said: finding.reason ?? '', max: 1_000 },
    ]),
  );
}

/** The same as a fold, without what people declined, which the table of findings lists. */
export function foldedNotRaised({ placed }: ReviewRecord, say: Say): readonly Block[] {
  const { suppressed } = groups(placed);
  const found = suppressed.filter((finding) => finding.suppressed?.by !== 'people');
  const counts = suppressors.flatMap((by) => {
    const count = found.filter((one) => one.suppressed?.by === by).length;
    return count === 0 ? [] : [say('{n} {word}', { n: count, word: say(suppressedWords[by]) })];
  });
  return fold(say('Found, not raised: {counts}', { counts: say.listed(counts) }), notRaised(found, say));
}

/** What the model wrote about the change as a whole, and what nobody could make findings of. */
export function generalWords({ nonSpecific, rawFreeText }: Review, say: Say): readonly Block[] {
  const why = say('It could not be brought into findings, so none of it was posted:');
  return [
    ...nonSpecific.flatMap((text) => proseOf(text, 10_000)),
    ...(rawFreeText === null
      ? []
      : ([
          { kind: 'heading', level: 3, line: [say('What the model wrote')] },
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
  { redact, max, say = english }: Pick<RenderContext, 'redact' | 'say'> & { max: number },
): readonly Block[] {
  const { open } = groups(placed);
  if (open.length === 0 || max < fewestCharacters) return [];
  const prompt = cleanCode(fixPrompt(open.slice(0, promptFindings)), redact);
  const room = max - fewestCharacters / 2;
  const isCut = prompt.length > room || open.length > promptFindings;
  const note = isCut ? `\n${say('… (cut: the job summary and the report hold all findings)')}` : '';
  const text = `${cutText(prompt, { max: room - note.length, measure: characters })}${note}`;
  return fold(say('Fix with an agent'), [{ kind: 'code', text }]);
}
