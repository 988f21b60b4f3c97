/** What comments and strings look like in languages of one family: enough to tell them from code, line by line. */
export type CodeSyntax = {
  /** What opens a comment up to the end of its line. */
  readonly lineComments: readonly LineComment[];
  /** What opens and closes a comment over lines. They are read as not nested: what is unclear counts as code. */
  readonly blockComments: readonly (readonly [string, string])[];
  readonly strings: readonly StringSyntax[];
  /** Of ECMAScript: `/` may open a pattern, and `${` in a template is code. */
  readonly ecmascript: boolean;
  /** Of Python: a string that stands where a statement would is documentation. */
  readonly docStrings: boolean;
  /** Of Markdown: blocks between lines of ``` or ~~~. */
  readonly fences: boolean;
};

type LineComment = {
  readonly open: string;
  /** What has to stand before it: anything, white space or the start of the line, or nothing but white space. */
  readonly after: 'anything' | 'space' | 'indentation';
};

export type StringSyntax = {
  readonly quote: string;
  readonly multiLine: boolean;
  /** A backslash takes the next character's meaning away. */
  readonly escapes: boolean;
  /** It does not open a string directly behind a letter, as in `don't`. */
  readonly notInWords: boolean;
};

const quoted = (quote: string, more: Partial<StringSyntax> = {}): StringSyntax => ({
  quote,
  multiLine: false,
  escapes: true,
  notInWords: false,
  ...more,
});
const line = (open: string, after: LineComment['after'] = 'anything'): LineComment => ({ open, after });

const plainQuotes = [quoted('"'), quoted("'")];
const wordQuotes = [quoted('"', { notInWords: true }), quoted("'", { notInWords: true })];
const tripleQuotes = [quoted('"""', { multiLine: true }), quoted("'''", { multiLine: true })];

const nothing: CodeSyntax = {
  lineComments: [],
  blockComments: [],
  strings: [],
  ecmascript: false,
  docStrings: false,
  fences: false,
};
const c: CodeSyntax = {
  ...nothing,
  lineComments: [line('//')],
  blockComments: [['/*', '*/']],
  strings: plainQuotes,
};
const ecmascript: CodeSyntax = {
  ...c,
  strings: [...plainQuotes, quoted('`', { multiLine: true })],
  ecmascript: true,
};
const hash: CodeSyntax = { ...nothing, lineComments: [line('#')], strings: plainQuotes };

export const syntaxes = {
  c,
  ecmascript,
  css: { ...c, lineComments: [] },
  // In the text of a page `//` is part of an address more often than a comment.
  component: {
    ...ecmascript,
    lineComments: [line('//', 'space')],
    blockComments: [...c.blockComments, ['<!--', '-->']],
    strings: [quoted('"'), quoted("'", { notInWords: true }), quoted('`', { multiLine: true })],
    ecmascript: false,
  },
  tripleQuotes: { ...c, strings: [...tripleQuotes, ...plainQuotes] },
  go: { ...c, strings: [...plainQuotes, quoted('`', { multiLine: true, escapes: false })] },
  // `'` opens lifetimes as well, so it opens no string.
  rust: { ...c, strings: [quoted('"')] },
  php: { ...c, lineComments: [line('//'), line('# ', 'space')] },
  terraform: { ...c, lineComments: [line('#'), line('//', 'space')], strings: [quoted('"')] },
  hash,
  python: { ...hash, strings: [...tripleQuotes, ...plainQuotes], docStrings: true },
  ruby: { ...hash, lineComments: [line('#', 'space')], blockComments: [['=begin', '=end']] },
  spacedHash: { ...hash, lineComments: [line('#', 'space')], strings: wordQuotes },
  ini: { ...nothing, lineComments: [line('#', 'indentation'), line(';', 'indentation')] },
  powershell: { ...hash, lineComments: [line('#', 'space')], blockComments: [['<#', '#>']] },
  batch: {
    ...nothing,
    lineComments: [line('rem ', 'indentation'), line('REM ', 'indentation'), line('::', 'indentation')],
  },
  sql: {
    ...c,
    lineComments: [line('--')],
    strings: [quoted("'", { escapes: false }), quoted('"', { escapes: false })],
  },
  lua: { ...hash, lineComments: [line('--')], blockComments: [['--[[', ']]']] },
  haskell: { ...nothing, lineComments: [line('--')], blockComments: [['{-', '-}']], strings: [quoted('"')] },
  ocaml: { ...nothing, blockComments: [['(*', '*)']], strings: [quoted('"')] },
  percent: { ...nothing, lineComments: [line('%', 'space')] },
  semicolon: { ...nothing, lineComments: [line(';')], strings: [quoted('"')] },
  markup: { ...nothing, blockComments: [['<!--', '-->']] },
  markdown: { ...nothing, blockComments: [['<!--', '-->']], fences: true },
  plain: nothing,
} as const satisfies Record<string, CodeSyntax>;
