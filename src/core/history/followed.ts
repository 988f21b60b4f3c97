import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { digestsOf, type PriorFinding, pathNow } from './memory.ts';
import { plain } from './positions.ts';

/**
 * The same finding where its lines stand now, when its file is gone and the pull request adds them to another: they changed, and somebody has to
 * look. `files` are those of the diff.
 */
export function followed(prior: PriorFinding, files: readonly ChangedFile[]): PriorFinding {
  const { present, change, mark } = prior;
  if (mark.lines?.side === 'LEFT') return followedRemoval(prior, files);
  const isOut = change.kind === 'file gone' || (present.kind === 'gone' && !has(files, pathNow(prior)));
  if (!isOut || mark.lines === null) return prior;
  const { digests } = mark.lines;
  for (const { path, status, hunks } of files) {
    const [hunk] = status === 'deleted' ? [] : hunks.flatMap((one) => addedAround(one, digests));
    const now = { present: { kind: 'gone', path }, isBack: false } as const;
    if (hunk !== undefined) return { ...prior, ...now, change: { kind: 'changed', isIntact: false, hunks: [hunk] } };
  }
  return prior;
}

/** Removed lines under the name that the diff gives them now. Once none of them is removed any more, they are restored. */
function followedRemoval(prior: PriorFinding, files: readonly ChangedFile[]): PriorFinding {
  const { present } = prior;
  if (present.kind !== 'here' || present.anchor.kind === 'file') return prior;
  const { startLine, endLine } = present.anchor;
  const file = files.find(({ oldPath }) => oldPath === present.path);
  if (file === undefined) return { ...prior, present: { kind: 'gone' } };
  const isRemoved = ({ oldLine, kind }: HunkLine) =>
    kind === 'removed' && oldLine !== null && oldLine >= startLine && oldLine <= endLine;
  const stands = file.incomplete !== null || file.hunks.some((hunk) => [...hunkLines(hunk)].some(isRemoved));
  const { path, oldPath } = file;
  const now: PriorFinding = { ...prior, present: { ...present, path, ...(oldPath === path ? {} : { oldPath }) } };
  return stands ? now : { ...now, present: { kind: 'gone', path }, provenFixed: true };
}

function has(files: readonly ChangedFile[], path: string): boolean {
  return files.some((file) => file.path === path);
}

const around = 4;
/** Characters, white space apart: a bracket stands everywhere. */
const fewest = 4;

/** What a hunk adds around one of these lines; nothing where it adds none of them. */
function addedAround(hunk: Hunk, digests: readonly string[]): readonly Hunk[] {
  const { added, places } = linesOf(hunk);
  const at = digests.map((digest) => places.get(digest)).find((place) => place !== undefined);
  if (at === undefined) return [];
  const near = added.slice(Math.max(0, at - around), at + around + 1);
  const place = { oldStart: 0, oldLines: 0, newStart: near[0]?.newLine ?? 1, newLines: near.length };
  return [{ ...place, heading: '', lines: near.map(({ text }) => `+${text}`) }];
}

type Added = { readonly added: readonly HunkLine[]; readonly places: ReadonlyMap<string, number> };
type HunkLine = ReturnType<typeof hunkLines> extends Generator<infer Line> ? Line : never;

/** Each line is hashed once: many findings may have been in one file. */
const known = new WeakMap<Hunk, Added>();

function linesOf(hunk: Hunk): Added {
  const before = known.get(hunk);
  if (before !== undefined) return before;
  const added = [...hunkLines(hunk)].filter(({ kind }) => kind === 'added');
  const worded = [...added.entries()].filter(([, { text }]) => plain(text).length >= fewest);
  const places = new Map(worded.map(([index, { text }]) => [digestsOf(text).join(), index] as const));
  known.set(hunk, { added, places });
  return { added, places };
}
