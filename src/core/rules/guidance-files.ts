import type { Repository } from '../repository/repository.ts';
import { firstLines } from '../repository/whole-lines.ts';
import { defaultGuidance } from '../settings/context-definitions.ts';
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
  const existing = new Set((await repository.listFiles('base')).map(({ path }) => path));
  const candidates = foldersOf(changedPaths).flatMap((directory) =>
    names
      .filter((name) => directory === '' || !name.includes('/'))
      .map((name) => ({ directory, path: directory === '' ? name : `${directory}/${name}` })),
  );
  const files: GuidanceFile[] = [];
  const problems = missingNames(names, existing);
  const read: Read[] = [];
  let left = guidanceCharacters;
  for (const { directory, path } of candidates.filter((one) => existing.has(one.path))) {
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
function missingNames(names: readonly string[], existing: ReadonlySet<string>): string[] {
  const found = new Set([...existing].flatMap((path) => [path, path.slice(path.lastIndexOf('/') + 1)]));
  return names
    .filter((name) => !defaultGuidance.includes(name) && !found.has(name))
    .map((name) => `The guidance ${name} is nowhere: no file at the base commit has this name.`);
}

type Read = { readonly directory: string; readonly from: string };

/** Links let one file have two names: it is told once, where it holds for most. */
function isKnown(read: readonly Read[], { directory, from }: Read): boolean {
  return read.some(
    (one) => one.from === from && (one.directory === '' || `${directory}/`.startsWith(`${one.directory}/`)),
  );
}

const cutReason = `all guidance together has at most ${guidanceCharacters} characters`;

function cutProblem(path: string): string {
  return `The guidance ${path} is cut: ${cutReason}.`;
}

/** The root, and every folder above a changed file, those nearer to the root first. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set(['']);
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) folders.add(parts.slice(0, depth).join('/'));
  }
  const depthOf = (folder: string) => (folder === '' ? 0 : folder.split('/').length);
  return [...folders].sort((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1));
}
