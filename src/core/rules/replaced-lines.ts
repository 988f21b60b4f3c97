import type { Hunk } from '../pull-request/changed-file.ts';

/** By the line of an added line at head, the text of the removed one in whose place it stands: the first for the first of each block. */
export function replacedLines(hunk: Hunk): ReadonlyMap<number, string> {
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
