import { RE2JS } from 're2js';
import { ToolError } from '../../core/errors.ts';
import type { TextMatch, TextQuery } from '../../core/repository/repository.ts';
import { pathFilter } from './path-filter.ts';
import { repositoryPath } from './repository-path.ts';

/** A query that passed all checks. */
export type PreparedQuery = {
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
export type Find = (text: string) => number;

// A fixed string takes linear time, so only a huge repository makes it slow; a pattern may be hostile.
const timeouts = { fixed: 15_000, regex: 4_500 } as const;
const maxPatternCharacters = 1_000;
/** Characters of a matching line that are shown. */
const lineCharacters = 500;

/** @throws ToolError for a pattern, a path or a file pattern that cannot be searched for. */
export function prepareQuery(query: TextQuery): PreparedQuery {
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
export function shownMatch(match: TextMatch, find: Find): TextMatch {
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
