import { type ChangedFile, hunkLines } from '../pull-request/changed-file.ts';
import { type CodeParts, codeParts, type ReadHead } from './code-parts.ts';
import { languageOf } from './language.ts';

/** A comment `postil-ignore: rule-id reason` in or around the changed lines. */
export type IgnoreComment = {
  readonly path: string;
  /** Its line at head, 1-based. */
  readonly line: number;
  /** The line that it is about: its own, or the next one when nothing else stands on its own. */
  readonly about: number;
  /** '' when it names none. */
  readonly ruleId: string;
  /** '' when it gives none. */
  readonly reason: string;
  /** It stood there before the change: only such a comment is obeyed (FAILURES, Security 3). */
  readonly stood: boolean;
  /** The change added the line that it is about. */
  readonly aboutAdded: boolean;
};

const marker = 'postil-ignore:';

/** The comments of these files, as far as their hunks show them. */
export async function ignoreComments(
  files: readonly ChangedFile[],
  readHead: ReadHead,
): Promise<readonly IgnoreComment[]> {
  const found: IgnoreComment[] = [];
  for (const file of files) {
    const lines = markedLines(file);
    if (lines.length === 0) continue;
    const parts = await codeParts(file, readHead);
    found.push(...lines.flatMap((line) => commentOf(line, { file, parts }) ?? []));
  }
  return found;
}

type MarkedLine = {
  readonly line: number;
  readonly text: string;
  readonly added: boolean;
  /** Of the line below. */
  readonly addedBelow: boolean;
};

function markedLines({ hunks }: ChangedFile): readonly MarkedLine[] {
  return hunks.flatMap((hunk) => {
    if (!hunk.lines.some((line) => line.includes(marker))) return [];
    const lines = [...hunkLines(hunk)].filter(({ newLine }) => newLine !== null);
    return lines.flatMap(({ newLine, text, kind }, index): readonly MarkedLine[] => {
      if (newLine === null || !text.includes(marker)) return [];
      return [{ line: newLine, text, added: kind === 'added', addedBelow: lines[index + 1]?.kind === 'added' }];
    });
  });
}

type Where = { readonly file: ChangedFile; readonly parts: CodeParts };

function commentOf({ line, text, added, addedBelow }: MarkedLine, { file, parts }: Where): IgnoreComment | null {
  const at = text.indexOf(marker);
  const start = startOfComment(text, { at, line, parts, known: knowsComments(file.path) });
  if (start === null) return null;
  const alone = text.slice(0, start).trim() === '';
  const [ruleId = '', ...words] = withoutEnd(text.slice(at + marker.length)).split(/\s+/);
  return {
    path: file.path,
    line,
    about: alone ? line + 1 : line,
    ruleId,
    reason: words.join(' '),
    // A copy is new as a whole, whatever its diff shows.
    stood: !added && file.status !== 'copied',
    aboutAdded: alone ? addedBelow : added,
  };
}

function knowsComments(path: string): boolean {
  const syntax = languageOf(path)?.syntax;
  return syntax !== undefined && syntax.lineComments.length + syntax.blockComments.length > 0;
}

type Marked = { readonly at: number; readonly line: number; readonly parts: CodeParts; readonly known: boolean };

/** Where the comment that holds the marker starts; null when the marker stands in no comment. */
function startOfComment(text: string, { at, line, parts, known }: Marked): number | null {
  if (known) {
    return parts(line).find(({ from, to, kind }) => kind === 'comments' && from <= at && at < to)?.from ?? null;
  }
  // Of an unknown language: a usual sign directly before it.
  const before = text.slice(0, at).trimEnd();
  const sign = signs.find((one) => before.endsWith(one));
  return sign === undefined ? null : before.length - sign.length;
}

const signs = ['//', '/*', '#', '--', '<!--', ';', '%', '..'] as const;

/** The words without what ends the comment. */
function withoutEnd(text: string): string {
  const words = text.trim();
  const end = ends.find((one) => words.endsWith(one));
  return (end === undefined ? words : words.slice(0, -end.length)).trim();
}

const ends = ['*/', '-->', '#>', '-}', ']]', '*)'] as const;
