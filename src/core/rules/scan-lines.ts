import type { CodeSyntax } from './code-syntax.ts';
import { fenceTracker } from './fences.ts';
import type { Skippable } from './rule.ts';
import { commentOf, readToken, type ScanState } from './scan-token.ts';

/** A part of a line that is no code: `from` inclusive, `to` exclusive. */
export type Span = { readonly from: number; readonly to: number; readonly kind: Skippable };

export type LineScanner = {
  /** What of the next line is no code. Linear in its length, whatever it holds. */
  readonly scan: (line: string) => readonly Span[];
  /** A comment was closed that was never opened: the first line stood in one. */
  readonly startedInside: () => boolean;
};

/** Reads the lines of a file in order. `inside`: the first one stands in a comment. */
export function lineScanner(syntax: CodeSyntax, { inside = false }: { readonly inside?: boolean } = {}): LineScanner {
  const opened = inside ? commentOf(syntax.blockComments[0]) : null;
  const state: ScanState = { inside: opened, templates: [], brackets: 0, strayClose: false };
  const token = tokenPattern(syntax);
  const isFenced = syntax.fences ? fenceTracker() : () => false;
  return {
    scan: (line) => {
      if (state.inside === null && isFenced(line)) return [{ from: 0, to: line.length, kind: 'fences' }];
      return scanLine(line, { syntax, state, token });
    },
    startedInside: () => state.strayClose,
  };
}

type Scanning = { readonly syntax: CodeSyntax; readonly state: ScanState; readonly token: RegExp };

function scanLine(line: string, { syntax, state, token }: Scanning): readonly Span[] {
  const spans: Span[] = [];
  const first = line.search(/\S/);
  let patterns = true;
  let at = 0;
  while (at < line.length) {
    if (state.inside !== null) {
      const { kind } = state.inside;
      const { end, next } = endOfInside(line, at, state);
      // What closes a comment belongs to it; quotes stay.
      const to = kind === 'comments' ? next : end;
      if (to > at) add(spans, { from: at, to, kind });
      at = next;
      continue;
    }
    token.lastIndex = at;
    const found = token.exec(line);
    if (found === null) break;
    const read = readToken({ line, first, at: found.index, text: found[0], patterns }, { syntax, state });
    if (read.comment) add(spans, { from: found.index, to: read.next, kind: 'comments' });
    patterns &&= !read.noPattern;
    at = read.next;
  }
  if (state.inside !== null && !state.inside.multiLine) state.inside = null;
  return spans;
}

/** What opens a comment and what is in it are one part. */
function add(spans: Span[], span: Span): void {
  const last = spans.at(-1);
  if (last?.to === span.from && last.kind === span.kind) spans[spans.length - 1] = { ...span, from: last.from };
  else spans.push(span);
}

/** Where what the line stands in ends, and where to read on; it is over then, or goes on in the next line. */
function endOfInside(line: string, from: number, state: ScanState): { readonly end: number; readonly next: number } {
  const { inside } = state;
  if (inside === null) return { end: from, next: from };
  for (let at = inside.escapes ? from : skipTo(line, from, inside.close); at < line.length; at++) {
    if (inside.escapes && line[at] === '\\') at += 1;
    else if (line.startsWith(inside.close, at)) {
      state.inside = null;
      return { end: at, next: at + inside.close.length };
    } else if (inside.template && line.startsWith('${', at)) {
      state.inside = null;
      state.templates.push(0);
      return { end: at, next: at + 2 };
    }
  }
  return { end: line.length, next: line.length };
}

function skipTo(line: string, from: number, text: string): number {
  const at = line.indexOf(text, from);
  return at === -1 ? line.length : at;
}

function tokenPattern(syntax: CodeSyntax): RegExp {
  const tokens = [
    ...syntax.blockComments.flat(),
    ...syntax.lineComments.map(({ open }) => open),
    ...syntax.strings.map(({ quote }) => quote),
    ...(syntax.ecmascript ? ['/', '{', '}'] : []),
    ...(syntax.docStrings ? [...'([{}])'] : []),
  ];
  if (tokens.length === 0) return /(?!)/g;
  const longestFirst = [...new Set(tokens)].sort((one, other) => other.length - one.length);
  return new RegExp(longestFirst.map((each) => each.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'g');
}
