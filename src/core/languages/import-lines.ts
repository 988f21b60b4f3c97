import { splitLines } from '../repository/shown.ts';
import type { Import, ImportedName } from './syntax.ts';

export type ImportLines = {
  /** As the parsers call it. */
  readonly language: string;
  readonly imports: readonly Import[];
};

/**
 * What a file imports, read line by line without a parser: quick enough for thousands of files, and the same however busy the machine is. Null where the
 * language is not known.
 */
export function importLines(path: string, text: string): ImportLines | null {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
  const known = languages.find(({ extensions }) => extensions.includes(extension));
  if (known === undefined) return null;
  const lines = splitLines(text);
  const imports = new Map<string, Import>();
  for (const [index, line] of lines.entries()) {
    if (imports.size >= maxImports) break;
    if (line.length > maxLineCharacters) continue;
    for (const one of known.read(line)) {
      const key = `${one.source} ${one.names.map(({ name }) => name).join()}`;
      if (!imports.has(key)) imports.set(key, { ...one, line: index + 1 });
    }
  }
  return { language: known.language, imports: [...imports.values()].slice(0, maxImports) };
}

/** Of one file; the same import twice is one. */
const maxImports = 300;
const maxLineCharacters = 500;

type Read = { readonly source: string; readonly names: readonly ImportedName[] };
type Language = {
  readonly language: string;
  readonly extensions: readonly string[];
  readonly read: (line: string) => readonly Read[];
};

/** Every match's first group is a source. */
function sources(...patterns: readonly RegExp[]): Language['read'] {
  return (line) =>
    patterns.flatMap((pattern) => [...line.matchAll(pattern)].map((found) => ({ source: found[1] ?? '', names: [] })));
}

function python(line: string): readonly Read[] {
  const from = /^\s*from\s+(\.*[\w.]*)\s+import\s+(.*)$/.exec(line);
  if (from !== null) {
    const names = (from[2] ?? '').match(/\b[A-Za-z_]\w*/g) ?? [];
    return [{ source: from[1] ?? '', names: names.map((name) => ({ name, local: name })) }];
  }
  const whole = /^\s*import\s+([\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*)/.exec(line)?.[1] ?? '';
  return whole.split(',').flatMap((part) => {
    const source = part.trim().split(/\s/)[0] ?? '';
    return source === '' ? [] : [{ source, names: [] }];
  });
}

/** Within `import (…)` a path stands alone on its line, with a name before it at most. */
function go(line: string): readonly Read[] {
  const source = /^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"\s]+)"\s*(?:\/\/.*)?$/.exec(line)?.[1];
  return source === undefined ? [] : [{ source, names: [] }];
}

const languages: readonly Language[] = [
  {
    language: 'ecmascript',
    extensions: ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte', 'astro'],
    // The names may fill lines of their own: the source then stands behind `from` on the last one.
    read: sources(/\bfrom\s+['"]([^'"]+)['"]/g, /\b(?:import|require)\s*\(?\s*['"]([^'"]+)['"]/g),
  },
  { language: 'python', extensions: ['py', 'pyi'], read: python },
  { language: 'go', extensions: ['go'], read: go },
  { language: 'java', extensions: ['java', 'kt'], read: sources(/^\s*import\s+(?:static\s+)?([\w.]+)/g) },
  {
    language: 'ruby',
    extensions: ['rb', 'rake'],
    read: sources(/^\s*(?:require|require_relative|load|autoload\s+:\w+,)\s*\(?['"]([^'"]+)['"]/g),
  },
  {
    language: 'rust',
    extensions: ['rs'],
    read: sources(/^\s*(?:pub(?:\([\w\s]+\))?\s+)?(?:use|mod)\s+([\w:{},\s*]+)/g),
  },
  {
    language: 'c++',
    extensions: ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'ipp'],
    read: sources(/^\s*#\s*include\s+"([^"]+)"/g),
  },
  { language: 'c#', extensions: ['cs'], read: sources(/^\s*(?:global\s+)?using\s+(?:static\s+)?([\w.]+)\s*;/g) },
  {
    language: 'php',
    extensions: ['php'],
    read: sources(
      /^\s*use\s+(?:function\s+|const\s+)?\\?([\w\\]+)/g,
      /\b(?:require|include)(?:_once)?\s*\(?\s*(?:__DIR__\s*\.\s*)?['"]([^'"]+)['"]/g,
    ),
  },
];
