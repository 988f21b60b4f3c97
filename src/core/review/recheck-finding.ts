import { cleanSuggestion } from '../findings/clean-suggestion.ts';
import type { Finding } from '../findings/finding.ts';
import type { GroundSources } from '../findings/ground-sources.ts';
import { pathOnSide } from '../findings/resolve-path.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { checkPath } from '../repository/path.ts';
import type { ShownLine } from '../repository/shown.ts';
import { reviewFileLimits } from './review-file-schema.ts';

export type Rechecked =
  | { readonly ok: true; readonly finding: Finding }
  | { readonly ok: false; readonly reason: string };

type LinesAnchor = Extract<Finding['anchor'], { kind: 'lines' }>;

/** Holds a finding of a review file against the source: at its lines must stand exactly what it quotes. Moves nothing. */
export async function recheckFinding(finding: Finding, sources: GroundSources): Promise<Rechecked> {
  const { path, anchor } = finding;
  const checked = checkPath(path);
  if (!checked.ok || path === '' || checked.path !== path) return refuse('its path names nothing in a repository');
  const file = sources.files.find((one) => one.path === path) ?? null;
  if (anchor.kind === 'lines') return await recheckLines(finding, { anchor, file, sources });
  if (file === null) return refuse('the file is not in the diff');
  return { ok: true, finding: { ...finding, suggestion: null } };
}

type Place = { readonly anchor: LinesAnchor; readonly file: ChangedFile | null; readonly sources: GroundSources };

async function recheckLines(finding: Finding, { anchor, file, sources }: Place): Promise<Rechecked> {
  const { side, startLine, endLine } = anchor;
  if (side === 'LEFT' && file === null) return refuse('the file is not in the diff, so nothing of it was removed');
  const lines = await sources.read(file === null ? finding.path : pathOnSide(file, side), side);
  if (lines === null) return refuse(`there is no such text file ${side === 'RIGHT' ? 'at head' : 'before the change'}`);
  if (startLine > endLine || endLine > lines.length) return refuse(`it is about lines that the file does not have`);
  const own = lines.slice(startLine - 1, endLine);
  const quote = own.map(({ text }) => text).join('\n');
  if (quote.slice(0, reviewFileLimits.text) !== anchor.quote) return refuse('what it quotes does not stand there');
  const suggestion = side === 'RIGHT' ? applicable(finding.suggestion, own) : null;
  return { ok: true, finding: { ...finding, anchor: { ...anchor, quote }, suggestion } };
}

/** The first job has cleaned it; whatever would not come through cleaning at all was never cleaned. */
function applicable(suggestion: string | null, replaced: readonly ShownLine[]): string | null {
  if (suggestion === null || replaced.some(({ redacted }) => redacted)) return null;
  const file = replaced.map(({ text }) => text);
  const reading = { lines: file, line: null, columns: { gutter: null, signs: false } };
  return cleanSuggestion(suggestion, { file, reading }) === null ? null : suggestion;
}

function refuse(reason: string): Rechecked {
  return { ok: false, reason };
}
