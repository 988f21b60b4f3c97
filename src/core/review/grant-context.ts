import { estimateTokens } from '../agent/estimate.ts';
import type { ContextRequest, ReadRequest } from '../findings/context-request.ts';
import { cutLine } from '../repository/cut-line.ts';
import { numbered, type ShownLine } from '../repository/shown.ts';

/** What a follow-up may show. */
export type FollowUpScope = {
  /** Paths of the bundle's changed files, and of the code around them that the prompt holds; an old name leads to the new one. */
  readonly paths: ReadonlyMap<string, string>;
  /** Tokens, estimated. */
  readonly maxTokens: number;
  /** Lines at head; null for what is no text file there, or may not be read. */
  readonly read: (path: string) => Promise<readonly ShownLine[] | null>;
};

export type Granted =
  | { readonly granted: true; readonly path: string; readonly lines: string; readonly text: string }
  | { readonly granted: false; readonly reason: string };

/** Decides a request for lines and reads them: within the bundle's files and their chain, a given range, a limited number of tokens. */
export async function grantContext(asked: ReadRequest, scope: FollowUpScope): Promise<Granted> {
  if (!asked.ok) return refused(asked.problem);
  const { request } = asked;
  const path = scope.paths.get(request.file.replace(/^(?:\.\/)+/, ''));
  if (path === undefined) {
    return refused('the file is neither among the changed files of the batch nor in the code around them');
  }
  const lines = await scope.read(path);
  if (lines === null) return refused('there is no text at the reviewed commit that may be read');
  if (request.lineStart > lines.length) return refused(`the file has ${lines.length} lines`);
  return excerpt(lines, { request, path, maxTokens: scope.maxTokens });
}

/** Of one line; minified files have lines of megabytes. */
const maxLineCharacters = 500;
/** A line with its number takes a token at least. */
const leastTokensOfLine = 1;

function excerpt(
  lines: readonly ShownLine[],
  { request, path, maxTokens }: { readonly request: ContextRequest; readonly path: string; readonly maxTokens: number },
): Granted {
  const { lineStart } = request;
  const wanted = Math.min(request.lineEnd, lines.length);
  const most = Math.min(wanted, lineStart - 1 + Math.floor(maxTokens / leastTokensOfLine));
  const rows = lines
    .slice(lineStart - 1, most)
    .map((line) => ({ ...line, text: cutLine(line.text, maxLineCharacters) }));
  let count = rows.length;
  while (count > 0 && estimateTokens(textOf(rows.slice(0, count), { lineStart, wanted })) > maxTokens) {
    // Down by a tenth: an estimate is no sum of its parts.
    count -= Math.max(1, Math.floor(count / 10));
  }
  if (count === 0) return refused(`not even its first line fits ${maxTokens} tokens`);
  return {
    granted: true,
    path,
    lines: `${lineStart}-${lineStart + count - 1}`,
    text: textOf(rows.slice(0, count), { lineStart, wanted }),
  };
}

function textOf(rows: readonly ShownLine[], at: { readonly lineStart: number; readonly wanted: number }): string {
  const last = at.lineStart + rows.length - 1;
  const note = last < at.wanted ? `\n[lines ${last + 1}-${at.wanted} are left out: the limit of a follow-up]` : '';
  return `${numbered(rows, at.lineStart)}${note}`;
}

function refused(reason: string): Granted {
  return { granted: false, reason };
}
