import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { digestsOf, type PriorFinding, pathNow } from './memory.ts';
import { plain } from './positions.ts';

/**
 * The same findings where their lines stand now, when their file is gone and the pull request adds them to another: they changed, and somebody has to
 * look. Lines that another finding stands on are its own. `files` are those of the diff.
 */
export function followedAll(prior: readonly PriorFinding[], files: readonly ChangedFile[]): readonly PriorFinding[] {
  const taken = new Set(prior.flatMap(linesHeld));
  return prior.map((one) => followed(one, { files, taken }));
}

function linesHeld({ present, signed }: PriorFinding): readonly string[] {
  if (!signed || present.kind !== 'here' || present.anchor.kind === 'file') return [];
  const { side, startLine, endLine } = present.anchor;
  if (side === 'LEFT') return [];
  return Array.from({ length: endLine - startLine + 1 }, (_, index) => `${present.path}:${startLine + index}`);
}

type Following = { readonly files: readonly ChangedFile[]; readonly taken: ReadonlySet<string> };

function followed(prior: PriorFinding, { files, taken }: Following): PriorFinding {
  const { present, change, mark } = prior;
  if (mark.lines?.side === 'LEFT') return followedRemoval(prior, files);
  const isOut = change.kind === 'file gone' || (present.kind === 'gone' && !has(files, pathNow(prior)));
  if (!isOut || mark.lines === null) return prior;
  const { digests } = mark.lines;
  for (const { path, status, hunks } of files) {
    const [hunk] =
      status === 'deleted'
        ? []
        : hunks.flatMap((one) => addedAround(one, { digests, isTaken: (line) => taken.has(`${path}:${line}`) }));
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
  const file = files.find(({ oldPath }) => oldPath === (present.oldPath ?? present.path));
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
function addedAround(
  hunk: Hunk,
  { digests, isTaken }: { digests: readonly string[]; isTaken: (line: number) => boolean },
): readonly Hunk[] {
  const { added, places } = linesOf(hunk);
  const at = digests
    .flatMap((digest) => places.get(digest) ?? [])
    .find((place) => !isTaken(added[place]?.newLine ?? 0));
  if (at === undefined) return [];
  const near = added.slice(Math.max(0, at - around), at + around + 1);
  const place = { oldStart: 0, oldLines: 0, newStart: near[0]?.newLine ?? 1, newLines: near.length };
  return [{ ...place, heading: '', lines: near.map(({ text }) => `+${text}`) }];
}

type Added = { readonly added: readonly HunkLine[]; readonly places: ReadonlyMap<string, readonly number[]> };
type HunkLine = ReturnType<typeof hunkLines> extends Generator<infer Line> ? Line : never;

/** Each line is hashed once: many findings may have been in one file. */
const known = new WeakMap<Hunk, Added>();

function linesOf(hunk: Hunk): Added {
  const before = known.get(hunk);
  if (before !== undefined) return before;
  const added = [...hunkLines(hunk)].filter(({ kind }) => kind === 'added');
  const worded = [...added.entries()].filter(([, { text }]) => plain(text).length >= fewest);
  const places = new Map<string, number[]>();
  for (const [index, { text }] of worded) {
    const digest = digestsOf(text).join();
    places.set(digest, [...(places.get(digest) ?? []), index]);
  }
  known.set(hunk, { added, places });
  return { added, places };
}
