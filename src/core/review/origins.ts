import type { Finding, Placement } from '../findings/finding.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { ReviewedDraft } from './draft.ts';
import type { FindingOrigin } from './review.ts';

/** Lines of a hunk that are kept above and below a finding, and characters of them all. */
const around = { lines: 6, most: 40, characters: 3_000 } as const;

/** Which batch found what, and the lines of the diff around it: for reports that are read without the diff. */
export function originsOf(
  placements: readonly Placement[],
  { draft, files }: { draft: ReviewedDraft; files: readonly ChangedFile[] },
): ReadonlyMap<string, FindingOrigin> {
  const found = draft.batches.flatMap(({ report, findings, dismissed: disproved }) =>
    [...findings, ...disproved.map(({ finding }) => finding)].map(({ id }) => [id, report.name] as const),
  );
  const batches = new Map(found);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return new Map(
    placements.map(({ finding }) => {
      const file = byPath.get(finding.path);
      return [
        finding.id,
        { batch: batches.get(finding.id) ?? null, hunk: file === undefined ? null : hunkAround(finding, file) },
      ];
    }),
  );
}

/** The part of the hunk that a finding stands in, with a few lines around it. */
function hunkAround({ anchor }: Finding, { hunks }: ChangedFile): string | null {
  if (anchor.kind === 'file') return null;
  const left = anchor.side === 'LEFT';
  const hunk = hunks.find(({ oldStart, oldLines, newStart, newLines }) => {
    const [first, count] = left ? [oldStart, oldLines] : [newStart, newLines];
    return anchor.startLine < first + count && anchor.endLine >= first;
  });
  if (hunk === undefined) return null;
  let [old, now] = [hunk.oldStart, hunk.newStart];
  const numbered = hunk.lines.map((line) => {
    const at = { line, old, now };
    if (line[0] === ' ' || line[0] === '-') old += 1;
    if (line[0] === ' ' || line[0] === '+') now += 1;
    return at;
  });
  const isNear = (at: (typeof numbered)[number]) => {
    const number = left ? at.old : at.now;
    return number >= anchor.startLine - around.lines && number <= anchor.endLine + around.lines;
  };
  const near = numbered.filter(isNear).slice(0, around.most);
  const [first] = near;
  if (first === undefined) return null;
  const text = near.map(({ line }) => line).join('\n');
  return `@@ -${first.old} +${first.now} @@\n${text.slice(0, around.characters)}`;
}
