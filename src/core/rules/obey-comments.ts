import { type Finding, suppress } from '../findings/finding.ts';
import { type CodeParts, codeParts, masked, type ReadHead } from '../languages/code-parts.ts';
import { languageOf } from '../languages/languages.ts';
import type { Message } from '../messages/message.ts';
import { type ChangedFile, codeText, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { shown } from '../repository/shown.ts';
import { nearest } from '../settings/setting.ts';
import { limits } from './rule.ts';

/** The comment that keeps a rule from being raised at a line: it stood there before the change, and says why. */
export type CommentFor = (at: {
  path: string;
  ruleId: string | null;
  /** At head, the first of the place. */
  line: number;
}) => IgnoreComment | null;

export function obeyedComments(comments: readonly IgnoreComment[]): CommentFor {
  const obeyed = comments
    .slice(0, limits.ignoreComments)
    .filter(({ refused, reason }) => refused === null && reason !== '');
  // The first of several at one place.
  const byPlace = new Map(obeyed.toReversed().map((one) => [placeKey(one.path, one.ruleId, one.about), one]));
  return ({ path, ruleId, line }) => (ruleId === null ? null : (byPlace.get(placeKey(path, ruleId, line)) ?? null));
}

function placeKey(path: string, ruleId: string, line: number): string {
  return JSON.stringify([path, ruleId, line]);
}

/** Takes out the findings that a comment keeps from being raised. */
export function obeyComments(
  findings: readonly Finding[],
  commentFor: CommentFor,
): { readonly raised: readonly Finding[]; readonly ignored: readonly Finding[] } {
  const raised: Finding[] = [];
  const ignored: Finding[] = [];
  for (const finding of findings) {
    const { anchor, path, ruleId } = finding;
    const isNew = anchor.kind === 'lines' && anchor.side === 'RIGHT';
    const comment = isNew ? commentFor({ path, ruleId, line: anchor.startLine }) : null;
    if (comment === null) raised.push(finding);
    else ignored.push(ignoredBy(finding, comment));
  }
  return { raised, ignored };
}

export function ignoredBy(finding: Finding, comment: IgnoreComment): Finding {
  const reason: Message = { code: 'finding.ignored', place: placeOf(comment), words: shownLine(comment.reason) };
  return suppress(finding, { by: 'rule-comment', reason });
}

/** What people should know of the comments that are not obeyed, a sentence or two each. */
export function notesOnComments(comments: readonly IgnoreComment[], ruleIds: readonly string[]): readonly Message[] {
  const notes = comments.slice(0, limits.ignoreComments).flatMap((comment) => noteOn(comment, ruleIds) ?? []);
  const more = notes.length - limits.ignoreNotes;
  return [
    ...notes.slice(0, limits.ignoreNotes),
    ...(more > 0 ? [{ code: 'note.more-ignore-comments', count: more } as const] : []),
    ...(comments.length > limits.ignoreComments ? [tooMany] : []),
  ];
}

const tooMany = { code: 'note.many-ignore-comments', max: limits.ignoreComments } as const;

function noteOn(comment: IgnoreComment, ruleIds: readonly string[]): Message | null {
  const faults = faultsOf(comment, ruleIds);
  const { refused, aboutAdded } = comment;
  if (refused === 'came' || ((refused === 'moved' || refused === 'unmerged') && aboutAdded)) {
    const what = comment.ruleId === '' ? 'something' : shownLine(comment.ruleId);
    const why = comment.reason === '' ? '' : `: ${shownLine(comment.reason)}`;
    const also = faults.map((fault) => ` It ${fault}.`).join('');
    const request = `${what} at ${placeOf(comment)}${why.replace(/\.$/, '')}`;
    return { code: 'note.asked-to-ignore', request, why: `${sentences[refused]}${also}` };
  }
  if (faults.length === 0 || !aboutAdded) return null;
  return { code: 'note.ignore-comment', place: placeOf(comment), why: faults.join(', and ') };
}

const sentences = {
  came: 'The comment came with this change, so it is not obeyed.',
  moved: 'Its file came from another place with this change, so it is not obeyed.',
  unmerged: 'It does not stand so at the base of the stack, so it is not obeyed.',
} as const;

function faultsOf({ ruleId, reason }: IgnoreComment, ruleIds: readonly string[]): readonly string[] {
  if (ruleId === '') return ['names no rule'];
  const known = ruleIds.includes(ruleId);
  const meant = known ? null : nearest(ruleId, ruleIds);
  const unknown = `names no rule that exists${meant === null ? '' : ` (did you mean ${meant}?)`}`;
  return [...(known ? [] : [unknown]), ...(reason === '' ? ['gives no reason'] : [])];
}

function placeOf({ path, line }: IgnoreComment): string {
  return `${path}:${line}`;
}

const maxWords = 300;

/** Words of the source as people may see them. */
function shownLine(text: string): string {
  const visible = shown([text])[0]?.text ?? '';
  return visible.length > maxWords ? `${visible.slice(0, maxWords)}…` : visible;
}

/** A comment `postil-ignore: rule-id reason` in or around the changed lines. */
type IgnoreComment = {
  readonly path: string;
  /** Its line at head, 1-based. */
  readonly line: number;
  /** The line that it is about: its own, or the next one that is no comment when nothing else stands on its own. */
  readonly about: number;
  /** '' when it names none. */
  readonly ruleId: string;
  /** '' when it gives none. */
  readonly reason: string;
  /**
   * Null when it stood for this line before the change: only such a comment is obeyed. It came with the change, its file
   * came from another place, the line below it was put there, or a layer of the stack that is not merged wrote it.
   */
  readonly refused: 'came' | 'moved' | 'inserted' | 'unmerged' | null;
  /** The change added the line that it is about. */
  readonly aboutAdded: boolean;
};

export const marker = 'postil-ignore:';

/** The comments of these files, as far as their hunks show them: at most `limits.ignoreComments`, and one more that says there are others. */
export async function ignoreComments(
  files: readonly ChangedFile[],
  readHead: ReadHead,
): Promise<readonly IgnoreComment[]> {
  const found: IgnoreComment[] = [];
  for (const file of files) {
    const marked = file.hunks.filter(({ lines }) => lines.some((line) => line.includes(marker)));
    if (marked.length === 0) continue;
    const where = { file, known: knowsComments(file.path), parts: await codeParts(file, readHead) };
    for (const hunk of marked) {
      for (const line of markedLines(hunk, where)) {
        const comment = commentOf(line, where);
        if (comment !== null) found.push(comment);
        if (found.length > limits.ignoreComments) return found;
      }
    }
  }
  return found;
}

type HeadLine = { readonly line: number; readonly text: string; readonly added: boolean };

type MarkedLine = HeadLine & {
  /** The next line of the hunk that is no comment, else the one behind the hunk. */
  readonly next: Omit<HeadLine, 'text'>;
  /** What stood in its place before, where the change put it; null where nothing did. */
  readonly replaced: string | null;
  /** The comment before the change, with the line below it. */
  readonly old: readonly string[];
  /** Whether the line at head stands in the place of a removed one. */
  readonly replaces: (line: number) => boolean;
};

type Where = { readonly file: ChangedFile; readonly parts: CodeParts; readonly known: boolean };

// From the last line up, so that each line is looked at once however many comments stand above it.
function markedLines(hunk: Hunk, where: Where): readonly MarkedLine[] {
  const replaced = replacedLines(hunk);
  const marked: MarkedLine[] = [];
  let next: MarkedLine['next'] = { line: hunk.newStart + hunk.newLines, added: false };
  let below: readonly string[] = [];
  for (const { newLine, text: raw, kind } of [...hunkLines(hunk)].reverse()) {
    const old = kind === 'added' ? [] : [raw, ...below.slice(0, 1)];
    if (kind !== 'added') below = old;
    if (newLine === null) continue;
    const text = codeText(raw, newLine);
    const line = { line: newLine, text, added: kind === 'added' };
    if (text.includes(marker)) {
      const before = replaced.get(newLine) ?? null;
      marked.push({ ...line, next, replaced: before, old, replaces: (one) => replaced.has(one) });
    }
    if (!isComment(line, where)) next = line;
  }
  return marked.reverse();
}

function commentOf(marked: MarkedLine, { file, parts, known }: Where): IgnoreComment | null {
  const { line, text, added, next, replaced, old, replaces } = marked;
  const at = text.indexOf(marker);
  const start = startOfComment(text, { at, line, parts, known });
  if (start === null) return null;
  const alone = text.slice(0, start).trim() === '';
  const about = alone ? next : { line, added };
  const [ruleId = '', ...words] = withoutEnd(text.slice(at + marker.length))
    .slice(0, limits.ignoreCharacters)
    .split(/\s+/);
  const kept = !alone && replaced !== null && endsAlike(replaced, text.slice(start));
  const inserted = alone && about.added && !replaces(about.line);
  const stood = kept ? [replaced] : old;
  return {
    path: file.path,
    line,
    about: about.line,
    ruleId,
    reason: words.join(' '),
    refused: whyRefused(file, added && !kept, inserted ? 'inserted' : stoodAtBase(file, stood) ? null : 'unmerged'),
    aboutAdded: about.added,
  };
}

/** Elsewhere a comment is new, whatever the diff shows; and what is put below one is not what it was written about. */
function whyRefused(
  { status }: ChangedFile,
  came: boolean,
  otherwise: IgnoreComment['refused'],
): IgnoreComment['refused'] {
  if (came || status === 'copied') return 'came';
  return status === 'renamed' ? 'moved' : otherwise;
}

/** Outside of a stack the merge base is merged code. */
function stoodAtBase({ stackBase }: ChangedFile, lines: readonly string[]): boolean {
  if (stackBase === undefined) return true;
  return `\n${stackBase ?? ''}\n`.includes(`\n${lines.join('\n')}\n`);
}

/**
 * The line that this one replaces ended with the same comment, behind code: what is new is the code. A comment that stood elsewhere, also one
 * line above, came with the change, or a change could move it to what it brings.
 */
function endsAlike(replaced: string, comment: string): boolean {
  const [before, end] = [replaced.trimEnd(), comment.trimEnd()];
  return before.endsWith(end) && before.slice(0, -end.length).trim() !== '';
}

/** Nothing but a comment stands there. */
function isComment({ line, text }: HeadLine, { parts, known }: Pick<Where, 'parts' | 'known'>): boolean {
  if (text.trim() === '') return false;
  if (known) return masked(text, parts(line), ['comments']).trim() === '';
  return signs.some((sign) => text.trimStart().startsWith(sign));
}

function knowsComments(path: string): boolean {
  const syntax = languageOf(path)?.syntax;
  return syntax !== undefined && syntax.lineComments.length + syntax.blockComments.length > 0;
}

/** Where the comment that holds the marker starts; null when the marker stands in no comment. */
function startOfComment(
  text: string,
  { at, line, parts, known }: { at: number; line: number; parts: CodeParts; known: boolean },
): number | null {
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

/** By the line of an added line at head, the text of the removed one in whose place it stands: the first for the first of each block. */
function replacedLines(hunk: Hunk): ReadonlyMap<number, string> {
  const replaced = new Map<number, string>();
  let line = hunk.newStart;
  let removed: string[] = [];
  let added = 0;
  for (const text of hunk.lines) {
    if (text.startsWith('+')) {
      const before = removed[added];
      if (before !== undefined) replaced.set(line, before);
      added += 1;
      line += 1;
      continue;
    }
    // A note of a missing newline ends no block.
    if (text.startsWith('\\')) continue;
    if (added > 0 || text.startsWith(' ')) {
      removed = [];
      added = 0;
    }
    if (text.startsWith('-')) removed.push(text.slice(1));
    else line += 1;
  }
  return replaced;
}
