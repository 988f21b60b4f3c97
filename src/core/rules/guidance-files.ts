import type { Repository } from '../repository/repository.ts';
import { firstLines } from '../repository/whole-lines.ts';
import { defaultGuidance } from '../settings/context-definitions.ts';
import { limits } from './limits.ts';
import { readTeamFile } from './team-file.ts';

/** A file in which the team says how it wants reviews, at the base commit. */
export type GuidanceFile = {
  readonly path: string;
  /** What it is about: everything below, '' for the whole repository. */
  readonly directory: string;
  readonly text: string;
};

export type Guidance = {
  /** From the root down. */
  readonly files: readonly GuidanceFile[];
  /** What a person should know of files that were cut or cannot be read, one sentence each. */
  readonly problems: readonly string[];
  /** Characters that they leave to rules and path instructions: none once a file was cut. */
  readonly left: number;
};

/** Characters of all files together: guidance must not crowd out the diff. */
export const guidanceCharacters = 20_000;

/**
 * Reads files of these names from the root down to the folders of the changed files, at the base commit: a pull request cannot change the
 * guidance that it is reviewed by. A name with a slash is looked for at the root alone.
 */
export async function loadGuidance(
  repository: Repository,
  { names, changedPaths, isDenied }: GuidanceRequest,
): Promise<Guidance> {
  if (names.length === 0) return { files: [], problems: [], left: guidanceCharacters };
  const existing = (await repository.listFiles('base')).map(({ path }) => path);
  const candidates = candidatesAmong(existing, { names, changedPaths });
  const files: GuidanceFile[] = [];
  const problems = [...missingNames(names, existing), ...tooMany(candidates.length)];
  const read: Read[] = [];
  let left = guidanceCharacters;
  for (const { directory, path } of candidates.slice(0, limits.guidanceFiles)) {
    const file = await readTeamFile(repository, { path, isDenied });
    if (file.kind === 'refused') problems.push(`The guidance ${path} is ignored: ${file.reason}.`);
    if (file.kind !== 'text' || file.text.trim() === '' || isKnown(read, { directory, from: file.from })) continue;
    read.push({ directory, from: file.from });
    const { text } = file;
    if (left > 0) {
      files.push({ path, directory, text: firstLines(text, left) });
      left -= text.length;
      if (left < 0) problems.push(cutProblem(path));
    } else problems.push(`The guidance ${path} is left out: ${cutReason}.`);
  }
  return { files, problems, left: Math.max(0, left) };
}

type GuidanceRequest = {
  readonly names: readonly string[];
  readonly changedPaths: readonly string[];
  /** Why the model may not read a path; null when it may. */
  readonly isDenied: (path: string) => string | null;
};

/** Names that the team chose and no file has; the defaults are looked for everywhere, and need not be there. */
function missingNames(names: readonly string[], existing: readonly string[]): string[] {
  const found = new Set(existing.flatMap((path) => [path, path.slice(path.lastIndexOf('/') + 1)]));
  return names
    .filter((name) => !defaultGuidance.includes(name) && !found.has(name))
    .map((name) => `The guidance ${name} is nowhere: no file at the base commit has this name.`);
}

type Read = { readonly directory: string; readonly from: string };

/** Links let one file have two names: it is reported once, where it holds for most. */
function isKnown(read: readonly Read[], { directory, from }: Read): boolean {
  return read.some(
    (one) => one.from === from && (one.directory === '' || `${directory}/`.startsWith(`${one.directory}/`)),
  );
}

const cutReason = `all guidance together has at most ${guidanceCharacters} characters`;

function cutProblem(path: string): string {
  return `The guidance ${path} is cut: ${cutReason}.`;
}

function tooMany(count: number): readonly string[] {
  const { guidanceFiles } = limits;
  return count > guidanceFiles
    ? [`Only the first ${guidanceFiles} of ${count} guidance files above the changed files are read.`]
    : [];
}

type Candidate = { readonly directory: string; readonly path: string };

/** The files of these names at the root and in every folder above a changed file, those nearer to the root first. */
function candidatesAmong(
  existing: readonly string[],
  { names, changedPaths }: { readonly names: readonly string[]; readonly changedPaths: readonly string[] },
): readonly Candidate[] {
  const holdsChange = changedBelow(changedPaths);
  const orderOf = new Map(names.map((name, index) => [name, index]));
  return existing
    .flatMap((path) => {
      if (orderOf.has(path)) return [{ directory: '', path, depth: 0, order: orderOf.get(path) ?? 0 }];
      const slash = path.lastIndexOf('/');
      const order = orderOf.get(path.slice(slash + 1));
      const directory = path.slice(0, Math.max(0, slash));
      if (order === undefined || slash === -1 || !holdsChange(directory)) return [];
      return [{ directory, path, depth: directory.split('/').length, order }];
    })
    .sort(
      (one, other) => one.depth - other.depth || compare(one.directory, other.directory) || one.order - other.order,
    );
}

/** Whether a folder holds a changed file, asked by halving: a path may have thousands of folders. */
function changedBelow(changedPaths: readonly string[]): (directory: string) => boolean {
  const sorted = [...changedPaths].sort(compare);
  return (directory) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(sorted[middle] ?? '', `${directory}/`) < 0) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(`${directory}/`) === true;
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
