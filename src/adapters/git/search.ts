import pLimit from 'p-limit';
import { RE2JS } from 're2js';
import { ToolError } from '../../core/errors.ts';
import type { Repository, TextMatch, TextMatches, TextQuery, TextSearch } from '../../core/repository/repository.ts';
import { withoutEnd } from '../../core/text.ts';
import { pathFilter, repositoryPath } from './environment.ts';
import { type Git, GitError } from './git.ts';

/** `git grep` has threads of its own: more at once would only let each other run out of time. */
const searchesAtOnce = 2;

type Searched = { readonly git: Git; readonly head: string; readonly repository: Repository };

/** Searches the files at head by `git grep` on the commit. Patterns come back within 5 seconds of their turn, whatever they are. */
export function searchText(options: Searched): TextSearch {
  const turns = pLimit(searchesAtOnce);
  return {
    search: async (query) => {
      const prepared = prepareQuery(query);
      return turns(() => searchNow(prepared, options));
    },
  };
}

async function searchNow(prepared: PreparedQuery, options: Searched): Promise<TextMatches> {
  // One file is read sooner than a process starts.
  const only = prepared.path === '' ? null : await options.repository.readFile(prepared.path, 'head');
  const deadline = performance.now() + prepared.timeout;
  if (only?.kind === 'text') return searchFiles([prepared.path], { ...options, ...prepared, deadline });
  try {
    return await grep({ ...options, ...prepared });
  } catch (error) {
    // PCRE gives up on the whole search at a hostile pattern, and may be missing from this git.
    if (!prepared.regex || !(error instanceof GitError) || error.exitCode !== 128) throw error;
    const entries = await options.repository.listFiles('head');
    const files = entries.filter(({ path, kind }) => kind === 'file' && isWithin(prepared.path, path));
    return searchFiles(
      files.map(({ path }) => path),
      { ...options, ...prepared, deadline },
    );
  }
}

async function grep(search: PreparedQuery & { readonly git: Git; readonly head: string }): Promise<TextMatches> {
  const { git, head, accepts, limit } = search;
  const matches: TextMatch[] = [];
  const leftOut = leavingOut(search);
  let more = false;
  const parser = grepParser(head, (match) => {
    if (!accepts(match.path) || leftOut.takes(match.path)) return 'go on';
    if (matches.length >= limit) {
      more = true;
      return 'stop';
    }
    matches.push(match);
    return 'go on';
  });
  const { stopped } = await git.run(
    [
      ...['grep', '-z', '-n', '--column', '-I', '--no-color', '--no-recurse-submodules', search.regex ? '-P' : '-F'],
      ...['-e', search.pattern, head, '--', ...(search.path === '' ? [] : [search.path])],
    ],
    { timeout: search.timeout, accept: [1], onOutput: parser.push },
  );
  if (more) return { matches, incomplete: 'limit', ...leftOut.files() };
  return { matches, incomplete: stopped === 'time' ? 'time' : null, ...leftOut.files() };
}

/** Counts the files with matches that a query leaves out; those of one file come one after the other. */
function leavingOut({ leaveOut }: Pick<PreparedQuery, 'leaveOut'>) {
  const paths: string[] = [];
  let files = 0;
  let last = '';
  return {
    takes: (path: string): boolean => {
      if (!leaveOut(path)) return false;
      if (path !== last) files += 1;
      if (path !== last && paths.length < namedFiles) paths.push(path);
      last = path;
      return true;
    },
    files: (): Pick<TextMatches, 'leftOut'> => (files === 0 ? {} : { leftOut: { files, paths } }),
  };
}

const namedFiles = 3;

// One line of this length takes a moment only, so the deadline is kept between lines.
const maxLineCharacters = 50_000;

/** Searches file by file with the linear-time engine, until the deadline. */
async function searchFiles(
  paths: readonly string[],
  search: PreparedQuery & { readonly repository: Repository; readonly deadline: number },
): Promise<TextMatches> {
  const { repository, accepts, limit, find, deadline } = search;
  const matches: TextMatch[] = [];
  const leftOut = leavingOut(search);
  for (const path of paths.filter(accepts)) {
    if (performance.now() > deadline) return { matches, incomplete: 'time', ...leftOut.files() };
    const file = await repository.readFile(path, 'head');
    if (file.kind !== 'text') continue;
    for (const [index, line] of file.text.split('\n').entries()) {
      if (performance.now() > deadline) return { matches, incomplete: 'time', ...leftOut.files() };
      const text = line.slice(0, maxLineCharacters);
      const at = find(text);
      if (at === -1) continue;
      if (leftOut.takes(path)) break;
      if (matches.length >= limit) return { matches, incomplete: 'limit', ...leftOut.files() };
      const [from, to] = [Math.max(0, at - keptAround), at + keptAround];
      const cut = { before: from > 0, after: to < line.length };
      matches.push({ path, line: index + 1, ...textAround(text.slice(from, at), text.slice(at, to), cut) });
    }
  }
  return { matches, incomplete: null, ...leftOut.files() };
}

function isWithin(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** A query that passed all checks. */
type PreparedQuery = {
  readonly pattern: string;
  readonly regex: boolean;
  /** Normalised; '' is the whole repository. */
  readonly path: string;
  readonly accepts: (path: string) => boolean;
  readonly leaveOut: (path: string) => boolean;
  readonly limit: number;
  readonly find: Find;
  /** Milliseconds. */
  readonly timeout: number;
};

/** Where a query is first found in a text, in linear time; -1 when it is not. */
type Find = (text: string) => number;

// A fixed string takes linear time, so only a huge repository makes it slow; a pattern may be hostile.
const timeouts = { fixed: 15_000, regex: 4_500 } as const;
const maxPatternCharacters = 1_000;

/** @throws ToolError for a pattern, a path or a file pattern that cannot be searched for. */
function prepareQuery(query: TextQuery): PreparedQuery {
  const { pattern, regex, limit, leaveOut = () => false } = query;
  if (pattern === '' || /[\0\n]/.test(pattern)) throw new ToolError('The pattern must be one line that is not empty.');
  if (pattern.length > maxPatternCharacters) {
    throw new ToolError(`The pattern is longer than ${maxPatternCharacters} characters: search for a part of it.`);
  }
  const path = repositoryPath(query.path);
  if (path === null) throw new ToolError(`${JSON.stringify(query.path)} is not a path inside the repository.`);
  return {
    pattern,
    regex,
    path,
    accepts: pathFilter(query.filePattern),
    leaveOut,
    limit,
    find: regex ? patternFinder(pattern) : (text) => text.indexOf(pattern),
    timeout: regex ? timeouts.regex : timeouts.fixed,
  };
}

function patternFinder(pattern: string): Find {
  const compiled = compile(pattern);
  return (text) => {
    const matcher = compiled.matcher(text);
    return matcher.find() ? matcher.start() : -1;
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolError(
      `The pattern is not a valid regular expression: ${reason}. RE2 syntax is used: no look-around, no back-references. ` +
        'Or search for a fixed string (regex: false).',
      { cause: error },
    );
  }
}

/** Bytes of a line that are kept on either side of where the match begins. Of a file without line ends, a line may be the whole file. */
const keptAround = 1_000;

/**
 * Cuts the bytes of `git grep -z -n --column <commit>` into matches: `<commit>:<path>\0<line>\0<column>\0<text>\n`. A path may hold any
 * other character, so nothing else is safe to split at. What is far from the match in a very long line is dropped as it comes.
 */
export function grepParser(commit: string, emit: (match: TextMatch) => 'go on' | 'stop') {
  let rest: Buffer = Buffer.alloc(0);
  let header: Header | null = null;
  let toSkip = 0;
  let dropping = false;
  return {
    push: (chunk: Buffer): 'go on' | 'stop' => {
      let bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      for (;;) {
        if (dropping) {
          const lineEnd = bytes.indexOf('\n');
          dropping = lineEnd === -1;
          bytes = bytes.subarray(dropping ? bytes.length : lineEnd + 1);
        }
        if (header === null) {
          header = headerIn(bytes, commit);
          bytes = bytes.subarray(header?.length ?? 0);
          toSkip = header?.skipped ?? 0;
        }
        const skipped = Math.min(toSkip, bytes.length);
        toSkip -= skipped;
        bytes = bytes.subarray(skipped);
        rest = bytes;
        const end = header === null ? null : textEnd(bytes);
        if (header === null || end === null) return 'go on';
        if (emit(matchIn(bytes.subarray(0, end.at), { header, ...end })) === 'stop') return 'stop';
        header = null;
        dropping = !end.complete;
        bytes = bytes.subarray(end.complete ? end.at + 1 : end.at);
      }
    },
  };
}

/** All of a record in front of its text, and how many bytes of that are too far before the match. */
type Header = Pick<TextMatch, 'path' | 'line'> & {
  readonly length: number;
  readonly skipped: number;
  /** Bytes of the kept text in front of the match. */
  readonly before: number;
};

/** Null when more has to come. */
function headerIn(bytes: Buffer, commit: string): Header | null {
  const pathEnd = bytes.indexOf(0);
  const lineEnd = pathEnd === -1 ? -1 : bytes.indexOf(0, pathEnd + 1);
  const columnEnd = lineEnd === -1 ? -1 : bytes.indexOf(0, lineEnd + 1);
  if (columnEnd === -1) return null;
  const offset = Number(bytes.toString('latin1', lineEnd + 1, columnEnd)) - 1;
  const skipped = Math.max(0, offset - keptAround);
  return {
    path: bytes.toString('utf8', commit.length + 1, pathEnd),
    line: Number(bytes.toString('latin1', pathEnd + 1, lineEnd)),
    length: columnEnd + 1,
    skipped,
    before: offset - skipped,
  };
}

/** Where the text ends: at its line end, or where it is long enough; null when more has to come. */
function textEnd(bytes: Buffer): { readonly at: number; readonly complete: boolean } | null {
  const lineEnd = bytes.subarray(0, keptAround * 2).indexOf('\n');
  if (lineEnd !== -1) return { at: lineEnd, complete: true };
  return bytes.length < keptAround * 2 ? null : { at: keptAround * 2, complete: false };
}

function matchIn(bytes: Buffer, { header, complete }: { header: Header; complete: boolean }): TextMatch {
  const { path, line, skipped, before } = header;
  const [front, back] = [bytes.toString('utf8', 0, before), bytes.toString('utf8', before)];
  return { path, line, ...textAround(front, back, { before: skipped > 0, after: !complete }) };
}

/** Without the word that a cut goes through: a part of a secret does not look like one. Nor half a character, whose bytes are unreadable. */
function textAround(
  front: string,
  back: string,
  cut: { before: boolean; after: boolean },
): Pick<TextMatch, 'text' | 'at'> {
  const start = cut.before ? `…${front.replace(/^[\ufffd\udc00-\udfff]*[\w+/=.~-]*/, '')}` : front;
  if (!cut.after) return { text: `${start}${back}`.replace(/\r$/, ''), at: start.length };
  let end = back.length;
  while (end > 0 && /[\w+/=.~\ufffd\ud800-\udbff-]/.test(back.charAt(end - 1))) end--;
  // Where the cut word is the match itself, it stays.
  return {
    text: `${start}${end === 0 ? withoutEnd(back, /[\ufffd\ud800-\udbff]/) : back.slice(0, end)}…`,
    at: start.length,
  };
}
