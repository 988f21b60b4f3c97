import type { ShownLine } from '../repository/shown.ts';
import type { FileSyntax } from './syntax.ts';

export type OutlineEntry = {
  /** 1-based. */
  readonly line: number;
  /** How many entries of the outline it stands inside. */
  readonly depth: number;
  readonly text: string;
};

const maxLineCharacters = 300;
const maxTextCharacters = 120;

/**
 * The declarations of a source file, or the headings of a Markdown file, nested. Found line by line with light patterns: good
 * enough to find one's way, not a parser. Null for a language that it does not know.
 */
export function outline(path: string, lines: readonly string[]): readonly OutlineEntry[] | null {
  const language = languageOf(path);
  if (language === null) return null;
  if (language === 'markdown') return headings(lines);
  const found = lines.flatMap((text, index) => {
    // Longer lines are data or minified code; the bound also keeps the patterns quick.
    if (text.length > maxLineCharacters || text.trim() === '') return [];
    if (!language.some((pattern) => pattern.test(text)) || isStatement(text)) return [];
    return [{ line: index + 1, level: indentation(text), text: declarationText(text) }];
  });
  return nest(found);
}

type Found = { readonly line: number; readonly level: number; readonly text: string };

function headings(lines: readonly string[]): readonly OutlineEntry[] {
  const found: Found[] = [];
  let fence: string | null = null;
  for (const [index, text] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1] ?? null;
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark !== null) fence = mark;
    else {
      const level = /^ {0,3}(#{1,6})[ \t]/.exec(text)?.[1]?.length;
      if (level !== undefined) found.push({ line: index + 1, level, text: declarationText(text) });
    }
  }
  return nest(found);
}

/** What is indented deeper than the entry before it stands inside that entry. */
function nest(found: readonly Found[]): readonly OutlineEntry[] {
  const open: number[] = [];
  return found.map(({ line, level, text }) => {
    while (open.length > 0 && (open.at(-1) ?? 0) >= level) open.pop();
    open.push(level);
    return { line, depth: open.length - 1, text };
  });
}

/** Control flow and calls look like methods to a pattern. */
function isStatement(text: string): boolean {
  return /^\s*(?:\}\s*)?(?:if|else|for|foreach|while|switch|catch|return|throw|new|do|try|with|using|lock|await|yield|case|super|assert)\b/.test(
    text,
  );
}

function indentation(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (character === ' ') columns += 1;
    else if (character === '\t') columns += 4;
    else break;
  }
  return columns;
}

/** The line of a declaration as an outline shows it. */
function declarationText(text: string): string {
  const trimmed = text.trim();
  const bare = trimmed.endsWith('{') ? trimmed.slice(0, -1).trimEnd() : trimmed;
  return bare.length > maxTextCharacters ? `${bare.slice(0, maxTextCharacters)} …` : bare;
}

/** Patterns of lines that declare something, by language; null when the language is not known. */
function languageOf(path: string): readonly RegExp[] | 'markdown' | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  if (extension === 'md' || extension === 'mdx' || extension === 'markdown') return 'markdown';
  return languages.find((language) => language.extensions.includes(extension))?.patterns ?? null;
}

type Language = { readonly extensions: readonly string[]; readonly patterns: readonly RegExp[] };

const modifiers =
  '(?:public|private|protected|internal|static|final|abstract|override|virtual|async|sealed|synchronized|default|partial|open|suspend|inline|data|inner|unsafe|extern|readonly|native|companion|operator|const|export|declare)';

function types(keywords: string): RegExp {
  return new RegExp(`^\\s*(?:@\\w+\\s+)?(?:${modifiers}\\s+)*(?:${keywords})\\s+[\\w$]`);
}

// A modifier, then no `=`, `;` or `(` up to the name in front of the parameters.
const modifiedMethod = new RegExp(`^\\s*${modifiers}\\s[^=;(]*\\w\\s*\\(`);

const languages: readonly Language[] = [
  {
    extensions: ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte', 'astro'],
    patterns: [
      types('class|interface|enum|namespace|module|type'),
      /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\b/,
      /^(?:export\s+)?(?:const|let|var)\s+[\w$].*(?:=>|\bfunction\b)/,
      /^export\s+(?:const|let|var|default)\s/,
      // A method ends in `) {` or `): Type {`; a call that takes a function ends in `=> {`.
      /^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set|abstract)\s+)*[#\w$]+\s*\([^;]*(?:[^=;]>|[^>\s;])\s*\{\s*$/,
      /^\s*(?:describe|it|test)(?:\.\w+)?\(\s*['"`]/,
    ],
  },
  { extensions: ['py', 'pyi'], patterns: [/^\s*(?:async\s+)?(?:def|class)\s+\w/] },
  { extensions: ['go'], patterns: [/^(?:func|type)\s/, /^(?:var|const)\s+\w/] },
  { extensions: ['java', 'groovy'], patterns: [types('class|interface|enum|record|@interface'), modifiedMethod] },
  { extensions: ['kt', 'kts'], patterns: [types('class|interface|object|fun|typealias')] },
  { extensions: ['scala'], patterns: [types('class|trait|object|def|enum')] },
  { extensions: ['cs'], patterns: [types('class|interface|enum|record|struct|namespace|delegate'), modifiedMethod] },
  { extensions: ['swift'], patterns: [types('class|struct|protocol|enum|extension|func|actor'), /^\s*init\s*[?(]/] },
  { extensions: ['rb', 'rake'], patterns: [/^\s*(?:private\s+)?(?:def|class|module)\s+\S/] },
  {
    extensions: ['rs'],
    patterns: [
      /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|default|extern "C")\s+)*(?:fn|struct|enum|trait|impl|mod|type|union)\b/,
      /^\s*macro_rules!/,
    ],
  },
  {
    extensions: ['c', 'h', 'cc', 'cpp', 'cxx', 'hpp', 'hh', 'm', 'mm'],
    patterns: [
      /^\s*(?:class|struct|enum|union|namespace)\s[^;]*$/,
      /^\s*(?:typedef|template)\b/,
      /^#define\s+\w/,
      /^[A-Za-z_][\w\s*&:<>,~]*\([^;]*$/,
    ],
  },
  { extensions: ['php'], patterns: [types('class|interface|trait|enum|function|namespace')] },
  { extensions: ['sh', 'bash', 'zsh'], patterns: [/^\s*(?:function\s+[\w-]+|[\w-]+\s*\(\))/] },
  { extensions: ['sql'], patterns: [/^\s*(?:create|alter)\s+(?:or\s+replace\s+)?\w/i] },
  { extensions: ['yml', 'yaml'], patterns: [/^ {0,2}[\w"'./-]+:(?:\s|$)/] },
  { extensions: ['toml', 'ini', 'cfg'], patterns: [/^\[/] },
  { extensions: ['proto'], patterns: [types('message|enum|service|rpc')] },
];

/** The outline of a parsed file. Fields and members of enumerations are left out: they are read with their type. */
export function syntaxOutline(syntax: FileSyntax, lines: readonly ShownLine[]): readonly OutlineEntry[] {
  const open: number[] = [];
  return syntax.definitions
    .filter(({ kind }) => kind !== 'field')
    .map(({ startLine, endLine }) => {
      while (open.length > 0 && (open.at(-1) ?? 0) < endLine) open.pop();
      const depth = open.length;
      open.push(endLine);
      return { line: startLine, depth, text: declarationText(lines[startLine - 1]?.text ?? '') };
    });
}
