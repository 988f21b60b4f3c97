import { isTestPath } from '../context/paths.ts';
import { isFreelyIndented } from '../languages/languages.ts';
import { type ChangedFile, hunkLines } from '../pull-request/changed-file.ts';
import { unreviewable } from '../pull-request/file-kinds.ts';
import { groupBy } from '../text.ts';
import type { MatchedLines } from './match-lines.ts';
import { appliesTo, isAboutSecrets, type Rule } from './rule.ts';

/** Whether lines stood in the code before the change, which only moved them, or indented them anew. */
export type Carried = (rule: Rule, place: Pick<MatchedLines, 'path' | 'line' | 'lines'>) => boolean;

/** Lines that a change removes and a file adds, and equal ones that are looked at to find where a line came from. */
const limits = { lines: 100_000, equal: 20 } as const;

/**
 * A removed line carries one added line of the same text, and a match of several lines is carried by as many that stood together. What the text meant where
 * it stood is not looked at. Between files a line is carried only for a rule that is about both, and never a credential. `files` are those that
 * are reviewed: what stood elsewhere no rule has seen.
 */
export function carriedLines(files: readonly ChangedFile[]): Carried {
  const scopes = new Map<Rule, ReturnType<typeof appliesTo>>();
  const isAbout = (rule: Rule, path: string) => {
    const applies = scopes.get(rule) ?? appliesTo(rule);
    scopes.set(rule, applies);
    return applies(path);
  };
  let carriers: Carriers | null = null;
  return (rule, { path, line, lines }) => {
    carriers ??= carriersIn(files);
    const first = carriers.get(`${path}:${line}`);
    if (first === undefined) return false;
    for (let offset = 1; offset < lines; offset += 1) {
      const next = carriers.get(`${path}:${line + offset}`);
      if (next?.file !== first.file || next.line !== first.line + offset) return false;
    }
    const { oldPath } = first.file;
    return oldPath === path || (!isAboutSecrets(rule) && isAbout(rule, oldPath));
  };
}

/** By the place of an added line the removed one that carries it. */
type Carriers = ReadonlyMap<string, Line>;

/** A line that a change adds or removes. */
type Line = {
  readonly file: ChangedFile;
  readonly line: number;
  /** Its text as it is compared, with what has to be alike where it stood and stands. */
  readonly key: string;
  /** The next one below in its file. */
  readonly next: Line | null;
};

/** Lines of a file carry its own first. What is left of them has left the file, and may be in another. */
function carriersIn(files: readonly ChangedFile[]): Carriers {
  const carriers = new Map<string, Line>();
  // What was copied is still where it was, and what means something else in its new place is new.
  const changed = files.filter(
    ({ status, moved, additions }) => status !== 'copied' && moved !== 'elsewhere' && additions <= limits.lines,
  );
  if (changed.reduce((sum, { deletions }) => sum + deletions, 0) > limits.lines) return carriers;
  const taken = new Set<Line>();
  const left: Line[] = [];
  for (const file of changed.filter(({ deletions }) => deletions > 0)) {
    const isReviewed = unreviewable(file) === null;
    const removed = linesOf(file, 'removed');
    if (isReviewed || file.oldPath === file.path) carry(linesOf(file, 'added'), byKey(removed), { carriers, taken });
    for (const line of isReviewed ? removed : []) if (!taken.has(line)) left.push(line);
  }
  const elsewhere = byKey(left);
  for (const file of left.length === 0 ? [] : changed) carry(linesOf(file, 'added'), elsewhere, { carriers, taken });
  return carriers;
}

function linesOf(file: ChangedFile, kind: 'added' | 'removed'): readonly Line[] {
  const path = kind === 'added' ? file.path : file.oldPath;
  // Where white space may be code, all of it counts. What moves from a test to the product is new.
  const isExact = !isFreelyIndented(file.path) || !isFreelyIndented(file.oldPath);
  const alike = `${isExact} ${isTestPath(path)}`;
  const lines: Line[] = [];
  for (const each of file.hunks.flatMap((hunk) => [...hunkLines(hunk)]).reverse()) {
    const line = kind === 'added' ? each.newLine : each.oldLine;
    if (each.kind !== kind || line === null) continue;
    lines.push({ file, line, key: `${alike} ${isExact ? each.text : each.text.trim()}`, next: lines.at(-1) ?? null });
  }
  return lines.reverse();
}

/** The first of a key stands at the end of its list. */
function byKey(lines: readonly Line[]): ReadonlyMap<string, Line[]> {
  return groupBy(lines.toReversed(), ({ key }) => key);
}

/** What stands below a line that is carried is carried by what stood below, so that lines of a match stay together. */
function carry(
  added: readonly Line[],
  removed: ReadonlyMap<string, Line[]>,
  { carriers, taken }: { carriers: Map<string, Line>; taken: Set<Line> },
): void {
  for (const [index, line] of added.entries()) {
    if (carriers.has(placeOf(line))) continue;
    const above = added[index - 1];
    const follows = above === undefined ? undefined : carriers.get(placeOf(above))?.next;
    const isFree = follows?.key === line.key && !taken.has(follows);
    const carrier = isFree ? follows : likeliest(line, removed.get(line.key) ?? [], taken);
    if (carrier === null) continue;
    taken.add(carrier);
    carriers.set(placeOf(line), carrier);
  }
}

function placeOf({ file, line }: Pick<Line, 'file' | 'line'>): string {
  return `${file.path}:${line}`;
}

/** Of equal lines the first that also stood above the same line, else the first. */
function likeliest({ next }: Line, equal: Line[], taken: ReadonlySet<Line>): Line | null {
  for (let last = equal.at(-1); last !== undefined && taken.has(last); last = equal.at(-1)) equal.pop();
  const free = equal
    .slice(-limits.equal)
    .reverse()
    .filter((line) => !taken.has(line));
  return free.find((line) => next !== null && line.next?.key === next.key) ?? free[0] ?? null;
}
