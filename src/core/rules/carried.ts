import { isTestPath } from '../context/paths.ts';
import { isSameCode, type Sides, type SidesOf } from '../languages/same-code.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { unreviewable } from '../pull-request/file-kinds.ts';
import { pairLines, plain } from '../pull-request/line-pairs.ts';
import { groupBy } from '../text.ts';
import type { MatchedLines } from './match-lines.ts';
import { appliesTo, isAboutSecrets, type Rule } from './rule.ts';

/** Whether lines stood in the code before the change, which only moved them, or indented them anew. False where no parse proves it. */
export type Carried = (rule: Rule, place: Omit<MatchedLines, 'what'>) => false | Promise<boolean>;

/** Lines that are looked through for one that was moved, and equal ones that are compared with it. */
const limits = { lines: 100_000, equal: 20 } as const;

/**
 * Indented anew: the same tokens in the same statement and surroundings, in the place of the removed line. Moved: the whole function, class
 * member or statement of the top level, word for word, one for one; to another file only for a rule that is about both of them, and never a
 * credential. `files` are those that are reviewed: what stood elsewhere no rule has seen.
 */
export function carriedLines(files: readonly ChangedFile[], sidesOf: SidesOf): Carried {
  // What was copied is still where it was, and what means something else in its new place is new.
  const changed = files.filter(({ status, moved }) => status !== 'copied' && moved !== 'elsewhere');
  const byPath = new Map(changed.map((file) => [file.path, file]));
  /** Where each unit that was removed is now. */
  const taken = new Map<string, string>();
  let removed: ReadonlyMap<string, readonly Removed[]> | null = null;

  const isCarried = async (rule: Rule, { place, file, equal }: Hit): Promise<boolean> => {
    const now = await sidesOf(file);
    if (now === null) return false;
    const comesFrom = (from: ChangedFile) => from.oldPath === place.path || mayCross(rule, from, place.path);
    if (isIndented(now, { place, file }) && comesFrom(file)) return true;
    if (equal.length > limits.equal) return false;
    const near = equal.toSorted((one, other) => Number(other.from === file) - Number(one.from === file));
    for (const { from, line } of near.filter((one) => comesFrom(one.from))) {
      const then = await sidesOf(from);
      const unit = then === null ? null : movedUnit({ then, line, from }, { now, place });
      if (unit === null) continue;
      const here = `${place.path}:${unit.now}`;
      const there = `${from.oldPath}:${unit.before}`;
      if ((taken.get(there) ?? here) !== here) continue;
      taken.set(there, here);
      return true;
    }
    return false;
  };

  return (rule, place) => {
    const file = byPath.get(place.path);
    removed ??= removedLines(changed);
    const equal = removed.get(plain(place.hunk.lines[place.index]?.slice(1) ?? ''));
    // Most hits end here: nothing is parsed where no line of this text was removed.
    return file === undefined || equal === undefined ? false : isCarried(rule, { place, file, equal });
  };
}

type Removed = { readonly from: ChangedFile; readonly line: number };
type Lines = Parameters<Carried>[1];
type Hit = { readonly place: Lines; readonly file: ChangedFile; readonly equal: readonly Removed[] };

/** By their text without white space; none of a change that removes more than anybody moves. */
function removedLines(files: readonly ChangedFile[]): ReadonlyMap<string, readonly Removed[]> {
  const sources = files.filter(({ deletions, additions }) => deletions > 0 && additions <= limits.lines);
  if (sources.reduce((sum, file) => sum + file.deletions, 0) > limits.lines) return new Map();
  const all = sources.flatMap((from) =>
    [...pairLines(from).removed.values()].map(({ line, text }) => ({ from, line, text })),
  );
  return groupBy(all, ({ text }) => plain(text));
}

/** What moves from a test to the product, or from where the rule does not look, is new to the rule. A credential is, wherever it moves. */
function mayCross(rule: Rule, from: ChangedFile, path: string): boolean {
  const { oldPath } = from;
  if (isAboutSecrets(rule) || isTestPath(oldPath) !== isTestPath(path)) return false;
  return unreviewable(from) === null && appliesTo(rule)(oldPath);
}

function isIndented(sides: Sides, { place, file }: { place: Lines; file: ChangedFile }): boolean {
  const { added } = pairLines(file);
  const first = added.get(place.line)?.pair?.oldLine ?? 0;
  return numbers(place.lines).every((offset) => {
    const pair = added.get(place.line + offset)?.pair;
    return pair?.oldLine === first + offset && isSameCode(sides, pair.oldLine, pair.newLine);
  });
}

/** The first lines of the unit that holds both, before and now; null unless it is one unit, word for word, whose lines of the place moved. */
function movedUnit(
  { then, line, from }: { then: Sides; line: number; from: ChangedFile },
  { now, place }: { now: Sides; place: Lines },
): { readonly before: number; readonly now: number } | null {
  const [old, present] = [then.before.layout[line - 1], now.now.layout[place.line - 1]];
  if (!old?.unit || !present?.unit || old.code !== present.code) return null;
  const [[start, end], [first, last]] = [old.unit, present.unit];
  if (line - start !== place.line - first || end - start !== last - first) return null;
  if (place.line + place.lines - 1 > last) return null;
  const { removed } = pairLines(from);
  // One that was indented anew is where it was.
  if (!numbers(place.lines).every((offset) => removed.get(line + offset)?.pair === null)) return null;
  const isEqual = numbers(end - start + 1).every(
    (offset) => then.before.lines[start - 1 + offset] === now.now.lines[first - 1 + offset],
  );
  return isEqual ? { before: start, now: first } : null;
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
