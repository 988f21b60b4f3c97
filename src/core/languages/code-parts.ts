import { type ChangedFile, codeText, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import type { Repository } from '../repository/repository.ts';
import { type CodeSyntax, languageOf } from './languages.ts';
import { lineScanner, type Skippable, type Span } from './scan-code.ts';

/** The text of a file at head; null when it cannot be read. */
export type ReadHead = (path: string) => Promise<string | null>;

/** For a line at head, 1-based and inside a hunk: what of it is comment, string or fence. */
export type CodeParts = (line: number) => readonly Span[];

/**
 * Tells code from comments in the hunks of a file. A comment may have begun far above a hunk, so the file is read from its first line; where it
 * cannot be, each hunk is read for itself.
 */
export async function codeParts(file: ChangedFile, readHead: ReadHead): Promise<CodeParts> {
  const known = languageOf(file.path)?.syntax;
  if (known === undefined) return nothing;
  // Without JSX, a brace in a comment is part of it.
  const syntax = /\.[cm]?ts$/i.test(file.path) ? { ...known, doubts: [] } : known;
  const text = await readHead(file.path);
  const whole = text === null ? null : partsOfFile(text.split('\n'), file.hunks, syntax);
  const parts = whole ?? partsOfHunks(file.hunks, syntax);
  return (line) => parts.get(line) ?? none;
}

const none: readonly Span[] = [];
const nothing: CodeParts = () => none;

type Parts = Map<number, readonly Span[]>;

/** Null when the text is not that of the hunks. */
function partsOfFile(lines: readonly string[], hunks: readonly Hunk[], syntax: CodeSyntax): Parts | null {
  const parts: Parts = new Map();
  const { scan } = lineScanner(syntax, { sure: true });
  let next = 1;
  for (const hunk of hunks) {
    for (const { newLine, text } of hunkLines(hunk)) {
      if (newLine === null) continue;
      for (; next < newLine; next++) scan(codeText(lines[next - 1] ?? '', next));
      const code = codeText(text, newLine);
      if (codeText(lines[newLine - 1] ?? '', newLine) !== code) return null;
      const spans = scan(code);
      if (spans.length > 0) parts.set(newLine, spans);
      next = newLine + 1;
    }
  }
  return parts;
}

function partsOfHunks(hunks: readonly Hunk[], syntax: CodeSyntax): Parts {
  const parts: Parts = new Map();
  for (const hunk of hunks) {
    const lines = [...hunkLines(hunk)].flatMap(({ newLine, text }) =>
      newLine === null ? [] : [codeText(text, newLine)],
    );
    for (const [index, spans] of scanHunk(lines, syntax).entries()) parts.set(hunk.newStart + index, spans);
  }
  return parts;
}

function scanHunk(lines: readonly string[], syntax: CodeSyntax): readonly (readonly Span[])[] {
  const { scan, startedInside } = lineScanner(syntax, { sure: true });
  const spans = lines.map(scan);
  if (!startedInside() && !continuesComment(lines[0] ?? '', syntax)) return spans;
  return lines.map(lineScanner(syntax, { inside: true, sure: true }).scan);
}

/** Lines inside a long comment begin with an asterisk by custom. */
function continuesComment(line: string, { blockComments }: CodeSyntax): boolean {
  return blockComments[0]?.[0] === '/*' && /^\s*\*(?:\s|$)/.test(line);
}

/** The line, as `codeText` has it, with spaces in place of what a rule skips: columns stay where they are. */
export function masked(line: string, spans: readonly Span[], skip: readonly Skippable[]): string {
  let result = '';
  let copied = 0;
  for (const { from, to, kind } of spans) {
    if (!skip.includes(kind)) continue;
    result += line.slice(copied, from) + ' '.repeat(to - from);
    copied = to;
  }
  return copied === 0 ? line : result + line.slice(copied);
}

/** Reads files at head as text; null for what is none. */
export function headReader(repository: Repository): ReadHead {
  return async (path) => {
    const content = await repository.readFile(path, 'head');
    return content.kind === 'text' ? content.text : null;
  };
}
