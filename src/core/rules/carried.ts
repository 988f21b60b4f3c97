import { isTestPath } from '../context/paths.ts';
import { isFreelyIndented } from '../languages/languages.ts';
import { type ChangedFile, hunkLines } from '../pull-request/changed-file.ts';
import { unreviewable } from '../pull-request/file-kinds.ts';
import { groupBy } from '../text.ts';
import type { MatchedLines } from './match-lines.ts';
import { appliesTo, isAboutSecrets, type Rule } from './rule.ts';

/** Whether lines stood in the code before the change, which only moved them, or indented them anew. */
export type Carried = (rule: Rule, place: Omit<MatchedLines, 'what'>) => boolean;

/** Lines that are looked through, and places that are tried for one match: more equal lines than this are seldom moved, and are new. */
const limits = { lines: 100_000, tried: 20 } as const;

/**
 * A removed line carries one added line of the same text, and lines of one match are carried by as many that stood together, in their order. Lines of the
 * same file carry first. A line of another file carries only where it left that file, for a rule that is about both, and never a credential. What the
 * text meant where it stood is not looked at. `files` are those that are reviewed: what stood elsewhere no rule has seen.
 */
export function carriedLines(files: readonly ChangedFile[]): Carried {
  // What was copied is still where it was, and what means something else in its new place is new.
  const changed = files.filter(({ status, moved }) => status !== 'copied' && moved !== 'elsewhere');
  const byPath = new Map(changed.map((file) => [file.path, file]));
  const mayCross = crossing();
  /** What carries an added line, by its place: several rules may hit it. */
  const known = new Map<string, Carrier>();
  let removed: RemovedLines | null = null;

  return (rule, place) => {
    const file = byPath.get(place.path);
    if (file === undefined) return false;
    removed ??= removedLines(changed);
    // Most hits end here: no line of this text was removed.
    const [first = ''] = textsOf(file, { ...place, lines: 1 });
    const sources = removed.byText.get(first);
    if (sources === undefined) return false;
    const keyAt = (offset: number) => `${place.path}:${place.line + offset}`;
    const match = { first, texts: textsOf(file, place), keyAt };
    const mayCarry = (source: Source) => source.file.oldPath === place.path || mayCross(rule, source, file);

    const own = removed.byFile.get(file);
    const before = known.get(keyAt(0));
    const carrier =
      (before !== undefined && mayCarry(before.source) && fits(before, match) ? before : null) ??
      (own !== undefined && mayCarry(own) ? carrierIn(own, match) : null) ??
      carrierElsewhere(sources, match, (source) => source !== own && mayCarry(source));
    if (carrier === null) return false;
    const { source, line } = carrier;
    for (const offset of match.texts.keys()) {
      const taken = source.lines.get(line + offset);
      if (taken !== undefined) taken.by = keyAt(offset);
      known.set(keyAt(offset), { source, line: line + offset });
    }
    return true;
  };
}

/** What moves from a test to the product, or from where the rule does not look, is new to the rule. A credential is, wherever it moves. */
function crossing(): (rule: Rule, from: Source, to: ChangedFile) => boolean {
  const scopes = new Map<Rule, ReturnType<typeof appliesTo>>();
  return (rule, from, to) => {
    const { oldPath } = from.file;
    if (isAboutSecrets(rule) || isTestPath(oldPath) !== isTestPath(to.path)) return false;
    if (!from.isReviewable || from.isExact !== spaceIsCode(to)) return false;
    const applies = scopes.get(rule) ?? appliesTo(rule);
    scopes.set(rule, applies);
    return applies(oldPath);
  };
}

/** The removed lines of a file. */
type Source = {
  readonly file: ChangedFile;
  readonly isReviewable: boolean;
  readonly isExact: boolean;
  /** `by` is the place of the added line that each carries. */
  readonly lines: ReadonlyMap<number, { readonly text: string; by: string | null }>;
  /** Their numbers by their text, the first at the end. */
  readonly byText: ReadonlyMap<string, number[]>;
  /** By text, how many of them no added line of the file has taken, or may still take. */
  readonly left: Map<string, number>;
};
type RemovedLines = {
  readonly byFile: ReadonlyMap<ChangedFile, Source>;
  /** The last of them is looked at first. */
  readonly byText: ReadonlyMap<string, Source[]>;
};
/** `line` is the first one before the change. */
type Carrier = { readonly source: Source; readonly line: number };
type Match = {
  readonly first: string;
  readonly texts: readonly string[];
  readonly keyAt: (offset: number) => string;
};

/** Nothing of a change that removes more than anybody moves. */
function removedLines(files: readonly ChangedFile[]): RemovedLines {
  const holders = files.filter(({ deletions, additions }) => deletions > 0 && additions <= limits.lines);
  const all = holders.reduce((sum, file) => sum + file.deletions, 0);
  const sources = all > limits.lines ? [] : holders.map(sourceOf);
  const byText = new Map<string, Source[]>();
  for (const source of sources.toReversed()) {
    for (const text of source.byText.keys()) push(byText, text, source);
  }
  return { byFile: new Map(sources.map((source) => [source.file, source])), byText };
}

function sourceOf(file: ChangedFile): Source {
  const compared = comparedIn(file);
  const lines: Source['lines'] = new Map(
    file.hunks.flatMap((hunk) =>
      [...hunkLines(hunk)].flatMap(({ kind, oldLine, text }) =>
        kind === 'removed' && oldLine !== null ? [[oldLine, { text: compared(text), by: null }] as const] : [],
      ),
    ),
  );
  const byText = new Map<string, number[]>();
  for (const [line, { text }] of [...lines].toReversed()) push(byText, text, line);
  const left = new Map([...byText].map(([text, { length }]) => [text, length]));
  for (const hunk of file.hunks) {
    for (const { kind, text } of hunkLines(hunk)) {
      const count = kind === 'added' ? left.get(compared(text)) : undefined;
      if (count !== undefined) left.set(compared(text), count - 1);
    }
  }
  return { file, isReviewable: unreviewable(file) === null, isExact: spaceIsCode(file), lines, byText, left };
}

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** A line as it is compared: where white space may be code, all of it counts. */
function comparedIn(file: ChangedFile): (text: string) => string {
  return spaceIsCode(file) ? (text) => text : (text) => text.trim();
}

function spaceIsCode({ path, oldPath }: ChangedFile): boolean {
  return !isFreelyIndented(path) || !isFreelyIndented(oldPath);
}

/** The added lines of a match, as they are compared. */
function textsOf(file: ChangedFile, { hunk, index, lines }: Omit<MatchedLines, 'what'>): readonly string[] {
  const compared = comparedIn(file);
  const texts: string[] = [];
  for (let at = index; texts.length < lines && at < hunk.lines.length; at += 1) {
    const line = hunk.lines[at] ?? '';
    if (line.startsWith('+')) texts.push(compared(line.slice(1)));
  }
  return texts;
}

/** The first lines of a file that are free and fit. */
function carrierIn(source: Source, match: Match): Carrier | null {
  const starts = source.byText.get(match.first) ?? [];
  // What was taken is never free again.
  while (starts.length > 0 && source.lines.get(starts.at(-1) ?? 0)?.by !== null) starts.pop();
  const tried = starts.slice(-limits.tried).toReversed();
  const line = tried.find((start) => fits({ source, line: start }, match));
  return line === undefined ? null : { source, line };
}

/** The same in other files, of lines that left them. */
function carrierElsewhere(sources: Source[], match: Match, mayCarry: (source: Source) => boolean): Carrier | null {
  const leftIn = ({ left }: Source, text: string) => left.get(text) ?? 0;
  for (let last = sources.at(-1); last !== undefined && leftIn(last, match.first) <= 0; last = sources.at(-1))
    sources.pop();
  for (const source of sources.slice(-limits.tried).toReversed()) {
    const carrier = carrierIn(source, match);
    if (carrier === null || !mayCarry(source)) continue;
    const free = match.texts.filter((_, offset) => source.lines.get(carrier.line + offset)?.by === null);
    const counts = [...groupBy(free, (text) => text)].map(
      ([text, { length }]) => [text, leftIn(source, text) - length] as const,
    );
    if (counts.some(([, count]) => count < 0)) continue;
    for (const [text, count] of counts) source.left.set(text, count);
    return carrier;
  }
  return null;
}

function fits({ source, line }: Carrier, { texts, keyAt }: Match): boolean {
  return texts.every((text, offset) => {
    const removed = source.lines.get(line + offset);
    return removed?.text === text && (removed.by === null || removed.by === keyAt(offset));
  });
}
