import type { CodeSyntax, StringSyntax } from './languages.ts';

/** A part of a line that is no code: `from` inclusive, `to` exclusive. */
export type Span = { readonly from: number; readonly to: number; readonly kind: Skippable };

type LineScanner = {
  /** What of the next line is no code. Linear in its length, whatever it holds. */
  readonly scan: (line: string) => readonly Span[];
  /** A comment was closed that was never opened: the first line stood in one. */
  readonly startedInside: () => boolean;
};

/**
 * Reads the lines of a file in order. `inside`: the first one stands in a comment. `sure`: what may be code is code, such as a comment that holds
 * what opens code in the text of a page; and everything is, from the first line on of which nobody knows what it opens or closes.
 */
export function lineScanner(
  syntax: CodeSyntax,
  { inside = false, sure = false }: { inside?: boolean; sure?: boolean } = {},
): LineScanner {
  const opened = inside ? commentOf(syntax.blockComments[0]) : null;
  const state: ScanState = {
    inside: opened,
    templates: [],
    brackets: 0,
    strayClose: false,
    lost: false,
    doubted: false,
  };
  const token = tokenPattern(syntax);
  const isFenced = syntax.fences ? fenceTracker() : () => false;
  return {
    scan: (line) => {
      if (state.inside === null && isFenced(line)) return [{ from: 0, to: line.length, kind: 'fences' }];
      const spans = scanLine(line, { syntax, state, token, doubts: sure ? syntax.doubts : [] });
      // Languages end a line there, too.
      state.lost ||= /[\r\u0085\u2028\u2029]/.test(line) || syntax.loses.some((text) => line.includes(text));
      return sure && state.lost ? [] : spans;
    },
    startedInside: () => state.strayClose,
  };
}

function scanLine(
  line: string,
  { syntax, state, token, doubts }: Context & { token: RegExp; doubts: readonly string[] },
): readonly Span[] {
  const spans: Span[] = [];
  const skip = (span: Span, close: string) => {
    const text = line.slice(span.from, span.to);
    state.doubted ||= close !== '-->' && doubts.some((one) => text.includes(one));
    if (!state.doubted) add(spans, span);
    if (state.inside === null) state.doubted = false;
  };
  const first = line.search(/\S/);
  let patterns = true;
  let at = 0;
  while (at < line.length) {
    if (state.inside !== null) {
      const { kind, close } = state.inside;
      const { end, next } = endOfInside(line, at, { state, inside: state.inside });
      // What closes a comment belongs to it; quotes stay.
      const to = kind === 'comments' ? next : end;
      skip({ from: at, to, kind }, close);
      at = next;
      continue;
    }
    token.lastIndex = at;
    const found = token.exec(line);
    if (found === null) break;
    const read = readToken({ line, first, at: found.index, text: found[0], patterns }, { syntax, state });
    if (read.comment) skip({ from: found.index, to: read.next, kind: 'comments' }, found[0] === '<!--' ? '-->' : '');
    patterns &&= !read.noPattern;
    at = read.next;
  }
  if (state.inside !== null && !state.inside.multiLine) {
    // It goes on in the next line.
    state.lost ||= state.inside.escapes && line.endsWith('\\');
    state.inside = null;
    state.doubted = false;
  }
  return spans;
}

/** What opens a comment and what is in it are one part. */
function add(spans: Span[], span: Span): void {
  if (span.to === span.from) return;
  const last = spans.at(-1);
  if (last?.to === span.from && last.kind === span.kind) spans[spans.length - 1] = { ...span, from: last.from };
  else spans.push(span);
}

/** Where what the line stands in ends, and where to read on; it is over then, or goes on in the next line. */
function endOfInside(line: string, from: number, { state, inside }: { state: ScanState; inside: Inside }) {
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

/** The comment or string that a scanner stands in. */
type Inside = {
  readonly kind: 'comments' | 'strings';
  readonly close: string;
  readonly escapes: boolean;
  readonly multiLine: boolean;
  /** `${` is code again. */
  readonly template: boolean;
};

/** What a scanner knows of the lines before. */
type ScanState = {
  inside: Inside | null;
  /** The open braces within each `${` of a template, the innermost last. */
  readonly templates: number[];
  /** Open ones, of every kind. */
  brackets: number;
  strayClose: boolean;
  /** Nobody knows what the next line stands in. */
  lost: boolean;
  /** What the scanner stands in may be code. */
  doubted: boolean;
};

type Token = {
  readonly line: string;
  /** The first character of the line that is no white space. */
  readonly first: number;
  readonly at: number;
  readonly text: string;
  /** Whether a `/` on this line may still open a pattern. */
  readonly patterns: boolean;
};

type ReadToken = {
  /** Where to read on. */
  readonly next: number;
  /** It is a comment from the token on. */
  readonly comment: boolean;
  /** A `/` that could have opened a pattern was never closed: to look again would take as long. */
  readonly noPattern: boolean;
};

/** What a token of code does to the state. */
function readToken(token: Token, { syntax, state }: Context): ReadToken {
  const { at, text, line } = token;
  const code = { next: at + text.length, comment: false, noPattern: false };
  const block = syntax.blockComments.find(([open]) => open === text);
  // `<!-->` is a whole comment.
  const isWhole = text === '<!--' && /^-?>/.test(line.slice(at + text.length, at + text.length + 2));
  if (block !== undefined && !isWhole && (text !== '=begin' || at === 0)) {
    state.inside = commentOf(block);
    return { ...code, comment: true };
  }
  if (syntax.lineComments.some(({ open, after }) => open === text && isBehind(token, after)))
    return { ...code, next: line.length, comment: true };
  if (syntax.blockComments.some(([, close]) => close === text)) state.strayClose = true;
  const string = syntax.strings.find(({ quote }) => quote === text);
  if (string !== undefined) openString(token, { string, syntax, state });
  if (syntax.docStrings) countBrackets(text, state);
  if (!syntax.ecmascript) return code;
  countBraces(text, state);
  if (text === '/' && ')}'.includes(characterBefore(line, at) || ' ')) {
    // It divides, or opens a pattern behind `if (a)`, in which anything may stand.
    const rest = line.slice(at);
    state.lost ||= rest.includes('`') || rest.includes('/*') || state.templates.length > 0;
    return { ...code, next: line.length };
  }
  if (text !== '/' || !token.patterns) return code;
  const end = patternEnd(line, at);
  return end === null ? { ...code, noPattern: true } : { ...code, next: end };
}

type Context = { readonly syntax: CodeSyntax; readonly state: ScanState };

/** The state inside a block comment. */
function commentOf(block: readonly [string, string] | undefined): Inside | null {
  if (block === undefined) return null;
  return { kind: 'comments', close: block[1], escapes: false, multiLine: true, template: false };
}

function isBehind({ line, at, first }: Token, after: 'anything' | 'space' | 'indentation'): boolean {
  if (after === 'anything') return true;
  return after === 'indentation' ? at === first : at === 0 || /\s/.test(line.charAt(at - 1));
}

function openString(
  { line, at, first, text }: Token,
  { string, syntax, state }: Context & { readonly string: StringSyntax },
): void {
  if (string.notInWords && /\w/.test(line.charAt(at - 1))) return;
  const startsLine = at === first || (at === first + 1 && /[rub]/i.test(line.charAt(first)));
  const documents = syntax.docStrings && string.multiLine && startsLine && state.brackets === 0;
  state.inside = {
    kind: documents ? 'comments' : 'strings',
    close: text,
    escapes: string.escapes,
    multiLine: string.multiLine,
    template: syntax.ecmascript && text === '`',
  };
}

function countBrackets(text: string, state: ScanState): void {
  if ('([{'.includes(text)) state.brackets += 1;
  else if (')]}'.includes(text)) state.brackets = Math.max(0, state.brackets - 1);
}

const template: Inside = { kind: 'strings', close: '`', escapes: true, multiLine: true, template: true };

/** The brace that closes a `${` leads back into its template. */
function countBraces(text: string, state: ScanState): void {
  const open = state.templates.pop();
  if (open === undefined) return;
  if (text === '}' && open === 0) {
    state.inside = template;
    return;
  }
  state.templates.push(text === '{' ? open + 1 : text === '}' ? open - 1 : open);
}

/**
 * Where a pattern such as `/["']/` of ECMAScript ends that starts at a slash: behind its last slash. The next place when the slash divides, null
 * when the line ends first.
 */
function patternEnd(line: string, slash: number): number | null {
  if (!mayStart(line, slash)) return slash + 1;
  let inClass = false;
  for (let at = slash + 1; at < line.length; at++) {
    const character = line[at];
    if (character === '\\') at += 1;
    else if (character === '[') inClass = true;
    else if (character === ']') inClass = false;
    else if (character === '/' && !inClass) return at + 1;
  }
  return null;
}

/** Behind a value a slash divides; behind an operator, a bracket or a keyword it starts a pattern. */
function mayStart(line: string, slash: number): boolean {
  const character = characterBefore(line, slash);
  if (character === '') return true;
  const at = line.lastIndexOf(character, slash - 1);
  if ('(,=:[!&|?{};+-*%>~^'.includes(character)) return true;
  const word = /(?:^|[^a-z])([a-z]+)$/.exec(line.slice(Math.max(0, at - longestKeyword), at + 1))?.[1];
  return word !== undefined && keywords.has(word);
}

/** The last one that is no white space; empty where there is none. */
function characterBefore(line: string, end: number): string {
  let at = end - 1;
  while (at >= 0 && (line[at] === ' ' || line[at] === '\t')) at -= 1;
  return line.charAt(at);
}

const keywords = new Set('return typeof case in of delete void throw new else do yield await instanceof'.split(' '));
const longestKeyword = 12;

/** Tells for the lines of a Markdown file, in order, whether each belongs to a fenced block, its two fences included. */
function fenceTracker(): (line: string) => boolean {
  let open: string | null = null;
  return (line) => {
    // In a list or a quotation a fence stands further in.
    const fence = /^[\s>]{0,40}(?:[-*+]\s{1,4})?(`{3,}|~{3,})(.*)$/s.exec(line);
    const marks = fence?.[1] ?? '';
    if (open !== null) {
      if (marks.startsWith(open) && (fence?.[2] ?? '').trim() === '') open = null;
      return true;
    }
    // Backticks behind backticks are code in a line of text.
    if (marks === '' || (marks.startsWith('`') && (fence?.[2] ?? '').includes('`'))) return false;
    open = marks;
    return true;
  };
}

/** Parts of a file that a rule may pass over. */
export const skippable = ['comments', 'strings', 'fences'] as const;

export type Skippable = (typeof skippable)[number];
