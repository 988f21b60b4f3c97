import { isImageName } from '../images/header.ts';
import type { Message } from '../messages/message.ts';
import { type ChangedFile, isOpaque } from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';
import type { ShownLine } from '../repository/shown.ts';
import type { GroundSources } from './sources.ts';
import type { SubmittedFinding } from './submission.ts';

/** The file, and the side of it, that a finding talks about. */
export type Subject = {
  /** As the diff knows it. */
  readonly path: string;
  readonly side: Side;
  /** Null for a file outside the diff. */
  readonly file: ChangedFile | null;
  readonly lines: readonly ShownLine[];
};

/** Why something was not found: `reason` in words that help the model to fix it, `told` for people. */
export type Refused = { readonly ok: false; readonly reason: string; readonly told: Message };

type FoundSubject = { readonly ok: true; readonly subject: Subject } | Refused;

/** Any file of the diff, or any text file at head when it is quoted. */
export async function findSubject(item: SubmittedFinding, sources: GroundSources): Promise<FoundSubject> {
  const file = findChangedFile(item.path, sources.files);
  if (file !== null) return changedSubject(item, { file, sources });

  const outside = `${item.path} is not in the diff`;
  const told: Message = { code: 'unplaced.outside', path: item.path };
  if (item.quote === null && isImageName(item.path)) return refuse(imageOutside(item, sources), told);
  if (item.quote === null) return refuse(`${outside}${meant(item.path, sources)}; to report it, quote it`, told);
  if (item.side === 'LEFT') {
    return refuse(`${outside}, so it has no LEFT side: quote it with side RIGHT`, told);
  }
  for (const path of pathSpellings(item.path)) {
    const lines = await sources.read(path, 'RIGHT');
    if (lines !== null) return { ok: true, subject: { path, side: 'RIGHT', file: null, lines } };
  }
  if (isImageName(item.path)) return refuse(imageOutside(item, sources), told);
  const missing = `there is no text file ${item.path} at head`;
  return refuse(`${missing}${meant(item.path, sources)}`, { code: 'unplaced.no-text-file', path: item.path });
}

/** An image cannot be quoted, and only a file of the diff can be commented on as a whole. */
function imageOutside({ path }: SubmittedFinding, sources: GroundSources): string {
  return `${path} is not in the diff${meant(path, sources)}: findings on images are for changed ones only`;
}

async function changedSubject(
  item: SubmittedFinding,
  { file, sources }: { file: ChangedFile; sources: GroundSources },
): Promise<FoundSubject> {
  const side = sideOf(file, item.side);
  // What has no lines is judged as a whole, whatever was quoted of it.
  const wholeFile = isOpaque(file) || (item.quote === null && item.lines === null);
  const lines = wholeFile ? [] : await sources.read(pathOnSide(file, side), side);
  if (lines !== null) return { ok: true, subject: { path: file.path, side, file, lines } };
  const unreadable = `${file.path} has no readable text on the ${side} side`;
  return refuse(`${unreadable}: report the whole file, with quote and lines null`, {
    code: 'unplaced.no-text-on-side',
    path: file.path,
    side,
  });
}

/** A changed file of the same name in another folder is probably the one that was meant. */
function meant(path: string, sources: GroundSources): string {
  const name = baseName(path);
  const alike = sources.files.filter((file) => baseName(file.path) === name).map((file) => file.path);
  return alike.length === 0 ? '' : ` (did you mean ${alike.slice(0, 3).join(' or ')}?)`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function refuse(reason: string, told: Message): Refused {
  return { ok: false, reason, told };
}

/** A path as a model writes it: as it is, then without `./` or `/`, then without the `a/` and `b/` of a diff. */
export function pathSpellings(path: string): readonly string[] {
  const rooted = path.replace(/^(?:\.?\/)+/, '');
  return [...new Set([path, rooted, rooted.replace(/^[ab]\//, '')])].filter((spelling) => spelling !== '');
}

/** The changed file that a path means: by its path in the diff, else by the name it was renamed from. */
export function findChangedFile(path: string, files: readonly ChangedFile[]): ChangedFile | null {
  const spellings = pathSpellings(path);
  for (const spelling of spellings) {
    const file = files.find((candidate) => candidate.path === spelling) ?? files.find(wasNamed(spelling));
    if (file !== undefined) return file;
  }
  return null;
}

/** An added file has no old side and a deleted one no new side: there the side needs no guess. */
export function sideOf(file: ChangedFile, asked: Side): Side {
  if (file.status === 'added') return 'RIGHT';
  return file.status === 'deleted' ? 'LEFT' : asked;
}

/** Where the file's text is on that side: GitHub knows it by its path in the diff, the merge base by its old one. */
export function pathOnSide(file: ChangedFile, side: Side): string {
  return side === 'LEFT' ? file.oldPath : file.path;
}

function wasNamed(path: string): (file: ChangedFile) => boolean {
  return (file) => file.status === 'renamed' && file.oldPath === path;
}
