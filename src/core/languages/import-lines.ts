import { splitLines } from '../repository/shown.ts';
import { familyOf } from './languages.ts';
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
  const language = familyOf(path);
  const read = language === null ? undefined : readers[language];
  if (language === null || read === undefined) return null;
  const lines = splitLines(text);
  const imports = new Map<string, Import>();
  for (const [index, line] of lines.entries()) {
    if (imports.size >= maxImports) break;
    if (line.length > maxLineCharacters) continue;
    for (const one of read(line)) {
      const key = `${one.source} ${one.names.map(({ name }) => name).join()}`;
      if (!imports.has(key)) imports.set(key, { ...one, line: index + 1 });
    }
  }
  return { language, imports: [...imports.values()].slice(0, maxImports) };
}

/** Of one file; the same import twice is one. */
const maxImports = 300;
const maxLineCharacters = 500;

type Read = { readonly source: string; readonly names: readonly ImportedName[] };
type Reader = (line: string) => readonly Read[];

/** Every match's first group is a source. */
function sources(...patterns: readonly RegExp[]): Reader {
  return (line) =>
    patterns.flatMap((pattern) => [...line.matchAll(pattern)].map((found) => ({ source: found[1] ?? '', names: [] })));
}

function python(line: string): readonly Read[] {
  const from = /^\s*from\s+([\w.]+)\s+import\s(.*)$/s.exec(line);
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

const readers: Readonly<Record<string, Reader>> = {
  // The names may fill lines of their own: the source then stands behind `from` on the last one.
  ecmascript: sources(/\bfrom\s+['"]([^'"]+)['"]/g, /\b(?:import|require)\s*(?:\(\s*)?['"]([^'"]+)['"]/g),
  python,
  go,
  java: sources(/^\s*import\s+(?:static\s+)?([\w.]+)/g),
  ruby: sources(/^\s*(?:require|require_relative|load|autoload\s+:\w+,)\s*\(?['"]([^'"]+)['"]/g),
  rust: sources(/^\s*(?:pub(?:\([\w\s]+\))?\s+)?(?:use|mod)\s+([\w:{},\s*]+)/g),
  'c++': sources(/^\s*#\s*include\s+"([^"]+)"/g),
  'c#': sources(/^\s*(?:global\s+)?using\s+(?:static\s+)?([\w.]+)\s*;/g),
  php: sources(
    /^\s*use\s+(?:function\s+|const\s+)?\\?([\w\\]+)/g,
    /\b(?:require|include)(?:_once)?\s*(?:\(\s*)?(?:__DIR__\s*\.\s*)?['"]([^'"]+)['"]/g,
  ),
};
