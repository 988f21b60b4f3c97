import { nearest } from '../settings/setting.ts';

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
  /** What opens or closes code in the text of a page: in what looks like a comment or a string it is in doubt. */
  readonly doubts: readonly string[];
  /** What opens a text that no scanner here follows. */
  readonly loses: readonly string[];
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
  doubts: [],
  loses: [],
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
  doubts: ['{', '}'],
};
const hash: CodeSyntax = { ...nothing, lineComments: [line('#')], strings: plainQuotes };

const syntaxes = {
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
    doubts: ['{', '}', '<', '>'],
  },
  tripleQuotes: { ...c, strings: [...tripleQuotes, ...plainQuotes] },
  go: { ...c, strings: [...plainQuotes, quoted('`', { multiLine: true, escapes: false })] },
  // `'` opens lifetimes as well, so it opens no string.
  rust: { ...c, strings: [quoted('"')] },
  php: { ...c, lineComments: [line('//'), line('# ', 'space')], doubts: ['?>', '<?'], loses: ['<<<'] },
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

type Language = {
  readonly name: string;
  /** Other names; each extension is one as well. */
  readonly aliases: readonly string[];
  readonly extensions: readonly string[];
  /** Names of files without a telling extension, in lower case. */
  readonly files: readonly string[];
  readonly syntax: CodeSyntax;
};

/** The language that a name or an alias means, without regard to case. */
export function languageNamed(name: string): Language | null {
  return byName.get(name.trim().toLowerCase()) ?? null;
}

/** The language of a file, by its name alone; null when it is not known. */
export function languageOf(path: string): Language | null {
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const named = byFile.get(file);
  if (named !== undefined) return named;
  const parts = file.split('.');
  const byEnd = parts.length > 1 ? byExtension.get(parts.at(-1) ?? '') : undefined;
  if (byEnd !== undefined) return byEnd;
  // What ends like code is code, whatever it begins with: `.env.js` runs.
  if (file.startsWith('.env')) return byName.get('dotenv') ?? null;
  return parts.length > 1 ? (byFile.get(parts[0] ?? '') ?? null) : null;
}

/** Whether white space at the start of a line of this file means nothing. In every other language, known or not, it counts as code. */
export function isFreelyIndented(path: string): boolean {
  return freelyIndented.has(languageOf(path)?.name ?? '');
}

const freelyIndented = new Set(
  words(
    'javascript typescript go rust java kotlin scala csharp swift dart c cpp objective-c php css scss json html xml',
  ),
);

/** Such as `"pyton"; did you mean python?`. */
export function unknownLanguage(name: string): string {
  const meant = nearest(name, [...byName.keys()]);
  const help = meant === null ? `known are ${languages.map((one) => one.name).join(', ')}` : `did you mean ${meant}?`;
  return `${JSON.stringify(name)}; ${help}`;
}

/** `name: aliases | extensions | files`. */
const table: readonly (readonly [CodeSyntax, string])[] = [
  [syntaxes.ecmascript, 'javascript: ecmascript node | js jsx mjs cjs |'],
  [syntaxes.ecmascript, 'typescript: | ts tsx mts cts |'],
  [syntaxes.component, 'vue: | vue |'],
  [syntaxes.component, 'svelte: | svelte |'],
  [syntaxes.component, 'astro: | astro |'],
  [syntaxes.python, 'python: python3 starlark bazel | py pyi pyw bzl | build workspace'],
  [syntaxes.ruby, 'ruby: | rb rake gemspec erb | gemfile rakefile podfile vagrantfile'],
  [syntaxes.go, 'go: golang | go |'],
  [syntaxes.rust, 'rust: | rs |'],
  [syntaxes.tripleQuotes, 'java: | java |'],
  [syntaxes.tripleQuotes, 'kotlin: | kt kts |'],
  [syntaxes.tripleQuotes, 'scala: | scala sc |'],
  [syntaxes.tripleQuotes, 'groovy: | groovy gradle | jenkinsfile'],
  [syntaxes.tripleQuotes, 'csharp: c# dotnet | cs csx |'],
  [syntaxes.tripleQuotes, 'swift: | swift |'],
  [syntaxes.tripleQuotes, 'dart: flutter | dart |'],
  [syntaxes.c, 'c: | c h |'],
  [syntaxes.c, 'cpp: c++ | cc cpp cxx hpp hh hxx ipp |'],
  [syntaxes.c, 'objective-c: objc | m mm |'],
  [syntaxes.c, 'protobuf: | proto |'],
  [syntaxes.c, 'solidity: | sol |'],
  [syntaxes.c, 'scss: sass less | scss sass less |'],
  [syntaxes.c, 'json: | json jsonc json5 |'],
  [syntaxes.css, 'css: | css |'],
  [syntaxes.php, 'php: | php phtml |'],
  [syntaxes.terraform, 'terraform: hashicorp | tf tfvars hcl |'],
  [syntaxes.terraform, 'nix: | nix |'],
  [syntaxes.hash, 'perl: | pl pm |'],
  [syntaxes.hash, 'r: rlang | r |'],
  [syntaxes.python, 'elixir: | ex exs |'],
  [syntaxes.hash, 'toml: | toml |'],
  [syntaxes.hash, 'graphql: | graphql gql |'],
  [syntaxes.hash, 'cmake: | cmake | cmakelists.txt'],
  [syntaxes.python, 'julia: | jl |'],
  [syntaxes.hash, 'makefile: make | mk mak | makefile gnumakefile'],
  [syntaxes.spacedHash, 'shell: bourne fish | sh bash zsh ksh fish | .bashrc .zshrc .profile'],
  [syntaxes.spacedHash, 'yaml: | yml yaml |'],
  [syntaxes.spacedHash, 'dockerfile: docker containerfile | dockerfile | dockerfile containerfile'],
  [syntaxes.spacedHash, 'dotenv: | env |'],
  [syntaxes.ini, 'ini: | ini cfg conf properties | .npmrc .editorconfig .gitconfig'],
  [syntaxes.powershell, 'powershell: pwsh | ps1 psm1 psd1 |'],
  [syntaxes.batch, 'batch: | bat cmd |'],
  [syntaxes.sql, 'sql: mysql postgresql plsql | sql |'],
  [syntaxes.lua, 'lua: | lua |'],
  [syntaxes.haskell, 'haskell: elm | hs elm |'],
  [syntaxes.ocaml, 'ocaml: | ml mli |'],
  [syntaxes.tripleQuotes, 'fsharp: f# | fs fsx |'],
  [syntaxes.percent, 'erlang: | erl hrl |'],
  [syntaxes.percent, 'latex: tex | tex sty |'],
  [syntaxes.semicolon, 'clojure: lisp scheme | clj cljs edn lisp el scm |'],
  [syntaxes.markup, 'html: | html htm xhtml |'],
  [syntaxes.markup, 'xml: | xml xsd xsl svg csproj plist |'],
  [syntaxes.markdown, 'markdown: | md mdx markdown |'],
  [syntaxes.plain, 'rst: restructuredtext | rst |'],
  [syntaxes.plain, 'asciidoc: | adoc asciidoc |'],
];

const languages: readonly Language[] = table.map(([syntax, row]) => {
  const [names = '', extensions = '', files = ''] = row.split('|');
  const [name = '', aliases = ''] = names.split(':');
  return { name, aliases: words(aliases), extensions: words(extensions), files: words(files), syntax };
});

const byExtension = index((language) => language.extensions);
const byFile = index((language) => language.files);
// Names last: `c` the language goes before any alias that happens to be spelt so.
const byName = new Map([...byExtension, ...index((language) => language.aliases), ...index(({ name }) => [name])]);

function index(keys: (language: Language) => readonly string[]): ReadonlyMap<string, Language> {
  return new Map(languages.flatMap((language) => keys(language).map((key) => [key, language] as const)));
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}
