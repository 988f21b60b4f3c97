import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { maxChangedCharacters } from '../pull-request/line-windows.ts';

/** Files that are reviewed together, by one agent run. */
export type Batch = {
  /** Such as `2 src/server`; the number is left out when there is one batch. */
  readonly name: string;
  readonly files: readonly BatchFile[];
  /** Tokens that its diff takes in the prompt, estimated. */
  readonly estimatedTokens: number;
  /** Texts that nothing runs, or lines that only moved sideways: one call without reading tools reviews them. */
  readonly trivial?: boolean;
};

export type BatchFile = {
  readonly file: ChangedFile;
  /** The hunks that are shown in this batch: all of the file's, or a part of a file too large for one batch. */
  readonly hunks: readonly Hunk[];
  /** Null when the whole file's diff is here. */
  readonly part: { readonly index: number; readonly of: number } | null;
};

/** Line numbers of both sides and the sign take about five tokens a line. */
const tokensOfGutter = 5;
const charactersPerToken = 3.3;
const tokensOfHeader = 20;

/**
 * Tokens that a hunk takes in the prompt. Counted by characters: the plan of a million lines must not wait for a tokenizer;
 * the call itself is estimated again before it is paid.
 */
function estimateHunk(hunk: Hunk): number {
  let characters = 0;
  for (const line of hunk.lines) characters += Math.min(line.length, maxChangedCharacters);
  return tokensOfHeader + hunk.lines.length * tokensOfGutter + Math.ceil(characters / charactersPerToken);
}

export function estimateHunks(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, hunk) => sum + estimateHunk(hunk), tokensOfHeader);
}

/** The batch as two of about half its tokens: between files, or within its only file. Null when it cannot be divided. No line is dropped. */
export function halveBatch(batch: Batch): readonly [Batch, Batch] | null {
  const pieces = batch.files.length > 1 ? batch.files : halvesOf(batch.files);
  if (pieces.length < 2) return null;
  const costs = pieces.map(({ hunks }) => estimateHunks(hunks));
  const half = costs.reduce((sum, cost) => sum + cost, 0) / 2;
  let tokens = 0;
  const beyond = costs.findIndex((cost) => {
    tokens += cost;
    return tokens > half;
  });
  const middle = Math.min(Math.max(beyond, 1), pieces.length - 1);
  return [
    part(batch, { number: 1, files: pieces.slice(0, middle) }),
    part(batch, { number: 2, files: pieces.slice(middle) }),
  ];
}

/** More than a half, since each piece brings its own header. */
const share = 0.6;

/** Pieces of pieces are counted anew: what matters to the model is that the others are reviewed as well. */
function halvesOf([only]: readonly BatchFile[]): readonly BatchFile[] {
  if (only === undefined) return [];
  const pieces = splitFile({ ...only.file, hunks: only.hunks }, estimateHunks(only.hunks) * share);
  return pieces.map((piece) => ({ ...piece, file: only.file }));
}

function part(batch: Batch, half: { number: 1 | 2; files: readonly BatchFile[] }): Batch {
  const estimatedTokens = half.files.reduce((sum, { hunks }) => sum + estimateHunks(hunks), 0);
  return { ...batch, name: `${batch.name} (half ${half.number})`, files: half.files, estimatedTokens };
}

/** A file as the pieces that fit a batch: one, or several by hunks and within hunks too large. No line is dropped. */
export function splitFile(file: ChangedFile, maxTokens: number): readonly BatchFile[] {
  const groups: Hunk[][] = [];
  let tokens = 0;
  for (const hunk of file.hunks.flatMap((whole) => splitHunk(whole, maxTokens))) {
    const cost = estimateHunk(hunk);
    const last = groups.at(-1);
    if (last === undefined || tokens + cost > maxTokens) {
      groups.push([hunk]);
      tokens = cost;
    } else {
      last.push(hunk);
      tokens += cost;
    }
  }
  if (groups.length <= 1) return [{ file, hunks: file.hunks, part: null }];
  return groups.map((hunks, index) => ({ file, hunks, part: { index: index + 1, of: groups.length } }));
}

/** Cuts a hunk between lines into pieces that are hunks themselves, with true line numbers. */
function splitHunk(hunk: Hunk, maxTokens: number): readonly Hunk[] {
  const middle = cutPoint(hunk.lines);
  if (estimateHunk(hunk) <= maxTokens || middle === hunk.lines.length) return [hunk];
  const first = piece(hunk, { from: 0, to: middle, oldStart: hunk.oldStart, newStart: hunk.newStart });
  const rest = piece(hunk, {
    from: middle,
    to: hunk.lines.length,
    oldStart: hunk.oldStart + first.oldLines,
    newStart: hunk.newStart + first.newLines,
  });
  return [...splitHunk(first, maxTokens), ...splitHunk(rest, maxTokens)];
}

/** The middle, moved forward so that a "no newline" note stays with its line. */
function cutPoint(lines: readonly string[]): number {
  const middle = Math.ceil(lines.length / 2);
  return lines[middle]?.startsWith('\\') ? middle + 1 : middle;
}

/** Start and lines before, start and lines after: a hunk of one file is known by them. */
export type HunkRange = readonly number[];

export function rangeOf({ oldStart, oldLines, newStart, newLines }: Hunk): HunkRange {
  return [oldStart, oldLines, newStart, newLines];
}

/** The piece of a hunk with these lines, as `splitHunk` cuts it; null when the hunk does not hold them. */
export function cutHunk(hunk: Hunk, range: HunkRange): Hunk | null {
  const [oldStart = -1, oldLines = -1, newStart = -1, newLines = -1] = range;
  const from = lineAt(hunk, { oldLine: oldStart, newLine: newStart });
  const to = lineAt(hunk, { oldLine: oldStart + oldLines, newLine: newStart + newLines });
  return from === null || to === null ? null : piece(hunk, { from, to, oldStart, newStart });
}

/** The index of the line that comes next when so many of both sides have passed. A note belongs to the line before it. */
function lineAt(hunk: Hunk, at: { readonly oldLine: number; readonly newLine: number }): number | null {
  let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
  for (const [index, line] of hunk.lines.entries()) {
    if (line.startsWith('\\')) continue;
    if (oldLine === at.oldLine && newLine === at.newLine) return index;
    if (!line.startsWith('+')) oldLine += 1;
    if (!line.startsWith('-')) newLine += 1;
  }
  return oldLine === at.oldLine && newLine === at.newLine ? hunk.lines.length : null;
}

function piece(hunk: Hunk, cut: { from: number; to: number; oldStart: number; newStart: number }): Hunk {
  const { oldStart, newStart } = cut;
  // What git printed stands before the first piece, not before the others.
  const heading = cut.from === 0 ? hunk.heading : '';
  const part = { ...hunk, oldStart, newStart, heading, lines: hunk.lines.slice(cut.from, cut.to) };
  let oldLines = 0;
  let newLines = 0;
  for (const line of hunkLines(part)) {
    if (line.oldLine !== null) oldLines += 1;
    if (line.newLine !== null) newLines += 1;
  }
  return { ...part, oldLines, newLines };
}
