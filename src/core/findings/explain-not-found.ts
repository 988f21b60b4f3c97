import type { Side } from '../repository/repository.ts';
import { describeClosest } from './closest-line.ts';
import { findInDiff } from './find-in-diff.ts';
import { findQuote } from './find-quote.ts';
import type { GroundSources } from './ground-sources.ts';
import { readQuote } from './read-quote.ts';
import { pathOnSide } from './resolve-path.ts';
import type { Subject } from './subject.ts';

/** A quote that its subject does not hold. */
export type LostQuote = { readonly quote: string; readonly subject: Subject };

/** Says that a quote was not found and where it stands instead: on the other side, in another changed file, or nearly at a line. */
export async function explainNotFound(lost: LostQuote, sources: GroundSources): Promise<string> {
  const { path, side } = lost.subject;
  const where = side === 'RIGHT' ? 'at head' : 'at the merge base (side LEFT)';
  const elsewhere = (await onOtherSide(lost, sources)) ?? inOtherFile(lost, sources) ?? nearby(lost);
  return `quote not found in ${path} ${where} — ${elsewhere}`;
}

async function onOtherSide({ quote, subject }: LostQuote, { read }: GroundSources): Promise<string | null> {
  const { file } = subject;
  if (file === null || file.status === 'added' || file.status === 'deleted') return null;
  const side: Side = subject.side === 'RIGHT' ? 'LEFT' : 'RIGHT';
  const lines = (await read(pathOnSide(file, side), side)) ?? [];
  const match = findQuote(
    readQuote(quote, side),
    lines.map((line) => line.text),
  );
  const place = match?.places[0];
  return place === undefined ? null : `it stands on the ${side} side at line ${place.start}: set side to ${side}`;
}

function inOtherFile({ quote, subject }: LostQuote, sources: GroundSources): string | null {
  const files = sources.files.filter((file) => file !== subject.file);
  const found = findInDiff(readQuote(quote, subject.side), { files, side: subject.side });
  return found === null ? null : `it stands in ${found.path} at line ${found.line}: set path to ${found.path}`;
}

function nearby({ quote, subject }: LostQuote): string {
  const text = subject.lines.map((line) => line.text);
  return describeClosest(readQuote(quote, subject.side), text) ?? 'no line is like it: read the lines again';
}
