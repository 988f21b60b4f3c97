import { counted } from './limits.ts';

export type LineRange = {
  readonly from: number;
  readonly to: number;
  /** The last line that was asked for and exists; beyond `to` when the range was too long. */
  readonly wanted: number;
  readonly notes: readonly string[];
};

/** The lines that a call can mean: swapped, moved into the file and shortened to `maxLines` where needed. */
export function fitRange(asked: { start: number; end: number }, file: { lines: number; maxLines: number }): LineRange {
  const [first, last] = asked.start <= asked.end ? [asked.start, asked.end] : [asked.end, asked.start];
  const start = Math.max(1, first);
  const end = Math.max(start, last);
  const outside = first < 1 || end > file.lines;
  // A range beyond the end shows the end: the model counted wrong, and what it looks for is near.
  const from = start > file.lines ? Math.max(1, file.lines - (end - start)) : start;
  const wanted = Math.min(end, file.lines);
  const notes = [
    ...(asked.start > asked.end ? ['start_line and end_line were swapped'] : []),
    ...(outside ? [`the file has ${counted(file.lines, 'line')}`] : []),
  ];
  return { from, to: Math.min(wanted, from + file.maxLines - 1), wanted, notes };
}

/** Says where to go on when fewer lines are shown than were asked for. */
export function cutNote(last: number, wanted: number): readonly string[] {
  return last < wanted ? [`cut: the next line is ${last + 1}`] : [];
}
