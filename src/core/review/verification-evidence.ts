import type { Finding } from '../findings/finding.ts';
import type { GroundSources } from '../findings/ground-sources.ts';
import type { Side } from '../repository/repository.ts';
import { numbered } from '../repository/shown.ts';

/** Lines before and after what a finding is about, and around what its evidence names. */
const around = 10;
const aroundEvidence = 3;
/** Lines of one excerpt, at most, and places of the evidence that are read again. */
const longest = 80;
const mostExcerpts = 6;
const mostMentions = 20;

/** What a finding is about and what it claims to have read, as the source has it: excerpts with line numbers. */
export async function evidenceFor(finding: Finding, sources: GroundSources): Promise<readonly string[]> {
  const places = [...anchorPlace(finding, sources), ...placesIn(`${finding.evidence}\n${finding.alsoAt.join('\n')}`)];
  const excerpts: string[] = [];
  for (const place of places) {
    if (excerpts.length >= mostExcerpts) break;
    const excerpt = await read(place, sources);
    if (excerpt !== null && !excerpts.includes(excerpt)) excerpts.push(excerpt);
  }
  return excerpts;
}

type Place = {
  readonly path: string;
  readonly side: Side;
  readonly start: number;
  readonly end: number;
  readonly around: number;
};

function anchorPlace({ path, anchor }: Finding, { files }: GroundSources): readonly Place[] {
  if (anchor.kind === 'file') return [];
  const { side, startLine, endLine } = anchor;
  // The old side has the file's old path.
  const oldPath = files.find((file) => file.path === path)?.oldPath ?? path;
  return [{ path: side === 'LEFT' ? oldPath : path, side, start: startLine, end: endLine, around }];
}

// Such as `src/a.ts:12`, `Makefile:10-25` and `src/a.ts lines 10-25`. What is no file is not found.
const mention = /([\w@./+-]{1,300})(?::| lines? )(\d{1,7})(?:\s?[-–]\s?(\d{1,7}))?/g;

function placesIn(evidence: string): readonly Place[] {
  return [...evidence.matchAll(mention)].slice(0, mostMentions).map(([, path = '', first, last]) => {
    const start = Number(first);
    const end = Math.max(start, Number(last ?? first));
    return { path: path.replace(/^\.\//, ''), side: 'RIGHT', start, end, around: aroundEvidence };
  });
}

async function read(place: Place, sources: GroundSources): Promise<string | null> {
  const lines = await sources.read(place.path, place.side);
  if (lines === null || place.start > lines.length) return null;
  const from = Math.max(1, place.start - place.around);
  const to = Math.min(lines.length, place.end + place.around, from + longest - 1);
  const where = place.side === 'LEFT' ? ' before the change' : '';
  return `${place.path}${where}:\n${numbered(lines.slice(from - 1, to), from)}`;
}
