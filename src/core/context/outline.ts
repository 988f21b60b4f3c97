import { languageOf } from './outline-languages.ts';

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
export function declarationText(text: string): string {
  const trimmed = text.trim();
  const bare = trimmed.endsWith('{') ? trimmed.slice(0, -1).trimEnd() : trimmed;
  return bare.length > maxTextCharacters ? `${bare.slice(0, maxTextCharacters)} …` : bare;
}
