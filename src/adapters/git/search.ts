import { RE2JS } from 're2js';
import { ToolError } from '../../core/errors.ts';
import type { Repository, TextMatch, TextMatches, TextQuery, TextSearch } from '../../core/repository/repository.ts';
import { pathFilter, repositoryPath } from './environment.ts';
import { type Git, GitError } from './git.ts';

/** Searches the files at head by `git grep` on the commit. Patterns come back within 5 seconds, whatever they are. */
export function searchText(options: {
  git: Git;
  head: string;
  repository: Repository;
  /** Milliseconds of a clock that never goes back. */
  now: () => number;
}): TextSearch {
  return {
    search: async (query) => {
      const prepared = prepareQuery(query);
      const deadline = options.now() + prepared.timeout;
      try {
        return await grep({ ...options, ...prepared });
      } catch (error) {
        // PCRE gives up on the whole search at a hostile pattern, and may be missing from this git.
        if (!query.regex || !(error instanceof GitError) || error.exitCode !== 128) throw error;
        return searchFiles({ ...options, ...prepared, deadline });
      }
    },
  };
}

async function grep(search: PreparedQuery & { readonly git: Git; readonly head: string }): Promise<TextMatches> {
  const { git, head, accepts, limit, find } = search;
  const matches: TextMatch[] = [];
  let more = false;
  const parser = grepParser(head, (match) => {
    if (!accepts(match.path)) return 'go on';
    if (matches.length >= limit) {
      more = true;
      return 'stop';
    }
    matches.push(shownMatch(match, find));
    return 'go on';
  });
  const { stopped } = await git.run(
    [
      ...['grep', '-z', '-n', '-I', '--no-color', '--no-recurse-submodules', search.regex ? '-P' : '-F'],
      ...['-e', search.pattern, head, '--', ...(search.path === '' ? [] : [search.path])],
    ],
    { timeout: search.timeout, accept: [1], onOutput: parser.push },
  );
  if (more) return { matches, incomplete: 'limit' };
  return { matches, incomplete: stopped === 'time' ? 'time' : null };
}

// One line of this length takes a moment only, so the deadline is kept between lines.
const maxLineCharacters = 50_000;

/** Searches file by file with the linear-time engine, until the deadline. */
async function searchFiles(
  search: PreparedQuery & {
    readonly repository: Repository;
    readonly now: () => number;
    readonly deadline: number;
  },
): Promise<TextMatches> {
  const { repository, accepts, limit, find, now, deadline } = search;
  const matches: TextMatch[] = [];
  for (const { path, kind } of await repository.listFiles('head')) {
    if (kind !== 'file' || !isWithin(search.path, path) || !accepts(path)) continue;
    if (now() > deadline) return { matches, incomplete: 'time' };
    const file = await repository.readFile(path, 'head');
    if (file.kind !== 'text') continue;
    for (const [index, line] of file.text.split('\n').entries()) {
      if (now() > deadline) return { matches, incomplete: 'time' };
      const text = line.slice(0, maxLineCharacters);
      if (find(text) === -1) continue;
      if (matches.length >= limit) return { matches, incomplete: 'limit' };
      matches.push(shownMatch({ path, line: index + 1, text }, find));
    }
  }
  return { matches, incomplete: null };
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
/** Characters of a matching line that are shown. */
const lineCharacters = 500;

/** @throws ToolError for a pattern, a path or a file pattern that cannot be searched for. */
function prepareQuery(query: TextQuery): PreparedQuery {
  const { pattern, regex, limit } = query;
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
    limit,
    find: regex ? patternFinder(pattern) : (text) => text.indexOf(pattern),
    timeout: regex ? timeouts.regex : timeouts.fixed,
  };
}

/** The match with its line cut to 500 characters around the place that was found. */
function shownMatch(match: TextMatch, find: Find): TextMatch {
  const text = match.text.endsWith('\r') ? match.text.slice(0, -1) : match.text;
  if (text.length <= lineCharacters) return { ...match, text };
  const found = Math.max(find(text), 0);
  const start = found < lineCharacters / 2 ? 0 : found - lineCharacters / 5;
  const end = start + lineCharacters;
  return { ...match, text: `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}` };
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

export type GrepLine = { readonly path: string; readonly line: number; readonly text: string };

/** Bytes of a line that are kept. Of a file without line ends, a match may be the whole file. */
const maxLineBytes = 50_000;

/**
 * Cuts the bytes of `git grep -z -n <commit>` into matches: `<commit>:<path>\0<line>\0<text>\n`. A path may hold any
 * other character, so nothing else is safe to split at. The end of a very long line is dropped as it comes.
 */
export function grepParser(commit: string, emit: (match: GrepLine) => 'go on' | 'stop') {
  let rest: Buffer = Buffer.alloc(0);
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
        const end = recordEnd(bytes);
        rest = bytes;
        if (end === null) return 'go on';
        if (emit(matchIn(bytes.subarray(0, end.at), commit)) === 'stop') return 'stop';
        dropping = !end.complete;
        bytes = bytes.subarray(end.complete ? end.at + 1 : end.at);
      }
    },
  };
}

function matchIn(record: Buffer, commit: string): GrepLine {
  const pathEnd = record.indexOf(0);
  const numberEnd = record.indexOf(0, pathEnd + 1);
  return {
    path: record.toString('utf8', commit.length + 1, pathEnd),
    line: Number(record.toString('latin1', pathEnd + 1, numberEnd)),
    text: record.toString('utf8', numberEnd + 1),
  };
}

/** Where the first record ends, at its line end or where its text is long enough; null when more has to come. */
function recordEnd(bytes: Buffer): { readonly at: number; readonly complete: boolean } | null {
  const pathEnd = bytes.indexOf(0);
  const numberEnd = pathEnd === -1 ? -1 : bytes.indexOf(0, pathEnd + 1);
  if (numberEnd === -1) return null;
  const limit = numberEnd + 1 + maxLineBytes;
  const lineEnd = bytes.subarray(0, limit).indexOf('\n', numberEnd + 1);
  if (lineEnd !== -1) return { at: lineEnd, complete: true };
  return bytes.length < limit ? null : { at: limit, complete: false };
}
