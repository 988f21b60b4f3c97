import { subjectStem } from '../context/paths.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Settings } from '../settings/settings.ts';
import { type Batch, type BatchFile, estimateHunks, splitFile } from './batch.ts';
import { classOf, type FileClass, fileClasses } from './file-class.ts';
import { noRelations, type Relations } from './relations.ts';

type BatchLimits = {
  readonly maxFiles: number;
  readonly maxTokens: number;
  /** What imports what among the files; nothing by default. */
  readonly relations?: Relations;
  /** What a file costs beside its diff, by its path: its images. */
  readonly extraTokens?: ReadonlyMap<string, number>;
  /** Into so many parts of about one size, as far as `maxTokens` and `maxFiles` allow; left out, as few as hold the change. */
  readonly parts?: number;
};

/** Of diff: unless somebody says how many, a share of the run's budget, since every iteration sends the diff again. */
export function tokensPerBatch({
  batchTokens,
  maxTotalTokens,
}: Pick<Settings, 'batchTokens' | 'maxTotalTokens'>): number {
  return batchTokens || Math.min(24_000, Math.max(2_000, Math.floor(maxTotalTokens * 0.05)));
}

/**
 * Which files are reviewed together: tests beside their subject and what imports each other, then by directory, under the limits. Most
 * valuable first. The same files give the same plan, in whatever order they come.
 */
export function planBatches(files: readonly ChangedFile[], limits: BatchLimits): readonly Batch[] {
  const groups =
    limits.parts === undefined ? grouped(files, limits) : inParts(files, { ...limits, count: limits.parts });
  return groups.map((group, index) => ({
    name: groups.length === 1 ? folderName(group.files) : `${index + 1} ${folderName(group.files)}`,
    files: group.files,
    estimatedTokens: group.tokens,
    ...(group.files.every(({ file }) => classOf(file) === 'trivial') ? { trivial: true } : {}),
  }));
}

/** `size`: tokens that a group should have at most; a larger unit is one alone. */
function grouped(files: readonly ChangedFile[], limits: BatchLimits, size = limits.maxTokens): readonly Group[] {
  const units = sortedUnits(files);
  const small = { ...limits, maxTokens: size };
  // Seen together, files explain each other: a change that fits one batch is one.
  const together = fitsOneBatch(files, small);
  const parts = units.flatMap((unit) => splitUnit(unit, limits));
  const groups: Group[] = [];
  for (const part of together ? parts : related(parts, small)) {
    const last = groups.at(-1);
    if (last !== undefined && (together || joins(last, part, small))) append(last, part);
    else groups.push({ ...part, files: [...part.files] });
  }
  return groups;
}

/** The smallest group joins the smaller one beside it until there are so many, and as long as it is worth no conversation of its own. */
function inParts(files: readonly ChangedFile[], limits: BatchLimits & { readonly count: number }): readonly Group[] {
  const size = Math.ceil(tokensOf(files, limits) / limits.count);
  const groups = [...grouped(files, limits, size)];
  const fits = (one?: Group, other?: Group) =>
    one !== undefined &&
    other !== undefined &&
    one.files.length + other.files.length <= limits.maxFiles &&
    one.tokens + other.tokens <= limits.maxTokens;
  const isSmall = ({ tokens }: Group) => tokens < size / 3;
  while (groups.length > limits.count || groups.some(isSmall)) {
    const sizes = groups
      .slice(1)
      .map((group, at) => (fits(groups[at], group) ? (groups[at]?.tokens ?? 0) + group.tokens : Infinity));
    const least = Math.min(...sizes);
    const at = sizes.indexOf(least);
    const [one, other] = groups.slice(at, at + 2);
    if (least === Infinity || one === undefined || other === undefined) break;
    append(one, other);
    groups.splice(at + 1, 1);
  }
  return groups;
}

function extraOf({ path }: ChangedFile, { extraTokens }: BatchLimits): number {
  return extraTokens?.get(path) ?? 0;
}

/** Whether all of it is reviewed in one conversation. */
export function fitsOneBatch(files: readonly ChangedFile[], limits: BatchLimits): boolean {
  return files.length <= limits.maxFiles && tokensOf(files, limits) <= limits.maxTokens;
}

function tokensOf(files: readonly ChangedFile[], limits: BatchLimits): number {
  return files.reduce((sum, file) => sum + estimateHunks(file.hunks) + extraOf(file, limits), 0);
}

/** Files that stay together: a subject and the tests called after it. */
type Unit = { readonly class: FileClass; readonly directory: string; readonly files: readonly ChangedFile[] };
type Part = Pick<Unit, 'class' | 'directory'> & { readonly files: readonly BatchFile[]; readonly tokens: number };
type Group = { files: BatchFile[]; tokens: number; readonly class: FileClass; directory: string };

function sortedUnits(files: readonly ChangedFile[]): readonly Unit[] {
  const sorted = [...files].sort((one, other) => compare(one.path, other.path));
  const tests = sorted.filter((file) => classOf(file) === 'test');
  const subjects = sorted.filter((file) => classOf(file) !== 'test');
  const testsOf = attachTests(tests, subjects);
  const attached = new Set([...testsOf.values()].flat());
  const units = [...subjects, ...tests.filter((file) => !attached.has(file))].map((file) => ({
    class: classOf(file),
    directory: folderOf(file.path),
    files: [file, ...(testsOf.get(file) ?? [])],
  }));
  return units.sort(
    (one, other) =>
      fileClasses.indexOf(one.class) - fileClasses.indexOf(other.class) ||
      compare(one.directory, other.directory) ||
      compare(one.files[0]?.path ?? '', other.files[0]?.path ?? ''),
  );
}

/** A test belongs to the changed source file of the same stem whose folder shares the most with its own. */
function attachTests(tests: readonly ChangedFile[], subjects: readonly ChangedFile[]): Map<ChangedFile, ChangedFile[]> {
  const byStem = new Map<string, ChangedFile[]>();
  for (const subject of subjects) {
    if (classOf(subject) === 'source') push(byStem, subjectStem(subject.path), subject);
  }
  const attached = new Map<ChangedFile, ChangedFile[]>();
  for (const test of tests) {
    const candidates = (byStem.get(subjectStem(test.path)) ?? []).slice(0, mostSubjects);
    const subject = candidates.reduce<ChangedFile | null>(
      (best, next) => (best !== null && shared(best.path, test.path) >= shared(next.path, test.path) ? best : next),
      null,
    );
    if (subject !== null) push(attached, subject, test);
  }
  return attached;
}

/** Of one stem, such as the `index` of every folder: to compare each test with each of them would take its square. */
const mostSubjects = 200;

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  list.push(value);
}

/** A unit as parts that each fit a batch. A small unit is one part; a large file is split by hunks, never dropped. */
function splitUnit(unit: Unit, limits: BatchLimits): readonly Part[] {
  const parts: { files: BatchFile[]; tokens: number }[] = [];
  for (const piece of unit.files.flatMap((file) => splitFile(file, limits.maxTokens))) {
    const tokens = estimateHunks(piece.hunks) + extraOf(piece.file, limits);
    const last = parts.at(-1);
    if (last === undefined || last.files.length >= limits.maxFiles || last.tokens + tokens > limits.maxTokens) {
      parts.push({ files: [piece], tokens });
    } else {
      last.files.push(piece);
      last.tokens += tokens;
    }
  }
  return parts.map((part) => ({ ...part, class: unit.class, directory: unit.directory }));
}

/**
 * Parts that are related as one, within the limits: each group begins with the first that is left, and takes in whatever is related to most of
 * what it holds, the earlier one when two are alike. What is related to nothing stays alone.
 */
function related(
  parts: readonly Part[],
  { relations = noRelations, maxFiles, maxTokens }: BatchLimits,
): readonly Part[] {
  const partsOf = new Map<string, number[]>();
  for (const [index, part] of parts.entries()) {
    for (const path of new Set(pathsOf(part))) push(partsOf, path, index);
  }
  const taken = new Set<number>();
  const grow = (first: number): readonly number[] => {
    const group: number[] = [];
    const size = { files: 0, tokens: 0 };
    /** How many relations each candidate has to the group. */
    const scores = new Map<number, number>();
    const take = (index: number) => {
      const part = parts[index];
      if (part === undefined) return;
      taken.add(index);
      scores.delete(index);
      group.push(index);
      size.files += part.files.length;
      size.tokens += part.tokens;
      for (const path of pathsOf(part).flatMap((own) => [...(relations.get(own) ?? [])])) {
        for (const other of partsOf.get(path) ?? []) {
          if (!taken.has(other)) scores.set(other, (scores.get(other) ?? 0) + 1);
        }
      }
    };
    const fits = (index: number) => {
      const { files = [], tokens = 0 } = parts[index] ?? {};
      return size.files + files.length <= maxFiles && size.tokens + tokens <= maxTokens;
    };
    for (let next: number | null = first; next !== null; next = best(scores, fits)) take(next);
    return group;
  };
  return parts.flatMap((first, index) => {
    if (taken.has(index)) return [];
    const members = grow(index)
      .toSorted((one, other) => one - other)
      .flatMap((member) => parts[member] ?? []);
    const tokens = members.reduce((sum, part) => sum + part.tokens, 0);
    return [{ ...first, files: members.flatMap(({ files }) => files), tokens }];
  });
}

/** What is generated repeats its source and explains nothing. */
function pathsOf(part: Part): readonly string[] {
  return part.class === 'generated' ? [] : part.files.map(({ file }) => file.path);
}

/** What does not fit now never will: it goes at once, or each look would pass all of it again. */
function best(scores: Map<number, number>, fits: (index: number) => boolean): number | null {
  let found: number | null = null;
  for (const [index, score] of scores) {
    if (!fits(index)) {
      scores.delete(index);
      continue;
    }
    const most = found === null ? 0 : (scores.get(found) ?? 0);
    if (score > most || (score === most && found !== null && index < found)) found = index;
  }
  return found;
}

/** Neighbours share a batch while it has room; once it is half full, only files of the same folder and class join. */
function joins(group: Group, part: Part, limits: BatchLimits): boolean {
  const files = group.files.length + part.files.length;
  const tokens = group.tokens + part.tokens;
  if (files > limits.maxFiles || tokens > limits.maxTokens) return false;
  const related = group.class === part.class && (group.directory === part.directory || part.class === 'trivial');
  return related || (files <= Math.ceil(limits.maxFiles / 2) && tokens <= limits.maxTokens / 2);
}

function append(group: Group, part: Part): void {
  group.files.push(...part.files);
  group.tokens += part.tokens;
  group.directory = part.directory;
}

/** What a batch is called: its one file, the folder that holds all, or the first folders. */
function folderName(files: readonly BatchFile[]): string {
  if (files.length === 1) return files[0]?.file.path ?? '';
  const folders = files.map(({ file }) => folderOf(file.path).split('/'));
  const first = folders[0] ?? [];
  const length = first.findIndex((part, index) => folders.some((folder) => folder[index] !== part));
  const common = (length === -1 ? first : first.slice(0, length)).join('/');
  if (common !== '') return common;
  const tops = [...new Set(folders.map(([top]) => (top === undefined || top === '' ? 'root' : top)))];
  return tops.length > 3 ? `${tops.slice(0, 3).join(', ')}, …` : tops.join(', ');
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

function shared(one: string, other: string): number {
  const parts = other.split('/');
  return one.split('/').filter((part, index) => parts[index] === part).length;
}

/** By code unit: the order must not depend on a locale. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
