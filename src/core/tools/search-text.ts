import { RE2JS, RE2JSException } from 're2js';
import { isProsePath, isTestPath } from '../context/paths.ts';
import { ToolError } from '../errors.ts';
import type { FileStatus } from '../pull-request/changed-file.ts';
import { isMachineMade, unreviewable } from '../pull-request/file-kinds.ts';
import type { TextMatch, TextMatches, TextQuery, TextSearch } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { exactly } from '../schema.ts';
import { couldBeKeyBody } from '../secrets/values.ts';
import { cutAround, groupBy, plural } from '../text.ts';
import { entriesBelow } from './list-files.ts';
import { defineTool, fitRows, limits, nameOf, pathOf, type Sources, type Tool } from './sources.ts';

export function searchText(sources: Sources, search: TextSearch): Tool {
  return defineTool({
    name: 'search_text',
    description:
      'Find lines by a fixed string or, with regex: true, by RE2; case-sensitive. path: a file or directory; file_pattern: a glob such as `*.ts`.',
    parameters: exactly({
      pattern: { type: 'string' },
      path: { type: ['string', 'null'] },
      file_pattern: { type: ['string', 'null'] },
      regex: { type: ['boolean', 'null'] },
    }),
    path: 'path',
    verifies: true,
    run: async (call) => {
      const query = {
        pattern: checkPattern(call.pattern, call.regex ?? false),
        regex: call.regex ?? false,
        path: pathOf(call.path ?? ''),
        filePattern: call.file_pattern ?? '',
        limit: limits.lookedAt,
      };
      const found = await search.search({ ...query, ...leavingOut(query, sources) });
      if (found.matches.length > 0) return renderMatches(sources, found);
      if (query.path !== '') await requirePath(sources, query.path);
      const nothing =
        found.incomplete === 'time'
          ? `The search for ${describe(query)} ran out of time, so nothing is known of it: narrow it with path or file_pattern.`
          : `No line matches ${describe(query)}.`;
      return [`${nothing}${hint(query)}`, ...leftOutNote(found)].join('\n');
    },
  });
}

/**
 * Matches in what tools write would take the room of those in code. Who names such files gets them; a file that the pull request brings in is
 * searched whatever its name, as it is reviewed.
 */
function leavingOut({ path, filePattern }: TextQuery, { files, isDenied }: Sources): Pick<TextQuery, 'leaveOut'> {
  if ([path, `${path}/`, filePattern].some(isMachineMade)) return {};
  const brought = broughtIn(files);
  return { leaveOut: (each) => isMachineMade(each) && !brought.has(each) && isDenied(each) === null };
}

/** The reviewed files that were not there before: nobody has looked at them, whatever their name. */
export function broughtIn(files: Sources['files']): ReadonlySet<string> {
  const reviewed = files.filter((file) => brings.has(file.status) && unreviewable(file) === null);
  return new Set(reviewed.map((file) => file.path));
}

const brings: ReadonlySet<FileStatus> = new Set(['added', 'copied', 'renamed']);

function leftOutNote({ leftOut, incomplete }: TextMatches): readonly string[] {
  if (leftOut === undefined) return [];
  const { files, paths } = leftOut;
  const more = files > paths.length ? ', …' : '';
  const least = incomplete === null ? '' : 'at least ';
  return [
    `(${least}${plural(files, 'lock, built, generated or vendored file')} with matches left out: ${paths.map(nameOf).join(', ')}${more}; name one in path or file_pattern to search it)`,
  ];
}

function checkPattern(pattern: string, regex: boolean): string {
  if (pattern === '') throw new ToolError('The pattern is empty.');
  if (pattern.length > limits.patternCharacters) {
    throw new ToolError(`The pattern has ${pattern.length} characters; at most ${limits.patternCharacters}.`);
  }
  if (/[\n\r\0]/.test(pattern)) throw new ToolError('The search goes line by line: search for one line at a time.');
  if (regex) checkExpression(pattern);
  return pattern;
}

function checkExpression(pattern: string): void {
  try {
    RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ToolError(
      `The pattern is not RE2 syntax: ${error.message}. RE2 has no lookaround and no backreferences; with regex: false the pattern is a fixed string.`,
      { cause: error },
    );
  }
}

/** A search below a path that does not exist finds nothing, which would read like an answer. */
async function requirePath(sources: Sources, path: string): Promise<void> {
  const content = await sources.repository.readFile(path, 'head');
  if (content.kind === 'unreadable' && content.reason === 'missing') await entriesBelow(sources, path);
}

function describe(query: TextQuery): string {
  const kind = query.regex ? 'the expression' : 'the fixed string';
  const place = query.path === '' ? '' : ` in ${nameOf(query.path)}`;
  const files = query.filePattern === '' ? '' : ` in files ${nameOf(query.filePattern)}`;
  return `${kind} ${nameOf(query.pattern)}${place}${files}`;
}

function hint(query: TextQuery): string {
  if (query.filePattern.includes('/')) return ' A file_pattern with a slash is the whole path from the root.';
  if (query.regex || !/\\[bswd.(]|\.\*|[|^$]|\[[^\][]+\]/.test(query.pattern)) return '';
  return ' If you meant a regular expression, set regex: true.';
}

/**
 * The matches below the path of their file, of code before those of tests and of documents; those in denied files are only counted. Where there are
 * too many to show, no file takes the room of the others.
 */
async function renderMatches(sources: Sources, found: TextMatches): Promise<string> {
  const open = found.matches.filter((match) => sources.isDenied(match.path) === null);
  const files = [...groupBy(open, ({ path }) => path)].toSorted(([one], [other]) => turnOf(one) - turnOf(other));
  const most = open.length > limits.matches ? limits.matchesOfFile : limits.matches;
  const groups = await Promise.all(
    files.map(async ([path, matches]) => {
      return (await rowsOf(sources, path, { matches, most })).map((row) => ({ path, row }));
    }),
  );
  const all = groups.flat();
  const { rows, left } = fitRows(
    all.map(({ row }) => row),
    limits.matches,
  );
  for (const { path } of all.slice(0, rows.length)) sources.onShown?.(path);
  return [...rows, ...notes(found, { denied: found.matches.length - open.length, cut: left })].join('\n');
}

function turnOf(path: string): number {
  if (isTestPath(path)) return 1;
  return isProsePath(path) ? 2 : 0;
}

/** A row each, the first below the path of the file, the last with how many are left out. */
async function rowsOf(
  sources: Sources,
  path: string,
  { matches, most }: { matches: readonly TextMatch[]; most: number },
): Promise<readonly string[]> {
  const shownHere = matches.slice(0, most);
  const texts = await Promise.all(shownHere.map((match) => textOf(sources, match)));
  const more = matches.length > most ? `\n     … ${plural(matches.length - most, 'more match')} in this file` : '';
  return shownHere.map((match, index) => {
    const { text } = cutAround(texts[index] ?? '', placeOf(match), limits.matchCharacters);
    const row = `${String(match.line).padStart(4)} | ${text}${index === shownHere.length - 1 ? more : ''}`;
    return index === 0 ? `${nameOf(path)}\n${row}` : row;
  });
}

/** Where the match begins in the line as it is shown. */
function placeOf({ text, at = 0 }: TextMatch): number {
  return shown([text.slice(0, at)])[0]?.text.length ?? 0;
}

/** A line inside a private key can only be recognized in its file. */
async function textOf(sources: Sources, match: TextMatch): Promise<string> {
  const alone = shown([match.text])[0]?.text ?? '';
  if (!couldBeKeyBody(match.text)) return alone;
  const content = await sources.repository.readFile(match.path, 'head');
  if (content.kind !== 'text') return alone;
  return shown(splitLines(content.text))[match.line - 1]?.text ?? alone;
}

function notes(found: TextMatches, left: { denied: number; cut: number }): readonly string[] {
  const narrow = 'narrow the search with path or file_pattern';
  return [
    ...leftOutNote(found),
    ...(left.denied > 0 ? [`(${plural(left.denied, 'match')} in denied files left out)`] : []),
    ...(left.cut > 0 ? [`(${plural(left.cut, 'match')} more did not fit: ${narrow})`] : []),
    ...(found.incomplete === 'limit'
      ? [`(there are more than ${plural(found.matches.length, 'match')}: ${narrow})`]
      : []),
    ...(found.incomplete === 'time' ? [`(the search ran out of time and may have missed matches: ${narrow})`] : []),
  ];
}
