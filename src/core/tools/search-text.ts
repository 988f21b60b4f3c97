import { RE2JS, RE2JSException } from 're2js';
import { defineTool, type Tool } from '../agent/tool.ts';
import { ToolError } from '../errors.ts';
import type { TextMatch, TextMatches, TextQuery, TextSearch } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { couldBeKeyBody } from '../secrets/values.ts';
import { cutLine, plural } from '../text.ts';
import { entriesBelow } from './list-files.ts';
import { nameOf, pathOf } from './read-file.ts';
import { fitRows, limits, type Sources } from './sources.ts';

export function searchText(sources: Sources, search: TextSearch): Tool {
  return defineTool({
    name: 'search_text',
    description: `Find lines in the files of the reviewed commit, case-sensitive, at most ${limits.matches} matches as \`12 | code\` below each path. A fixed string, or with regex: true RE2 syntax (no lookaround or backreferences; (?i) ignores case). path narrows to a file or directory, file_pattern to a glob such as \`*.ts\`.`,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['pattern', 'path', 'file_pattern', 'regex'],
      properties: {
        pattern: { type: 'string' },
        path: { type: ['string', 'null'] },
        file_pattern: { type: ['string', 'null'] },
        regex: { type: ['boolean', 'null'] },
      },
    },
    run: async (call) => {
      const query = {
        pattern: checkPattern(call.pattern, call.regex ?? false),
        regex: call.regex ?? false,
        path: pathOf(call.path ?? ''),
        filePattern: call.file_pattern ?? '',
        limit: limits.matches,
      };
      const found = await search.search(query);
      if (found.matches.length > 0) return renderMatches(sources, found);
      if (query.path !== '') await requirePath(sources, query.path);
      const outOfTime =
        found.incomplete === 'time' ? ' The search ran out of time: narrow it with path or file_pattern.' : '';
      return `No line matches ${describe(query)}.${outOfTime}${hint(query)}`;
    },
  });
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
  if (query.regex || !/\\[bswd.(]|\.\*|[|^$]|\[.+\]/.test(query.pattern)) return '';
  return ' If you meant a regular expression, set regex: true.';
}

/** The matches below the path of their file; those in denied files are only counted. */
async function renderMatches(sources: Sources, found: TextMatches): Promise<string> {
  const open = found.matches.filter((match) => sources.isDenied(match.path) === null);
  const groups = await Promise.all(open.map((match, index) => group(sources, match, open[index - 1]?.path)));
  const { rows, left } = fitRows(groups, limits.matches);
  return [...rows, ...notes(found, { denied: found.matches.length - open.length, cut: left })].join('\n');
}

/** One match, below the path of its file where the file is not the one before. */
async function group(sources: Sources, match: TextMatch, pathBefore: string | undefined): Promise<string> {
  const text = cutLine(await textOf(sources, match), limits.matchCharacters);
  const row = `${String(match.line).padStart(4)} | ${text}`;
  return match.path === pathBefore ? row : `${nameOf(match.path)}\n${row}`;
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
    ...(left.denied > 0 ? [`(${plural(left.denied, 'match')} in denied files left out)`] : []),
    ...(left.cut > 0 ? [`(${plural(left.cut, 'match')} more did not fit: ${narrow})`] : []),
    ...(found.incomplete === 'limit'
      ? [`(there are more than ${plural(found.matches.length, 'match')}: ${narrow})`]
      : []),
    ...(found.incomplete === 'time' ? [`(the search ran out of time and may have missed matches: ${narrow})`] : []),
  ];
}
