import { firstFitting } from '../bounded.ts';
import { defaultGuidance } from '../pull-request/file-kinds.ts';
import { checkPath, linearGlob } from '../repository/path.ts';
import type { Repository } from '../repository/repository.ts';
import { limits, type Rule } from '../rules/rule.ts';
import { rulesFor } from '../rules/run-rules.ts';
import type { PathInstruction } from '../settings/formats.ts';
import { sharedFolder } from '../settings/shared-config.ts';
import { compareText, firstLines } from '../text.ts';

/** A file in which the team says how it wants reviews, at the base commit. */
export type GuidanceFile = {
  readonly path: string;
  /** What it is about: everything below, '' for the whole repository. */
  readonly directory: string;
  readonly text: string;
};

type Guidance = {
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
  {
    names,
    changedPaths,
    isDenied,
  }: {
    names: readonly string[];
    changedPaths: readonly string[];
    /** Why the model may not read a path; null when it may. */
    isDenied: (path: string) => string | null;
  },
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
      if (left < 0) problems.push(`The guidance ${path} is cut: ${cutReason}.`);
    } else problems.push(`The guidance ${path} is left out: ${cutReason}.`);
  }
  return { files, problems, left: Math.max(0, left) };
}

/** Names that the team chose and no file has; the defaults are looked for everywhere, and need not be there. */
function missingNames(names: readonly string[], existing: readonly string[]): string[] {
  const found = new Set(existing.flatMap((path) => [path, path.slice(path.lastIndexOf('/') + 1)]));
  return names
    .filter((name) => !defaultGuidance.includes(name) && !found.has(name))
    .map((name) => `The guidance ${name} does not exist: no file at the base commit has this name.`);
}

type Read = { readonly directory: string; readonly from: string };

/** Links let one file have two names: it is reported once, where it holds for most. */
function isKnown(read: readonly Read[], { directory, from }: Read): boolean {
  return read.some(
    (one) => one.from === from && (one.directory === '' || `${directory}/`.startsWith(`${one.directory}/`)),
  );
}

const cutReason = `all guidance together has at most ${guidanceCharacters} characters`;

function tooMany(count: number): readonly string[] {
  const { guidanceFiles } = limits;
  return count > guidanceFiles
    ? [`Only the first ${guidanceFiles} of ${count} guidance files above the changed files are read.`]
    : [];
}

/** Every file at the base commit that is guidance for some change. */
export function guidancePaths(
  entries: readonly { readonly path: string }[],
  names: readonly string[],
): readonly string[] {
  const existing = entries.map(({ path }) => path);
  return candidatesAmong(existing, { names, changedPaths: existing }).map(({ path }) => path);
}

type Candidate = { readonly directory: string; readonly path: string };

/** The files of these names at the root and in every folder above a changed file, those nearer to the root first. */
function candidatesAmong(
  existing: readonly string[],
  { names, changedPaths }: { names: readonly string[]; changedPaths: readonly string[] },
): readonly Candidate[] {
  const holdsChange = changedBelow(changedPaths);
  const orderOf = new Map(names.map((name, index) => [name, index]));
  return existing
    .flatMap((path) => {
      // What is shared comes first: the repository's own has the last word.
      const shared = path.startsWith(sharedFolder) ? orderOf.get(path.slice(sharedFolder.length)) : undefined;
      if (shared !== undefined) return [{ directory: '', path, depth: -1, order: shared }];
      if (orderOf.has(path)) return [{ directory: '', path, depth: 0, order: orderOf.get(path) ?? 0 }];
      const slash = path.lastIndexOf('/');
      const order = orderOf.get(path.slice(slash + 1));
      const directory = path.slice(0, Math.max(0, slash));
      if (order === undefined || slash === -1 || !holdsChange(directory)) return [];
      return [{ directory, path, depth: directory.split('/').length, order }];
    })
    .sort(
      (one, other) => one.depth - other.depth || compareText(one.directory, other.directory) || one.order - other.order,
    );
}

/** Whether a folder holds a changed file, asked by halving: a path may have thousands of folders. */
function changedBelow(changedPaths: readonly string[]): (directory: string) => boolean {
  const sorted = changedPaths.toSorted(compareText);
  return (directory) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareText(sorted[middle] ?? '', `${directory}/`) < 0) low = middle + 1;
      else high = middle;
    }
    return sorted[low]?.startsWith(`${directory}/`) === true;
  };
}

type TeamFile =
  /** `from` is where the text stands: another path when links lead there. */
  | { readonly kind: 'text'; readonly text: string; readonly from: string }
  | { readonly kind: 'missing' }
  /** The reason is the end of a sentence for a person. */
  | { readonly kind: 'refused'; readonly reason: string };
const mostLinks = 5;

/**
 * A file whose words are given to the model, at the base commit: what the model may not read with its tools it does not see here either. Symbolic
 * links such as AGENTS.md → CLAUDE.md are followed inside the commit, never outside it.
 */
export async function readTeamFile(
  repository: Repository,
  { path, isDenied }: { path: string; isDenied: (path: string) => string | null },
): Promise<TeamFile> {
  let from = path;
  for (let links = 0; links <= mostLinks; links += 1) {
    if (isDenied(from) !== null) return { kind: 'refused', reason: deniedReason };
    const content = await repository.readFile(from, 'base');
    if (content.kind === 'text') return { kind: 'text', text: content.text, from };
    if (content.kind === 'unreadable') return unreadable(content.reason, links > 0);
    const target = targetOf(from, content.target);
    if (target === null) return { kind: 'refused', reason: 'it is a symbolic link that leads out of the repository' };
    from = target;
  }
  return { kind: 'refused', reason: nowhere };
}

const nowhere = 'it is a symbolic link that leads nowhere';
const deniedReason = 'the model may not read it, because of `deny-paths` or because such files hold secrets';

function unreadable(reason: string, isLinked: boolean): TeamFile {
  if (reason === 'missing') return isLinked ? { kind: 'refused', reason: nowhere } : { kind: 'missing' };
  const link = isLinked ? 'it is a symbolic link to what' : 'it';
  return { kind: 'refused', reason: `${link} is not a text file` };
}

/** Where a link leads, from the root; null when that is not inside the repository. */
function targetOf(link: string, target: string): string | null {
  if (target.startsWith('/')) return null;
  const parts = link.split('/').slice(0, -1);
  for (const part of target.split('/').filter(isName)) {
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  const checked = checkPath(parts.join('/'));
  return checked.ok ? checked.path : null;
}

function isName(part: string): boolean {
  return part !== '' && part !== '.';
}

type GuidanceSources = {
  readonly rules: readonly Rule[];
  readonly pathInstructions: readonly PathInstruction[];
};

type FittedGuidance = GuidanceSources & {
  /** What a person should know of what was cut or left out, one sentence each. */
  readonly problems: readonly string[];
};

/**
 * What the repository's own rules and instructions by path may say beside the guidance files, which leave `left` characters: those that are
 * about a changed file, rules before instructions, each in its own order. The last rule that has room is cut; what has none is left out.
 */
export function fitGuidance(
  { rules, pathInstructions }: GuidanceSources,
  { changedPaths, left }: { changedPaths: readonly string[]; left: number },
): FittedGuidance {
  const own = rulesFor(rules, changedPaths).filter(({ origin }) => origin === 'repository');
  const fitted = fitRules(own, left);
  const asked = pathInstructions.filter(({ glob }) => changedPaths.some(linearGlob(glob)));
  const instructions = firstFitting(asked, fitted.left, (one) => one.glob.length + one.instruction.length);
  const missing = asked.length - instructions.length;
  const leftOut = missing === 0 ? [] : [`${missing} of ${asked.length} path instructions are left out: ${cutReason}.`];
  return { rules: fitted.rules, pathInstructions: instructions, problems: [...fitted.problems, ...leftOut] };
}

function fitRules(rules: readonly Rule[], room: number) {
  const kept: Rule[] = [];
  const problems: string[] = [];
  const leftOut: string[] = [];
  let left = room;
  for (const rule of rules) {
    const text = rule.guidance.trim();
    const own = left - rule.title.length;
    left = Math.max(0, own - text.length);
    if (own <= 0) leftOut.push(rule.id);
    else kept.push({ ...rule, guidance: firstLines(text, own) });
    if (own > 0 && own < text.length) problems.push(`The guidance of the rule ${rule.id} is cut: ${cutReason}.`);
  }
  if (leftOut.length > 0) problems.push(`The guidance of the rules ${leftOut.join(', ')} is left out: ${cutReason}.`);
  return { rules: kept, problems, left };
}
