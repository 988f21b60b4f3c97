import type { Import, ImportedName } from './syntax.ts';

/** Of Vue, Svelte and Astro: their scripts import from ECMAScript and are imported by it, though no parser reads them. */
export function isComponent(path: string): boolean {
  return /\.(?:vue|svelte|astro)$/i.test(path);
}

export type ComponentImports = {
  readonly imports: readonly Import[];
  /** 1-based, of the whole statements: their names are imported there, not used. */
  readonly lines: ReadonlySet<number>;
};

/** What the scripts of a component import by name. A statement begins a line, and may go over several. */
export function componentImports(text: string): ComponentImports {
  const lines = new Set<number>();
  const imports: Import[] = [];
  let [line, at] = [1, 0];
  for (const { 0: statement, 1: clause = '', 2: source = '', index } of text.matchAll(importStatement)) {
    line += newlines(text.slice(at, index));
    const last = line + newlines(statement);
    for (let each = line; each <= last; each += 1) lines.add(each);
    imports.push({ source, names: namesOf(clause), line: last });
    [line, at] = [last, index + statement.length];
  }
  return { imports, lines };
}

/** The bound keeps a text without any `from` from being read again and again. */
const importStatement = /^[ \t]*import\s([\w$\s{},*]{1,600}?)\bfrom\s*['"]([^'"\n]{1,300})['"]/gm;

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
