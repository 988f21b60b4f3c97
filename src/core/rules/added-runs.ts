import type { Hunk } from '../pull-request/changed-file.ts';

/** Added lines that stand directly below each other at head, without the `\r` of a CRLF. */
export type AddedRun = {
  readonly lines: readonly string[];
  /** Of each among the lines of the hunk. */
  readonly indexes: readonly number[];
  /** Of the first at head, 1-based. */
  readonly line: number;
};

export function* addedRuns(hunk: Hunk): Generator<AddedRun> {
  let line = hunk.newStart;
  let run = emptyRun(line);
  for (const [index, text] of hunk.lines.entries()) {
    if (text.startsWith('+')) {
      run.lines.push(text.endsWith('\r') ? text.slice(1, -1) : text.slice(1));
      run.indexes.push(index);
      line += 1;
    } else if (text.startsWith(' ')) {
      if (run.lines.length > 0) yield run;
      line += 1;
      run = emptyRun(line);
    }
  }
  if (run.lines.length > 0) yield run;
}

function emptyRun(line: number): AddedRun & { readonly lines: string[]; readonly indexes: number[] } {
  return { lines: [], indexes: [], line };
}

/** One line of a run, as a run of its own. */
export function lineOf({ lines, indexes, line }: AddedRun, offset: number): AddedRun {
  return { lines: lines.slice(offset, offset + 1), indexes: indexes.slice(offset, offset + 1), line: line + offset };
}
