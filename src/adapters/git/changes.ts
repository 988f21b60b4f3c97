import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { UserError } from '../../core/errors.ts';
import type { Message } from '../../core/messages/message.ts';
import type { ChangedFile } from '../../core/pull-request/changed-file.ts';
import { examineFiles } from '../../core/pull-request/examine-files.ts';
import { diffEntries, parseDiff } from '../../core/pull-request/parse-diff.ts';
import type { Changes } from '../../core/pull-request/pull-request.ts';
import type { Repository } from '../../core/repository/repository.ts';
import { fullHash } from '../../core/text.ts';
import { type Fetching, fetchEarlier } from './fetch.ts';
import { type Git, GitError, nulTerminated, recordsOf, textsOf } from './git.ts';
import type { PinnedCommits } from './read-repository.ts';

/** Bytes of patch text that are read. A million changed lines take about half of it. */
const maxPatchBytes = 100_000_000;

/** The diff merge-base..head, every option said: nothing is left to configuration or to the git's version. */
export async function readChanges(git: Git, commits: PinnedCommits, repository: Repository): Promise<Changes> {
  const { raw, numstat, patch } = await readDiff(git, commits);
  const paths = diffEntries({ raw, numstat: '' }).flatMap(({ path, oldPath }) =>
    path === oldPath ? [path] : [path, oldPath],
  );
  // Listed after the diff was read, so that the two never take memory at once.
  const attributed = await hasAttributes(repository);
  // Without attributes more is reviewed, which is the safe side.
  const marked = attributed ? await markedPaths(git, commits.base, paths).catch(() => unmarked) : unmarked;
  // Before, because parsing makes as much again; and after, because what it left is as much.
  const isLarge = patch.sections.length >= manyFiles || sum(patch.sections) >= largePatch;
  if (isLarge) freeMemory();
  const parsed = parseDiff({ raw, numstat, patch: patch.sections, ...marked });
  const files = await examineFiles(parsed, { repository });
  if (isLarge) freeMemory();
  return { files, missing: patch.cut ? [cutMessage(files)] : [] };
}

/** Files and characters of a diff from which on memory counts for more than the last second. */
const manyFiles = 1_000;
const largePatch = 4_000_000;

function sum(sections: readonly string[]): number {
  return sections.reduce((total, { length }) => total + length, 0);
}

/**
 * Gives back what reading a very large diff left, and has the collector keep less from then on: by itself Node takes from the system as long as
 * it gets more, 770 MiB where 300 are in use, and a small runner kills the job. Does nothing where the collector cannot be reached.
 */
function freeMemory(): void {
  try {
    setFlagsFromString('--optimize-for-size');
    setFlagsFromString('--heap-growing-percent=10');
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  } catch {
    // It is no more than a help.
  }
}

// Most repositories have none: two children less for them.
async function hasAttributes(repository: Repository): Promise<boolean> {
  const entries = await repository.listFiles('base');
  return entries.some(({ path }) => path === '.gitattributes' || path.endsWith('/.gitattributes'));
}

const formats = [
  ...['--raw', '--no-abbrev', '--numstat', '-z', '-p', '--unified=3', '--inter-hunk-context=0', '--full-index'],
  ...['--src-prefix=a/', '--dst-prefix=b/', '--no-color', '--submodule=short', '--diff-algorithm=default'],
];

// Comparing every deleted with every added file is quadratic: beyond 400 of each only exact renames are found.
const comparison = [
  ...['-r', '--find-renames', '-l400'],
  ...['--no-relative', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none'],
];

type RawDiff = {
  readonly raw: readonly string[];
  readonly numstat: string;
  readonly patch: { readonly sections: readonly string[]; readonly cut: boolean };
};

/** One child tells all three: renames, which cost the most, are looked for once. */
export async function readDiff(git: Git, commits: Pick<PinnedCommits, 'mergeBase' | 'head'>): Promise<RawDiff> {
  const cutter = patchCutter(maxPatchBytes);
  const head = headCutter(cutter.push);
  const args = ['diff-tree', ...comparison, ...formats, commits.mergeBase, commits.head, '--'];
  const { stopped } = await git.run(args, { onOutput: head.push }).catch(explained);
  return { ...head.parts(), patch: { sections: cutter.sections(), cut: stopped !== null } };
}

// No name is empty, so the first empty one is what git puts before the patch.
const headEnd = Buffer.from('\0\0');

/** Keeps what stands before the patch, and gives the patch to `push`. */
function headCutter(push: PatchCutter['push']): {
  readonly push: PatchCutter['push'];
  readonly parts: () => Pick<RawDiff, 'raw' | 'numstat'>;
} {
  const chunks: Buffer[] = [];
  let ended = false;
  let seam: Buffer = Buffer.alloc(0);
  return {
    push: (chunk) => {
      if (ended) return push(chunk);
      const searched = Buffer.concat([seam, chunk]);
      const end = searched.indexOf(headEnd);
      ended = end !== -1;
      const rest = ended ? searched.subarray(end + headEnd.length) : Buffer.alloc(0);
      chunks.push(chunk.subarray(0, chunk.length - rest.length));
      seam = searched.subarray(-1);
      return rest.length === 0 ? 'go on' : push(rest);
    },
    parts: () => splitHead(Buffer.concat(chunks)),
  };
}

/** Records of `--raw` have one path or, renamed and copied, two. Only by counting them is a path told from the next record. */
function splitHead(head: Buffer): Pick<RawDiff, 'raw' | 'numstat'> {
  const fields = textsOf(head);
  let end = 0;
  while (fields[end]?.startsWith(':')) end += / [RC]\d*$/.test(fields[end] ?? '') ? 3 : 2;
  return { raw: fields.slice(0, end), numstat: fields.slice(end).join('\0') };
}

function explained(cause: unknown): never {
  // Without an exit code git was cancelled: that is no matter of the clone.
  if (!(cause instanceof GitError) || cause.exitCode === null) throw cause;
  const hint = 'If the clone is partial, fetch the files it lacks first: git fetch --refetch --no-filter.';
  throw new UserError('git could not compute the diff.', { hint, cause });
}

function cutMessage(files: Changes['files']): Message {
  const incomplete = files.filter((file) => file.incomplete !== null).length;
  return { code: 'missing.large-diff', megabytes: maxPatchBytes / 1_000_000, files: incomplete };
}

export type MarkedPaths = { readonly generated: ReadonlySet<string>; readonly vendored: ReadonlySet<string> };

const unmarked: MarkedPaths = { generated: new Set(), vendored: new Set() };

/**
 * The paths that the attributes of `commit` mark as `linguist-generated` and `linguist-vendored`. It is the base commit: a pull request must not
 * hide its files by its own `.gitattributes`.
 *
 * Through an index of its own, because `check-attr --source` came with git 2.40.
 */
export async function markedPaths(git: Git, commit: string, paths: readonly string[]): Promise<MarkedPaths> {
  if (paths.length === 0) return unmarked;
  const index = join(git.directory, `index-${randomUUID()}`);
  const command = { indexFile: index };
  try {
    await git.read(['read-tree', commit], command);
    const args = ['check-attr', '--cached', '--stdin', '-z', 'linguist-generated', 'linguist-vendored'];
    return markedIn(await git.read(args, { ...command, input: nulTerminated(paths) }));
  } finally {
    await rm(index, { force: true });
  }
}

function markedIn(output: Buffer): MarkedPaths {
  const generated = new Set<string>();
  const vendored = new Set<string>();
  for (const [path = '', attribute, value] of recordsOf(output, 3)) {
    const marked = attribute === 'linguist-generated' ? generated : vendored;
    if (value === 'set' || value === 'true') marked.add(path);
  }
  return { generated, vendored };
}

/** Cuts the output of `git diff-tree -p`, piece by piece as it comes, into one text a file. */
type PatchCutter = {
  readonly push: (chunk: Buffer) => 'go on' | 'stop';
  readonly sections: () => readonly string[];
};

// Lines of content always start with ' ', '+', '-' or '\', so a line that starts with this begins a file.
const marker = Buffer.from('\ndiff --git ');

/**
 * A string of its own for each file: in one for all, a single character beyond Latin-1 would double the memory of the whole
 * patch. Stops after `maxBytes`.
 */
export function patchCutter(maxBytes: number): PatchCutter {
  const sections: string[] = [];
  let open: Buffer[] = [];
  let seam: Buffer = Buffer.alloc(0);
  let bytes = 0;
  return {
    push: (chunk) => {
      bytes += chunk.length;
      open.push(chunk);
      // Joined only when a file ends in the chunk or on its border: joining at each chunk would be quadratic.
      const searched = Buffer.concat([seam, chunk]);
      if (searched.includes(marker)) open = [cutOff(Buffer.concat(open), sections)];
      seam = searched.subarray(1 - marker.length);
      return bytes > maxBytes ? 'stop' : 'go on';
    },
    sections: () => [...sections, hunksOf(Buffer.concat(open))].filter((text) => text !== ''),
  };
}

/** Without the lines before the first hunk, which nobody reads: of a small change they are most of the text. A file without hunks keeps them. */
function hunksOf(section: Buffer): string {
  return section.toString('utf8', section.indexOf('\n@@ -') + 1);
}

/** Moves the files that have ended into `sections`, and returns the bytes of the one that has not. */
function cutOff(patch: Buffer, sections: string[]): Buffer {
  let start = 0;
  for (let end = patch.indexOf(marker); end !== -1; end = patch.indexOf(marker, start)) {
    sections.push(hunksOf(patch.subarray(start, end + 1)));
    start = end + 1;
  }
  return patch.subarray(start);
}

/**
 * The diff from one commit to another, full hashes both: commits that are not here are fetched, one fetch at a time, because two in one
 * repository trip over each other's lock. The function answers null when a commit cannot be had.
 */
export function changesBetween(
  options: Fetching & { signal: AbortSignal },
): (from: string, to: string) => Promise<readonly ChangedFile[] | null> {
  let fetching: Promise<unknown> = Promise.resolve();
  const gather = (hashes: readonly string[]): Promise<boolean> => {
    const turn = fetching.then(() => fetchEarlier({ ...options, hashes }));
    fetching = turn.catch(() => undefined);
    return turn;
  };
  return async (from, to) => {
    // A hash comes from a comment: it must never be read as an option or a range.
    if (![from, to].every((hash) => fullHash.test(hash))) return null;
    try {
      if (!(await gather([from, to]))) return null;
      const { raw, numstat, patch } = await readDiff(options.git, { mergeBase: from, head: to });
      // Attributes do not matter for it.
      return parseDiff({ raw, numstat, patch: patch.sections, generated: new Set() });
    } catch (error) {
      // Whatever is wrong with an old commit, a full review does without it.
      if (options.signal.aborted) throw error;
      return null;
    }
  };
}
