import type { Finding, LinesAnchor, PlacedFinding } from '../findings/finding.ts';
import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import type { ReviewedDraft } from './draft.ts';

/** Lines of a hunk that are kept above and below a finding, and characters of them all. */
const around = { lines: 6, most: 40, characters: 3_000 } as const;

/** Which batch found what, the lines of the diff around it, and where removed lines were: for reports that are read without the diff. */
export function withOrigins(
  placed: readonly PlacedFinding[],
  { draft, files }: { draft: ReviewedDraft; files: readonly ChangedFile[] },
): readonly PlacedFinding[] {
  const found = draft.batches.flatMap(({ report, findings, disproved }) =>
    [...findings, ...disproved].map(({ id }) => [id, report.name] as const),
  );
  const batches = new Map(found);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return placed.map((finding) => {
    const file = byPath.get(finding.path);
    const batch = batches.get(finding.id) ?? null;
    const hunk = file === undefined ? null : hunkAround(finding, file);
    const line = file === undefined ? null : lineLeft(finding, file);
    return {
      ...finding,
      ...(batch === null ? {} : { batch }),
      ...(hunk === null ? {} : { hunk }),
      ...(line === null ? {} : { lineAtHead: line }),
    };
  });
}

/** The part of the hunk that a finding stands in, with a few lines around it. */
function hunkAround({ anchor }: Finding, { hunks }: ChangedFile): string | null {
  if (anchor.kind === 'file') return null;
  const hunk = hunkOf(anchor, hunks);
  if (hunk === undefined) return null;
  const isNear = ({ old, now }: NumberedLine) => {
    const number = anchor.side === 'LEFT' ? old : now;
    return number >= anchor.startLine - around.lines && number <= anchor.endLine + around.lines;
  };
  const near = numbered(hunk).filter(isNear).slice(0, around.most);
  const [first] = near;
  if (first === undefined) return null;
  const text = near.map(({ line }) => line).join('\n');
  return `@@ -${first.old} +${first.now} @@\n${text.slice(0, around.characters)}`;
}

/** The line at head that stands where removed ones were: the one behind them, at the end of the file the one before. */
function lineLeft({ anchor }: Finding, { hunks, status }: ChangedFile): number | null {
  if (anchor.kind === 'file' || anchor.side === 'RIGHT' || status === 'deleted') return null;
  const hunk = hunkOf(anchor, hunks);
  if (hunk === undefined) {
    const before = hunks.filter(({ oldStart }) => oldStart <= anchor.startLine);
    return Math.max(
      1,
      before.reduce((line, { oldLines, newLines }) => line + newLines - oldLines, anchor.startLine),
    );
  }
  const lines = numbered(hunk);
  const last = lines.findLastIndex(({ line, old }) => !line.startsWith('+') && old <= anchor.endLine);
  const next = lines.slice(Math.max(0, last)).find(({ line }) => line.startsWith(' ') || line.startsWith('+'));
  return next?.now ?? Math.max(1, hunk.newStart + hunk.newLines - 1);
}

function hunkOf(anchor: LinesAnchor, hunks: readonly Hunk[]): Hunk | undefined {
  return hunks.find(({ oldStart, oldLines, newStart, newLines }) => {
    const [first, count] = anchor.side === 'LEFT' ? [oldStart, oldLines] : [newStart, newLines];
    return anchor.startLine < first + count && anchor.endLine >= first;
  });
}

type NumberedLine = { readonly line: string; readonly old: number; readonly now: number };

/** The lines of a hunk with the numbers that they, or the lines behind them, have on either side. */
function numbered({ oldStart, newStart, lines }: Hunk): readonly NumberedLine[] {
  let [old, now] = [oldStart, newStart];
  return lines.map((line) => {
    const at = { line, old, now };
    if (line[0] === ' ' || line[0] === '-') old += 1;
    if (line[0] === ' ' || line[0] === '+') now += 1;
    return at;
  });
}
