import { type ChangedFile, type Hunk, hunkLines, lineOn } from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';
import { findQuote } from './find-quote.ts';
import type { QuoteReading } from './read-quote.ts';

/** The first place of a quote in the diff of some files; null when it is in none. It reads no file: this serves a hint only. */
export function findInDiff(
  readings: readonly QuoteReading[],
  diff: { readonly files: readonly ChangedFile[]; readonly side: Side },
): { readonly path: string; readonly line: number } | null {
  const probes = readings.map((reading) => reading.lines[0]?.trim() ?? '').filter((probe) => probe.length > 2);
  for (const file of diff.files) {
    for (const hunk of file.hunks) {
      if (!hunk.lines.some((line) => probes.some((probe) => line.includes(probe)))) continue;
      const line = findInHunk(readings, hunk, diff.side);
      if (line !== null) return { path: file.path, line };
    }
  }
  return null;
}

function findInHunk(readings: readonly QuoteReading[], hunk: Hunk, side: Side): number | null {
  const lines = [...hunkLines(hunk)].filter((line) => lineOn(side, line) !== null);
  const first = findQuote(
    readings,
    lines.map((line) => line.text),
  )?.places[0];
  const line = first === undefined ? undefined : lines[first.start - 1];
  return line === undefined ? null : lineOn(side, line);
}
