import { type PlacedFinding, suppressors } from '../../findings/finding.ts';
import { inEnglish } from '../../messages/languages.ts';
import type { Translator } from '../../messages/translator.ts';
import { shareOfFiles } from '../../review/headline.ts';
import type { Coverage, Review, SkippedFile } from '../../review/review.ts';
import { type Delivery, type ReviewRecord, sinkLabel } from '../../review/sink.ts';
import { reviewInEnglish, titleIn } from '../../rules/rule-texts.ts';
import { capitalised, groupBy } from '../../text.ts';
import { cleanCode } from '../sanitise-phrasing.ts';
import { characters, cutText } from '../text.ts';
import { groups, otherPlaces, placeOf, type RenderContext, scopeNote, suppressedLabel } from '../wording.ts';
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
  t: Translator = inEnglish,
  named: readonly string[] = [],
): readonly Block[] {
  const untold = unread.filter(({ path, code }) => code || !named.includes(path));
  const files = [...unreviewed, ...untold];
  if (files.length + missing.length === 0) return [];
  const isHarmless = unreviewed.length + missing.length === 0 && !untold.some(({ code }) => code);
  const reasons = byReason(files, t);
  const left = reasons.slice(reasonsNamed).reduce((sum, { names }) => sum + names.length, 0);
  const items: readonly Line[] = [
    ...reasons
      .slice(0, reasonsNamed)
      .map(({ reason, names }): Line => [reason, t({ code: 'punctuation.colon-space' }), { names, most: filesNamed }]),
    ...(left > 0 ? [[t({ code: 'files.and-more', count: left })]] : []),
    ...missing.map((what): Line => [{ said: t(what) }]),
  ];
  const title =
    files.length === 0 ? t({ code: 'not-reviewed.title' }) : t({ code: 'not-reviewed.count', count: files.length });
  return [{ kind: 'alert', level: isHarmless ? 'note' : 'warning', title, items }];
}

/** What became of each file, in lines of so many paths; nothing where all of it is said in a number. */
export function whatWasReviewed(review: Review, { most, t }: { most: number; t: Translator }): readonly Block[] {
  const { coverage } = review;
  const { reviewed, skipped, unread, unreviewed, earlier } = coverage;
  const left = unread.length + unreviewed.length;
  const note = scopeNote(review);
  const scope = note === null ? '' : t(note);
  const isTold = left === 0 || (reviewed.length === 0 && left <= filesNamed);
  if (skipped.length + earlier.length === 0 && isTold && scope === '') return [];
  const besides = [
    ...(earlier.length === 0 ? [] : [t({ code: 'coverage.unchanged', count: earlier.length })]),
    ...(left === 0 ? [] : [t({ code: 'coverage.not-reviewed', count: left })]),
    ...(skipped.length === 0 ? [] : [t({ code: 'coverage.skipped', count: skipped.length })]),
  ];
  const title = t.listed([t({ code: 'coverage.title', share: shareOfFiles(coverage) }), ...besides]);
  return fold(title, [...lineOf(scope), ...filesBy(coverage, { most, t })]);
}

export function filesBy(coverage: Coverage, { most, t }: { most: number; t: Translator }): readonly Block[] {
  const { reviewed, unread, unreviewed, earlier } = coverage;
  const item = (label: Line, names: readonly string[]): readonly Line[] =>
    names.length === 0 ? [] : [[{ strong: [...label, t({ code: 'punctuation.colon' })] }, ' ', { names, most }]];
  return listOf([
    ...item([t({ code: 'coverage.reviewed' })], reviewed),
    ...byReason([...unread, ...unreviewed], t).flatMap(({ reason, names }) =>
      item([t({ code: 'not-reviewed.lead' }), reason], names),
    ),
    ...skippedItems(coverage, { most, t }),
    ...item([t({ code: 'coverage.unchanged-title' })], earlier),
  ]);
}

export function skippedItems({ skipped }: Coverage, { most, t }: { most: number; t: Translator }): readonly Line[] {
  return byReason(skipped, t).map(({ reason, names }) => [
    { strong: [t({ code: 'coverage.skipped-lead' }), reason, t({ code: 'punctuation.colon' })] },
    ' ',
    { names, most },
  ]);
}

function byReason(
  files: readonly SkippedFile[],
  t: Translator,
): readonly { readonly reason: Words; readonly names: readonly string[] }[] {
  return [...groupBy(files, ({ reason }) => t(reason))].map(([reason, same]) => {
    return { reason: { said: reason.replace(/[.。]$/, '') }, names: same.map(({ path }) => path) };
  });
}

/** What changes in each group of files and what was checked there: as a fold, or open where a short table is what a clean review has to say. */
export function walkthrough({ walkthrough: lines, outcome }: Review, t: Translator): readonly Block[] {
  const isOpen = outcome === 'clean' && lines.length <= rowsOpen;
  if (isOpen) return whatChanges(lines, t);
  const title = t({ code: 'walkthrough.title', count: filesIn(lines) });
  return fold(title, whatChanges(lines, t));
}

const rowsOpen = 10;
const rowsAtMost = 100;
/** In a row; the others are behind a fold. */
const pathsSeen = 3;
const pathsFolded = 100;

/** Two columns fit a phone. */
export function whatChanges(lines: Review['walkthrough'], t: Translator): readonly Block[] {
  const rows = lines.slice(0, rowsAtMost).map(({ paths, changes, checked }): readonly Line[] => {
    const seen = joined(
      paths.slice(0, pathsSeen).map((name) => [{ name }]),
      ', ',
    );
    const names = paths.slice(pathsSeen);
    const others: Line =
      names.length === 0
        ? []
        : [{ folded: `+${t({ code: 'files.more', count: names.length })}`, names, most: pathsFolded }];
    return [[{ small: [seen] }, lineBreak, { said: changes }, ...others], [{ said: checked }]];
  });
  const rest = filesIn(lines.slice(rowsAtMost));
  return [
    ...tableOf([t({ code: 'walkthrough.changes' }), t({ code: 'walkthrough.checked' })], rows),
    ...(rest > 0 ? lineOf(t({ code: 'files.and-more', count: rest })) : []),
  ];
}

/** Below it: whoever edits it would lose that. */
export function ownBlock(t: Translator): readonly Block[] {
  return [{ kind: 'line', line: [t({ code: 'description.own-block' })], small: true }];
}

function filesIn(lines: Review['walkthrough']): number {
  return lines.reduce((sum, { paths }) => sum + paths.length, 0);
}

/** What did not arrive, and why. */
export function undelivered(deliveries: readonly Delivery[], t: Translator): readonly Block[] {
  const failed = deliveries.filter(({ status, reason }) => isFailure(status) && reason.length > 0);
  if (failed.length === 0) return [];
  const items = failed.map(
    ({ sink, status, reason }): Line => [
      {
        strong: [
          status === 'refused' ? t({ code: 'not-permitted-lead' }) : t({ code: 'failed-lead' }),
          { said: t(sinkLabel(sink)), max: 200 },
        ],
      },
      t({ code: 'punctuation.colon-space' }),
      { said: t.sentences(reason), max: 1_000 },
    ],
  );
  return [{ kind: 'alert', level: 'warning', title: t({ code: 'undelivered.title' }), items }];
}

function isFailure(status: Delivery['status']): boolean {
  return status === 'refused' || status === 'failed';
}

/** What a person may want to know of the run, and of what was delivered: nothing that asks for action. */
export function notes({ review, deliveries }: ReviewRecord, t: Translator): readonly Block[] {
  const remarks = deliveries.filter(({ status, reason }) => status === 'delivered' && reason.length > 0);
  return listOf([
    ...remarks.map(({ sink, reason }): Line => {
      const said = `${capitalised(t(sinkLabel(sink)))}${t({ code: 'punctuation.colon-space' })}${t.sentences(reason)}`;
      return [{ said, max: 1_000 }];
    }),
    ...review.notes.map((note): Line => [{ said: t(note), max: 1_000 }]),
  ]);
}

/** What was found and is not raised: what keeps each back, and why. */
export function notRaised(found: readonly PlacedFinding[], t: Translator): readonly Block[] {
  return listOf(
    found.map((finding) => [
      {
        strong: [
          `${capitalised(t(suppressedLabel(finding.suppressed?.by ?? 'people')))}${t({ code: 'punctuation.colon' })}`,
        ],
      },
      ' ',
      { said: titleIn(finding, t) },
      ' (',
      { name: placeOf(finding, t) },
      ')',
      t({ code: 'punctuation.colon-space' }),
      { said: finding.reason === null ? '' : t(finding.reason), max: 1_000 },
    ]),
  );
}

/** The same as a fold, without what people declined, which the table of findings lists. */
export function foldedNotRaised({ placed }: ReviewRecord, t: Translator): readonly Block[] {
  const { suppressed } = groups(placed);
  const found = suppressed.filter((finding) => finding.suppressed?.by !== 'people');
  const counts = suppressors.flatMap((by) => {
    const count = found.filter((one) => one.suppressed?.by === by).length;
    return count === 0 ? [] : [t({ code: 'suppressed.count', count: count, word: suppressedLabel(by) })];
  });
  return fold(t({ code: 'findings.not-raised', counts: t.listed(counts) }), notRaised(found, t));
}

/** What the model wrote about the change as a whole, and what nobody could make findings of. */
export function generalWords({ nonSpecific, rawFreeText }: Review, t: Translator): readonly Block[] {
  const why = t({ code: 'findings.not-brought' });
  return [
    ...nonSpecific.flatMap((text) => proseOf(text, 10_000)),
    ...(rawFreeText === null
      ? []
      : ([
          { kind: 'heading', level: 3, line: [t({ code: 'findings.model-words' })] },
          ...lineOf(why),
          ...proseOf(rawFreeText, 60_000),
        ] as const)),
  ];
}

/** All findings for an agent that is to fix them: plain text, which nothing executes. */
export function fixPrompt(findings: readonly PlacedFinding[]): string {
  const texts = findings.map((finding, index) => {
    const { severity, title, suggestion } = finding;
    const others = otherPlaces(finding);
    const also = others.length === 0 ? '' : `\nAlso at: ${others.slice(0, 50).join(', ')}`;
    const fix = suggestion === null ? '' : `\nSuggested instead of these lines:\n${suggestion}`;
    return `${index + 1}. ${placeOf(finding)} (${severity}): ${title.trim().replace(/\s+/g, ' ')}\n${reviewInEnglish(finding).trim()}${also}${fix}`;
  });
  return `Fix these findings of a code review. Check each against the code first; say which you did not fix, and why.\n\n${texts.join('\n\n')}`;
}

const promptFindings = 50;
const fewestCharacters = 500;

/** The prompt with every open finding as a fold of at most so many characters; nothing when it does not fit, or nothing is open. */
export function foldedPrompt(
  placed: readonly PlacedFinding[],
  { redact, max, t = inEnglish }: Pick<RenderContext, 'redact' | 't'> & { max: number },
): readonly Block[] {
  const { open } = groups(placed);
  if (open.length === 0 || max < fewestCharacters) return [];
  const prompt = cleanCode(fixPrompt(open.slice(0, promptFindings)), redact);
  const room = max - fewestCharacters / 2;
  const isCut = prompt.length > room || open.length > promptFindings;
  const note = isCut ? `\n${t({ code: 'cut.findings' })}` : '';
  const text = `${cutText(prompt, { max: room - note.length, measure: characters })}${note}`;
  return fold(t({ code: 'prompt.title' }), [{ kind: 'code', text }]);
}
