import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import { hunkLines } from '../pull-request/changed-file.ts';
import type { BundleFile } from './bundle.ts';
import { estimateHunk } from './estimate-diff.ts';

/** A file as the pieces that fit a batch: one, or several by hunks and within hunks too large. No line is dropped. */
export function splitFile(file: ChangedFile, maxTokens: number): readonly BundleFile[] {
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
export function splitHunk(hunk: Hunk, maxTokens: number): readonly Hunk[] {
  if (estimateHunk(hunk) <= maxTokens || hunk.lines.length < 2) return [hunk];
  const middle = cutPoint(hunk.lines);
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
  return lines[middle]?.startsWith('\\') && middle + 1 < lines.length ? middle + 1 : middle;
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
