import { shown } from '../repository/shown.ts';
import { grouped } from '../text.ts';
import { type ChangedFile, changesLines, type Hunk, maxLineCharacters } from './changed-file.ts';
import type { UnreadFile } from './select-files.ts';

/** What a long line shows of its change, in characters; a file with more in one line is not read whole. */
export const maxChangedCharacters = 25_000;

/** Characters around the change. */
const around = 200;

/** Of a longer line nothing is shown: rendering it costs more than it tells. */
const largestLine = 2_000_000;

export type Windowed = {
  /** The same files; long lines are cut to windows around what changed in them, rendered as `shown()` does. */
  readonly files: readonly ChangedFile[];
  /** Files with a changed part that no window shows. */
  readonly cut: readonly UnreadFile[];
};

/** Cuts long lines before anything is planned, so that what a window shows does not depend on how a file is divided. */
export function windowLongLines(files: readonly ChangedFile[]): Windowed {
  const cut: UnreadFile[] = [];
  const windowed = files.map((file) => {
    if (!file.hunks.some(hasLongLine)) return file;
    const hunks = file.hunks.map((hunk) => windowedHunk(hunk, file.moved !== undefined));
    const lines = hunks.reduce((sum, hunk) => sum + hunk.cut, 0);
    const reason = { code: 'file.long-lines', count: lines, max: maxChangedCharacters } as const;
    if (lines > 0) cut.push({ path: file.path, reason, code: true });
    return { ...file, hunks: hunks.map(({ hunk }) => hunk) };
  });
  return { files: windowed, cut };
}

// The first character is the sign.
function hasLongLine({ lines }: Hunk): boolean {
  return lines.some((line) => line.length > maxLineCharacters + 1);
}

function windowedHunk(hunk: Hunk, moved: boolean): { readonly hunk: Hunk; readonly cut: number } {
  if (!hasLongLine(hunk)) return { hunk, cut: 0 };
  const texts = hunk.lines.map((line) => line.slice(1));
  const rendered = shown(texts.map((text) => (text.length > largestLine ? '' : text))).map(({ text }) => text);
  const partners = partnersOf(hunk);
  // What came here by a move is new here, line for line.
  const allNew = moved && !changesLines(hunk);
  let cut = 0;
  const lines = hunk.lines.map((line, index) => {
    const text = texts[index] ?? '';
    if (text.length <= maxLineCharacters) return line;
    const sign = line.charAt(0);
    const isContext = sign === ' ' && !allNew;
    if (text.length > largestLine) {
      cut += isContext && !moved ? 0 : 1;
      return `${sign}${marker(text.length)}`;
    }
    const full = rendered[index] ?? '';
    if (isContext) {
      cut += moved ? 1 : 0;
      return `${sign}${window(full, { from: 0, to: maxLineCharacters })}`;
    }
    const partner = partners.get(index);
    const changed = changedRange(text, partner === undefined ? null : (texts[partner] ?? ''));
    const isCut = changed.to - changed.from > maxChangedCharacters;
    cut += isCut ? 1 : 0;
    const visible = changedRange(full, partner === undefined ? null : (rendered[partner] ?? ''));
    // What is not read whole must not take the room of what is.
    const to = isCut ? visible.from + maxLineCharacters : visible.to + around;
    return `${sign}${window(full, { from: visible.from - around, to })}`;
  });
  return { hunk: { ...hunk, lines }, cut };
}

type Range = { readonly from: number; readonly to: number };

/** What differs from the line in whose place it stands: all but the common beginning and end. */
function changedRange(text: string, other: string | null): Range {
  if (other === null) return { from: 0, to: text.length };
  const most = Math.min(text.length, other.length);
  let from = 0;
  while (from < most && text.charCodeAt(from) === other.charCodeAt(from)) from++;
  let end = 0;
  while (end < most - from && text.charCodeAt(text.length - 1 - end) === other.charCodeAt(other.length - 1 - end))
    end++;
  return { from, to: text.length - end };
}

/** By index among the lines of the hunk: a removed line and the added one that takes its place. */
function partnersOf(hunk: Hunk): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  let removed: number[] = [];
  let added: number[] = [];
  const close = () => {
    for (const [index, line] of removed.entries()) {
      const other = added[index];
      if (other !== undefined) partners.set(line, other).set(other, line);
    }
    removed = [];
    added = [];
  };
  for (const [index, line] of hunk.lines.entries()) {
    if (line.startsWith('-')) {
      if (added.length > 0) close();
      removed.push(index);
    } else if (line.startsWith('+')) added.push(index);
    else if (!line.startsWith('\\')) close();
  }
  close();
  return partners;
}

/** A part of a line with what was cut before and behind it; the border never leaves half a character. */
function window(text: string, range: Range): string {
  const from = whole(text, Math.max(0, range.from));
  const to = whole(text, Math.min(text.length, range.to));
  const before = from === 0 ? '' : `${marker(from)} … `;
  const behind = to === text.length ? '' : ` … ${marker(text.length - to)}`;
  return `${before}${text.slice(from, to)}${behind}`;
}

function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function marker(characters: number): string {
  return `(cut: ${grouped(characters)} characters)`;
}

/** The parts of a quoted line that a window showed, without the notes of what was cut. */
export function quotedParts(line: string): readonly string[] {
  return line
    .split(/\(cut: [\d,]+(?: of [\d,]+)? characters\)/)
    .map((part) => part.replace(/^\s*…\s|\s…\s*$/g, '').trim())
    .filter((part) => part !== '' && part !== '…');
}
