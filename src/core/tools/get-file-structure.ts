import type { FileSyntax } from '../languages/syntax.ts';
import type { FileEntry } from '../repository/repository.ts';
import type { ShownLine } from '../repository/shown.ts';
import { exactly } from '../schema.ts';
import { grouped, plural } from '../text.ts';
import { entriesBelow, label } from './list-files.ts';
import { defineTool, type Files, fitRows, limits, nameOf, openFile, pathOf, type Tool } from './sources.ts';

export function getFileStructure(files: Files): Tool {
  return defineTool({
    name: 'get_file_structure',
    description: 'The tree of a directory ("" is the root), or the declarations of a file with their lines.',
    parameters: exactly({ path: { type: 'string' } }),
    path: 'path',
    run: async (call) => {
      const path = pathOf(call.path);
      return (await isDirectory(files, path))
        ? renderTree(path, await entriesBelow(files, path))
        : structureOf(files, path);
    },
  });
}

async function isDirectory(files: Files, path: string): Promise<boolean> {
  if (path === '') return true;
  const content = await files.repository.readFile(path, 'head');
  return content.kind === 'unreadable' && content.reason === 'directory';
}

async function structureOf(files: Files, argument: string): Promise<string> {
  const { path, name, lines } = await openFile(files, argument);
  const size = plural(lines.length, 'line');
  const outline = await outlineOf(files, path);
  if (outline === null)
    return `${name} has ${size} and no outline, because it is not parsed: use read_file, or search_text with this path.`;
  if (outline.length === 0) return `${name} has ${size} and no declarations that can be outlined: use read_file.`;
  return [`${name} (${size})`, ...fitOutline(outline, limits.resultCharacters)].join('\n');
}

type OutlineEntry = {
  /** 1-based. */
  readonly line: number;
  /** How many entries of the outline it stands inside. */
  readonly depth: number;
  readonly text: string;
};

/** The declarations of a file, nested; null where it is not parsed: in a language without a grammar, too large, or with too many errors. */
export async function outlineOf({ symbols }: Files, path: string): Promise<readonly OutlineEntry[] | null> {
  const file = (await symbols?.file(path)) ?? null;
  return file === null ? null : syntaxOutline(file.syntax, file.lines);
}

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

const maxTextCharacters = 120;

/** The line of a declaration as an outline shows it. */
function declarationText(text: string): string {
  const trimmed = text.trim();
  const bare = trimmed.endsWith('{') ? trimmed.slice(0, -1).trimEnd() : trimmed;
  return bare.length > maxTextCharacters ? `${bare.slice(0, maxTextCharacters)} …` : bare;
}

/** The entries as rows with line numbers, as many as fit, and how many do not. */
export function fitOutline(entries: readonly OutlineEntry[], maxCharacters: number): readonly string[] {
  const { rows, left } = fitRows(entries.map(row), limits.outlineEntries, maxCharacters);
  if (rows.length === 0 || left === 0) return rows;
  return [...rows, `… and ${grouped(left)} more below line ${entries[rows.length - 1]?.line ?? 0}`];
}

function row({ line, depth, text }: OutlineEntry): string {
  return `${String(line).padStart(4)} | ${'  '.repeat(Math.min(depth, maxIndent))}${text}`;
}

const maxIndent = 6;

type Folder = { readonly folders: Map<string, Folder>; readonly files: FileEntry[]; total: number };

const maxDepth = 8;

/** The tree below a directory, as deep as it fits into the limit; deeper folders say how many files they hold. */
function renderTree(path: string, entries: readonly FileEntry[]): string {
  const root = build(path, entries);
  const heading = `${path === '' ? 'the repository' : nameOf(path)} (${plural(root.total, 'file')})`;
  let rows = renderFolder(root, { depth: 1, level: 1 });
  for (let depth = 2; depth <= maxDepth; depth++) {
    const deeper = renderFolder(root, { depth, level: 1 });
    if (deeper.length > limits.treeLines) break;
    rows = deeper;
  }
  const fitted = fitRows(rows, limits.treeLines);
  const rest = fitted.left === 0 ? [] : [`… and ${grouped(fitted.left)} more entries: use list_files with a pattern.`];
  return [heading, ...fitted.rows, ...rest].join('\n');
}

function build(path: string, entries: readonly FileEntry[]): Folder {
  const root = emptyFolder();
  const start = path === '' ? 0 : path.length + 1;
  for (const entry of entries) {
    let folder = root;
    folder.total += 1;
    for (const part of entry.path.slice(start).split('/').slice(0, -1)) {
      const inner = folder.folders.get(part) ?? emptyFolder();
      folder.folders.set(part, inner);
      folder = inner;
      folder.total += 1;
    }
    folder.files.push(entry);
  }
  return root;
}

function emptyFolder(): Folder {
  return { folders: new Map(), files: [], total: 0 };
}

function renderFolder(folder: Folder, at: { depth: number; level: number }): readonly string[] {
  const indent = '  '.repeat(at.level);
  const folders = [...folder.folders].flatMap(([name, inner]) => {
    if (at.level >= at.depth) return [`${indent}${nameOf(name)}/ (${plural(inner.total, 'file')})`];
    return [`${indent}${nameOf(name)}/`, ...renderFolder(inner, { depth: at.depth, level: at.level + 1 })];
  });
  const names = folder.files.map(
    (entry) => `${indent}${label(entry.path.slice(entry.path.lastIndexOf('/') + 1), entry.kind)}`,
  );
  return [...folders, ...names];
}
