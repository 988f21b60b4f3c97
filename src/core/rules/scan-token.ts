import type { CodeSyntax, StringSyntax } from './code-syntax.ts';
import { patternEnd } from './pattern-literal.ts';

/** The comment or string that a scanner stands in. */
export type Inside = {
  readonly kind: 'comments' | 'strings';
  readonly close: string;
  readonly escapes: boolean;
  readonly multiLine: boolean;
  /** `${` is code again. */
  readonly template: boolean;
};

/** What a scanner knows of the lines before. */
export type ScanState = {
  inside: Inside | null;
  /** The open braces within each `${` of a template, the innermost last. */
  readonly templates: number[];
  /** Open ones, of every kind. */
  brackets: number;
  strayClose: boolean;
};

export type Token = {
  readonly line: string;
  /** The first character of the line that is no white space. */
  readonly first: number;
  readonly at: number;
  readonly text: string;
  /** Whether a `/` on this line may still open a pattern. */
  readonly patterns: boolean;
};

export type ReadToken = {
  /** Where to read on. */
  readonly next: number;
  /** It is a comment from the token on. */
  readonly comment: boolean;
  /** A `/` that could have opened a pattern was never closed: to look again would take as long. */
  readonly noPattern: boolean;
};

/** What a token of code does to the state. */
export function readToken(token: Token, { syntax, state }: Context): ReadToken {
  const { at, text, line } = token;
  const code = { next: at + text.length, comment: false, noPattern: false };
  const block = syntax.blockComments.find(([open]) => open === text);
  if (block !== undefined && (text !== '=begin' || at === 0)) {
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
  if (text !== '/' || !token.patterns) return code;
  const end = patternEnd(line, at);
  return end === null ? { ...code, noPattern: true } : { ...code, next: end };
}

type Context = { readonly syntax: CodeSyntax; readonly state: ScanState };

/** The state inside a block comment. */
export function commentOf(block: readonly [string, string] | undefined): Inside | null {
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
