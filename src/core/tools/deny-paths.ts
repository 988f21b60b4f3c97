import type { Changes } from '../pull-request/pull-request.ts';
import { anyGlob } from '../repository/path.ts';
import type { Repository, Revision } from '../repository/repository.ts';
import { type ParsedSettings, placed, settingsError } from '../settings/parse-settings.ts';
import { withoutEnd } from '../text.ts';

/**
 * Whether a line of `deny-paths` covers a path. A line is one pattern, and where it has blanks or commas several as well: people write lists on one line, and a
 * file that is denied by mistake is named as not read, while one that is read by mistake is noticed by nobody. So any reading that matches denies.
 */
export function denying(line: string): (path: string) => boolean {
  const readings = readingsOf(line).map(({ matches }) => matches);
  return (path) => readings.some((matches) => matches(path));
}

/** A run of neighbouring words of a line, read as one pattern. */
type Reading = { readonly words: readonly Word[]; readonly matches: (path: string) => boolean };

type Word = { readonly start: number; readonly end: number };

/** Words of a name with blanks that stands beside others on one line: a line of a thousand words has a few thousand readings, no million. */
const mostWords = 6;

function readingsOf(line: string): readonly Reading[] {
  const words = wordsOf(line);
  const readings = new Map<string, Reading>();
  const add = (text: string, run: readonly Word[]) => {
    const matches = anyOf([text, withoutBlanks(text)]);
    // What is between two words stands in the path, too: most paths have neither blank nor comma.
    readings.set(text, {
      words: run,
      matches: run.length < 2 ? matches : (path) => /[\s,]/.test(path) && matches(path),
    });
  };
  add(line, words);
  for (const [first, { start }] of words.entries()) {
    const run = words.slice(first, first + mostWords);
    for (const [more, { end }] of run.entries()) add(line.slice(start, end), run.slice(0, more + 1));
  }
  return [...readings.values()];
}

const tokens = /\[[!^]?\]?[^\]/]*\]|[{}]|[\s,]+/g;

/** Where the words of a line stand. A blank or comma inside `{…}` or `[…]` belongs to its word. */
function wordsOf(line: string): readonly Word[] {
  const words: Word[] = [];
  let [start, depth] = [0, 0];
  for (const { 0: token, index } of line.matchAll(tokens)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth > 0 || /^[[{}]/.test(token)) continue;
    if (index > start) words.push({ start, end: index });
    start = index + token.length;
  }
  return start < line.length ? [...words, { start, end: line.length }] : words;
}

const braces = /\[[!^]?\]?[^\]/]*\]|(\s*)([{},])(\s*)/g;

/** `{data/**, docs/**}` without the blanks that people write between its parts. */
function withoutBlanks(glob: string): string {
  let depth = 0;
  return glob.replaceAll(braces, (token, before = '', sign = '', after = '') => {
    if (sign === '') return token;
    const outside = depth === 0;
    if (sign === '{') depth += 1;
    if (sign === '}') depth -= 1;
    return `${outside ? before : ''}${sign}${depth === 0 ? after : ''}`;
  });
}

/** A pattern covers what it matches and everything below it; one without a slash counts at any depth. Case does not count. */
function anyOf(patterns: readonly string[]): (path: string) => boolean {
  const globs = [...new Set(patterns)].flatMap((pattern) => {
    const glob = withoutEnd(pattern, /\//).replace(/^\.?\//, '');
    if (glob === '') return [];
    const anywhere = glob.includes('/') ? glob : `**/${glob}`;
    return [anywhere, `${anywhere}/**`];
  });
  return anyGlob(globs, { ignoreCase: true });
}

/** Where a path may be that a line means. */
type PathSources = {
  readonly repository: Repository;
  readonly changes: () => Promise<Pick<Changes, 'files'>>;
  /** Files of a work tree that are in no commit. */
  readonly workTree?: () => Promise<readonly string[]>;
};

/**
 * Looks up the lines that may be several patterns: what matches no file denies nothing, and nobody would notice. A line of which nothing matches is an error. A
 * word that matches nothing beside others that do is a note: it may be a folder that went away, and the rest of the line holds. What many repositories share
 * fits none of them exactly, and a job that only posts shows nobody a file.
 *
 * @throws UserError that names each line and what to write
 */
export async function checkDenyPaths(
  { settings, layerOf }: Pick<ParsedSettings, 'settings' | 'layerOf'>,
  sources: PathSources,
): Promise<readonly string[]> {
  const layer = layerOf('deny-paths');
  const lines = settings.denyPaths.filter(isDoubtful);
  if (layer === null || layer.isShared === true || settings.mode === 'post' || lines.length === 0) return [];
  const [problems, notes]: [string[], string[]] = [[], []];
  for (const { line, isFound, missing } of await lookUp(lines, sources)) {
    const where = `${placed(layer, 'deny-paths')} has the line ${shortened(line)}`;
    const negated = missing.find((word) => word.startsWith('!'));
    if (negated !== undefined) problems.push(`${where}: a \`!\` has no meaning here. ${advice}`);
    else if (!isFound) problems.push(`${where}, and no file matches it, neither whole nor in parts. ${advice}`);
    else if (missing.length > 0)
      notes.push(`${where}, and no file matches ${missing.map(shortened).join(', ')}. ${advice}`);
  }
  if (problems.length > 0) throw settingsError(problems);
  return notes;
}

type LookedUp = {
  readonly line: string;
  /** Whether anything of it matches a file. */
  readonly isFound: boolean;
  /** Its words that belong to nothing that matches. */
  readonly missing: readonly string[];
};

async function lookUp(
  lines: readonly string[],
  { repository, changes, workTree }: PathSources,
): Promise<readonly LookedUp[]> {
  const checked = lines.map((line) => ({ line, readings: readingsOf(line), found: new Set<Reading>() }));
  const missingOf = ({ line, found }: (typeof checked)[number]) => {
    const known = new Set([...found].flatMap(({ words }) => words.map(({ start }) => start)));
    return wordsOf(line).filter(({ start }) => !known.has(start));
  };
  const listed = async (at: Revision) => (await repository.listFiles(at)).map(({ path }) => path);
  const changed = async () => (await changes()).files.flatMap(({ path, oldPath }) => [path, oldPath]);
  // The cheapest first: each is read only while something is not found in those before it.
  for (const list of [
    () => listed('head'),
    () => listed('base'),
    changed,
    ...(workTree === undefined ? [] : [workTree]),
  ]) {
    const open = checked.filter((one) => one.found.size === 0 || missingOf(one).length > 0);
    if (open.length === 0) break;
    const paths = await list();
    for (const { readings, found } of open) {
      for (const reading of readings) if (!found.has(reading) && paths.some(reading.matches)) found.add(reading);
    }
  }
  return checked.map((one) => {
    const missing = missingOf(one).map(({ start, end }) => one.line.slice(start, end));
    return { line: one.line, isFound: one.found.size > 0, missing };
  });
}

const advice = 'Write one pattern per line; a blank or comma of a name is `[ ]` or `[,]`.';

/** Has a blank or comma that may separate patterns. `{a,b}` has none, neither have `[ ]` and `[,]`. */
function isDoubtful(line: string): boolean {
  const rest = line.replaceAll(/\[[\s,]\]/g, '');
  return wordsOf(line).length > 1 || /^,|,$|\s|\[[^\]/]*,/.test(rest);
}

const mostShown = 100;

function shortened(text: string): string {
  return JSON.stringify(text.length > mostShown ? `${text.slice(0, mostShown)}…` : text);
}
