import { grouped } from '../grouped.ts';
import type { FileEntry } from '../repository/repository.ts';
import { nameOf } from './file-name.ts';
import { fitRows } from './fit-rows.ts';
import { counted, limits } from './limits.ts';
import { label } from './list-files.ts';

type Folder = { readonly folders: Map<string, Folder>; readonly files: FileEntry[]; total: number };

const maxDepth = 8;

/** The tree below a directory, as deep as it fits into the limit; deeper folders say how many files they hold. */
export function renderTree(path: string, entries: readonly FileEntry[]): string {
  const root = build(path, entries);
  const heading = `${path === '' ? 'the repository' : nameOf(path)} (${counted(root.total, 'file')})`;
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
    if (at.level >= at.depth) return [`${indent}${nameOf(name)}/ (${counted(inner.total, 'file')})`];
    return [`${indent}${nameOf(name)}/`, ...renderFolder(inner, { depth: at.depth, level: at.level + 1 })];
  });
  const names = folder.files.map(
    (entry) => `${indent}${label(entry.path.slice(entry.path.lastIndexOf('/') + 1), entry.kind)}`,
  );
  return [...folders, ...names];
}
