import { splitLines } from '../repository/shown.ts';
import { type OutlineEntry, outline } from './outline.ts';
import type { Definition, DefinitionKind, FileSyntax, Import, ImportedName, Reference, SourceFile } from './syntax.ts';

/**
 * Definitions and names of a file that no parser reads: declarations by the light patterns of the outline, or by the usual
 * keywords where the language is not known; every other word counts as a use.
 */
export function patternSyntax({ path, text }: SourceFile): FileSyntax {
  const lines = splitLines(text);
  const isCode = !noCode.test(path);
  const entries = !isCode ? [] : (outline(path, lines) ?? declarations(lines));
  const outer = outerEntries(entries);
  const definitions = entries.flatMap((entry) => definitionOf(entry, { outer: outer.get(entry), lines }));
  const used = isCode ? references(lines, definitions) : [];
  if (isComponent(path)) {
    const imported = componentImports(text);
    const references = used.filter(({ line }) => !imported.lines.has(line));
    return { language: 'ecmascript', by: 'patterns', definitions, references, imports: imported.imports };
  }
  const language = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return { language, by: 'patterns', definitions, references: used, imports: [] };
}

/** Prose and data hold words, not symbols. */
const noCode =
  /\.(?:md|mdx|markdown|txt|rst|adoc|ya?ml|json[c5]?|toml|ini|cfg|lock|xml|svg|csv|html?|css|s[ac]ss|less)$/i;

const maxLineCharacters = 300;
const keyword =
  /^\s*(?:[\w@]+\s+){0,4}?(?:function|func|fun|fn|def[a-z]*|sub|proc|class|struct|enum|trait|interface|protocol|module|namespace|type|record|object|macro|let|const|var|val)\s+[\w.:]*\w/;

function declarations(lines: readonly string[]): readonly OutlineEntry[] {
  return lines.flatMap((text, index) =>
    text.length <= maxLineCharacters && keyword.test(text)
      ? [{ line: index + 1, depth: text.startsWith(' ') || text.startsWith('\t') ? 1 : 0, text: text.trim() }]
      : [],
  );
}

/** Of each entry the last one before it that is less deep. */
function outerEntries(entries: readonly OutlineEntry[]): ReadonlyMap<OutlineEntry, OutlineEntry> {
  const outer = new Map<OutlineEntry, OutlineEntry>();
  const open: OutlineEntry[] = [];
  for (const entry of entries) {
    while ((open.at(-1)?.depth ?? -1) >= entry.depth) open.pop();
    const last = open.at(-1);
    if (last !== undefined) outer.set(entry, last);
    open.push(entry);
  }
  return outer;
}

function definitionOf(
  entry: OutlineEntry,
  { outer, lines }: { outer: OutlineEntry | undefined; lines: readonly string[] },
): readonly Definition[] {
  const name = declaredName(entry.text);
  if (name === null) return [];
  return [
    {
      name,
      kind: kindOf(entry.text),
      container: outer === undefined || entry.depth === 0 ? null : declaredName(outer.text),
      startLine: entry.line,
      signatureEndLine: entry.line,
      endLine: endOf(lines, entry.line),
    },
  ];
}

/** Where the text comes back to the indentation of the 1-based line that begins it; a closing brace or `end` belongs to it. */
function endOf(lines: readonly string[], start: number): number {
  const level = indentation(lines[start - 1] ?? '');
  let last = start;
  for (let line = start + 1; line <= Math.min(lines.length, start + maxBodyLines); line += 1) {
    const text = lines[line - 1] ?? '';
    if (text.trim() === '') continue;
    const isInside = indentation(text) > level || /^\s*\{/.test(text);
    if (!isInside) return /^\s*(?:[)}\]]|end\b|fi\b|done\b)/.test(text) ? line : last;
    last = line;
  }
  return last;
}

/** A longer body is read up to there: every declaration looks for its own end. */
const maxBodyLines = 2_000;

function indentation(text: string): number {
  return /^\s*/.exec(text)?.[0].length ?? 0;
}

/** Characters of a line that may declare something. */
const longestDeclaration = 500;

/** The word behind the keyword, else the one in front of the parameters, else of the assignment. */
function declaredName(line: string): string | null {
  const text = line.slice(0, longestDeclaration);
  const found =
    /\b(?:function|func|fun|fn|def[a-z]*|sub|proc|class|struct|enum|trait|interface|protocol|module|namespace|type|record|object|macro|impl|#define|message|service|rpc)\s+(?:\([^()]*\)\s*)?(?:\w+[.:]+)*(\w+[?!]?)/.exec(
      text,
    ) ??
    /(?<![\w$])([\w$]+)\s*(?:<[^<>]*>\s*)?\(/.exec(text) ??
    (text.includes('=') ? /(?<![\w$])([\w$]+)\s*[:=]/.exec(text) : null) ??
    /([\w$-]+)/.exec(text);
  return found?.[1] ?? null;
}

const kinds: readonly (readonly [RegExp, DefinitionKind])[] = [
  [/\b(?:class|object)\s/, 'class'],
  [/\b(?:interface|protocol)\s/, 'interface'],
  [/\b(?:struct|record|message)\s/, 'struct'],
  [/\benum\s/, 'enum'],
  [/\btrait\s/, 'trait'],
  [/\b(?:module|defmodule|namespace)\s/, 'module'],
  [/\btype\s/, 'type'],
  [/\(|\b(?:func|function|fun|fn|def\w*|sub|proc)\s/, 'function'],
];

function kindOf(text: string): DefinitionKind {
  return kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'constant';
}

/** Shorter words are keywords and loop variables. */
const word = /(?<![\w$])[A-Za-z_$][\w$]{2,}/g;

function references(lines: readonly string[], definitions: readonly Definition[]): readonly Reference[] {
  const defined = new Map<number, Set<string>>();
  for (const { name, startLine } of definitions) {
    const names = defined.get(startLine);
    if (names === undefined) defined.set(startLine, new Set([name]));
    else names.add(name);
  }
  const found: Reference[] = [];
  for (const [index, text] of lines.entries()) {
    if (text.length > maxLineCharacters) continue;
    const names = defined.get(index + 1);
    for (const { 0: name, index: at } of text.matchAll(word)) {
      if (names?.has(name) === true) continue;
      parenthesis.lastIndex = at + name.length;
      const isMember = text.endsWith('.', at) || text.endsWith('->', at) || text.endsWith('::', at);
      found.push({ name, line: index + 1, call: parenthesis.test(text), member: isMember });
    }
  }
  return found;
}

const parenthesis = /\s*\(/y;

/** Of Vue, Svelte and Astro: their scripts import from ECMAScript and are imported by it, though no parser reads them. */
function isComponent(path: string): boolean {
  return /\.(?:vue|svelte|astro)$/i.test(path);
}

type ComponentImports = {
  readonly imports: readonly Import[];
  /** 1-based, of the whole statements: their names are imported there, not used. */
  readonly lines: ReadonlySet<number>;
};

/** What the scripts of a component import by name. A statement begins a line, and may go over several. */
export function componentImports(text: string): ComponentImports {
  const lines = new Set<number>();
  const imports: Import[] = [];
  let [line, at] = [1, 0];
  for (const { 0: keyword, index } of text.matchAll(/^[ \t]*import\s/gm)) {
    const found = index < at ? null : importClause.exec(text.slice(index + keyword.length, index + longestClause));
    if (found === null) continue;
    const [rest, clause = '', source = ''] = found;
    const statement = keyword + rest;
    line += newlines(text.slice(at, index));
    const last = line + newlines(statement);
    for (let each = line; each <= last; each += 1) lines.add(each);
    imports.push({ source, names: namesOf(clause), line: last });
    [line, at] = [last, index + statement.length];
  }
  return { imports, lines };
}

/** The bound keeps a text without any `from` from being read again and again. */
const longestClause = 1_000;
const importClause = /^([\w$\s{},*]+?)\bfrom\s*['"]([^'"\n]{1,300})['"]/;

/** Of `Cart, { tax as rate, type Item }` and of `* as shop`. */
function namesOf(clause: string): readonly ImportedName[] {
  return clause
    .replace(/^\s*type\s+(?=[\w${*])/, '')
    .split(/([{}])/)
    .flatMap((part, index, parts) => {
      const names = part.split(',').map((each) => each.trim());
      return names.filter((each) => each !== '').flatMap((each) => nameOf(each, parts[index - 1] === '{'));
    });
}

function nameOf(text: string, isNamed: boolean): readonly ImportedName[] {
  if (text === '{' || text === '}') return [];
  const [, first = '', alias] = /^(?:type\s+(?!as\b))?([\w$*]+)(?:\s+as\s+([\w$]+))?$/.exec(text) ?? [];
  if (first === '') return [];
  return [{ name: isNamed || first === '*' ? first : 'default', local: alias ?? first }];
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}
