import { digestOf } from '../history/mark.ts';
import { inEnglish } from '../messages/languages.ts';
import { type ChangedFile, renderHunk } from '../pull-request/changed-file.ts';
import { shown } from '../repository/shown.ts';
import { grouped } from '../text.ts';
import type { Batch, BatchFile } from './batch.ts';
import { classOf, fileClasses, withoutIndentation } from './file-class.ts';

/** Wraps text that somebody else wrote, so that it cannot pretend to be an instruction of ours. */
export type Fence = (label: string, text: string) => string;

/**
 * A fence whose mark occurs nowhere in the fenced text: the first 16 hex digits of sha256(head:i) for the smallest such i, and taken out of text
 * that nobody looked through, such as that of another commit. The same pull request gives the same prompt.
 */
export function createFence(head: string, occurs: (mark: string) => boolean): Fence {
  let mark = digestOf(`${head}:0`, 16);
  for (let i = 1; occurs(mark); i += 1) mark = digestOf(`${head}:${i}`, 16);
  return (label, text) => `<untrusted-${mark} ${label}>\n${text.replaceAll(mark, '…')}\n</untrusted-${mark}>`;
}

/** Of a text that somebody else wrote, so many characters on one line. */
export function quotedLine(value: string, limit: number): string {
  return quotedText(value.replaceAll(/\s+/g, ' '), limit);
}

/** Of a text that somebody else wrote, so many characters. None of it looks like the beginning or the end of a fence. */
export function quotedText(value: string, limit: number): string {
  return quotedSource(value, limit).replaceAll(/<(?=\/?untrusted-)/gi, '< ');
}

/**
 * The same of source, which a model quotes back. What it hides (HTML comments, invisible characters) is shown: it is where injections live.
 * It is said where it is cut.
 */
export function quotedSource(value: string, limit: number): string {
  // Redacted before it is cut, or the part of a secret that is left would no longer look like one.
  const lines = shown(value.slice(0, limit + longestSecret).split('\n'));
  const readable = lines.map((line) => line.text).join('\n');
  if (readable.length <= limit) return readable.trim();
  return `${readable.slice(0, limit).trim()} … [cut: ${value.length} characters in all]`;
}

const longestSecret = 4_000;

/** What changes from batch to batch: the rules for its paths, and its diff with line numbers of both sides. */
export function renderBatch(
  batch: Batch,
  guidance: {
    /** What the team says of these files, its rules too. */
    words: readonly string[];
    /** Code around the change, rendered; empty when none was found. */
    chain: string;
    /** Which changed images are shown; empty when there are none. */
    images?: string;
    /** What the rule engine reported for these files, such as `src/a.ts:12 A private key is in the source`. */
    alreadyFound: readonly string[];
    /** The question about earlier findings; empty when there is none. */
    earlier?: string;
    /** What other batches hold, a line each. */
    others?: readonly string[];
    /** The whole diff stands above: this is the part to review. */
    isPart?: boolean;
  },
  fence: Fence,
): string {
  const { alreadyFound, words, chain, images = '', others = [], earlier = '', isPart = false } = guidance;
  const fenced = (heading: string, label: string, text: string) =>
    text === '' ? [] : [`${heading}:\n${fence(label, text)}`];
  const parts = [
    ...(isPart ? ['# Your part', partTask] : ['# Review these files', lineForm]),
    ...words,
    ...(isPart ? [fence('files', oneLineEach(batch.files.map(nameOfFile)))] : []),
    ...fenced('Already reported by pattern rules; do not report again', 'reported', oneLineEach(alreadyFound)),
    ...(isPart ? [] : [renderDiff(batch.files, fence)]),
    ...(images === '' ? [] : [images]),
    ...fenced("Code around the change, one step away (`← …` is a note of Postil's)", 'context', chain),
    ...fenced('In other batches; report of these only what they alone do not show', 'others', oneLineEach(others)),
    ...(earlier === '' ? [] : [earlier]),
    `Review ${isPart ? 'your part' : 'the files above'}, then call submit_review once, alone.`,
  ];
  return parts.join('\n\n');
}

const lineForm =
  'Each line: number (of a removed line the old one), sign, text. Changed functions are whole unless said.';
const partTask =
  'Others review the other files of this diff at the same time. Go through every hunk of the files named here; what the rest of the change means for them, and they for it, is yours too. A defect whose changed line is in another file is theirs: report it only where that file alone does not show it.';

/** The whole diff, which several conversations share. */
export function renderSharedDiff(files: readonly BatchFile[], fence: Fence): string {
  return `# The change\n\n${lineForm}\n\n${renderDiff(files, fence)}\n\n`;
}

function renderDiff(files: readonly BatchFile[], fence: Fence): string {
  return fence('diff', files.map(renderFile).join('\n\n'));
}

function nameOfFile({ file, part }: BatchFile): string {
  return part === null ? file.path : `${file.path} (part ${part.index} of ${part.of})`;
}

/** Files that are named of other batches. */
const mostOthers = 60;

/** The files that other batches review, by kind: at most 60 names. */
export function otherFiles({ files }: Batch, planned: readonly ChangedFile[]): readonly string[] {
  const own = new Set(files.map(({ file }) => file.path));
  const others = [...new Map(planned.map((file) => [file.path, file])).values()].filter(({ path }) => !own.has(path));
  const named = others.slice(0, mostOthers).map((file) => ({ path: file.path, kind: classOf(file) }));
  const left = others.length - mostOthers;
  return [
    ...fileClasses
      .map((kind) => ({ kind, paths: named.flatMap((one) => (one.kind === kind ? [one.path] : [])) }))
      .flatMap(({ kind, paths }) => (paths.length === 0 ? [] : [`${kind}: ${paths.join(', ')}`])),
    ...(left > 0 ? [`… and ${grouped(left)} more`] : []),
  ];
}

function renderFile(batchFile: BatchFile): string {
  const { file, hunks, part } = batchFile;
  const notes = [
    describe(file),
    ...(part === null ? [] : [`part ${part.index} of ${part.of}: the other parts are reviewed separately`]),
    ...movedNote(file),
    ...(file.modeChange === null ? [] : [`mode ${file.modeChange}`]),
    ...(file.incomplete === null ? [] : [`the diff is incomplete: ${inEnglish(file.incomplete)}`]),
  ];
  return [
    oneLineEach([`## ${notes.join('; ')}`]),
    ...hunks.map((hunk) => renderHunk(withoutIndentation(hunk, file.path), Infinity)),
  ].join('\n');
}

/** Without it, unchanged lines would look as if there were nothing to review. */
function movedNote({ moved, additions, deletions }: ChangedFile): readonly string[] {
  if (moved === undefined) return [];
  const change = additions + deletions === 0 ? 'without a change' : 'with few changes';
  if (moved === 'renamed') return [`renamed ${change}: review what its text does under the new name`];
  return [`moved ${change} to where the same text means something else: review all of it, as if it were new`];
}

/** A path may hold anything but NUL, line ends too: it is rendered like source. */
function oneLineEach(texts: readonly string[]): string {
  return texts.map((text) => shown([text])[0]?.text ?? '').join('\n');
}

function describe(file: ChangedFile): string {
  const from = file.oldPath === file.path ? '' : ` from ${file.oldPath}`;
  const kind = file.kind === 'text' ? '' : ` (${file.kind})`;
  return `${file.path} ${file.status}${from}${kind}`;
}
