import { ToolError } from '../errors.ts';
import { linearGlob } from '../repository/path.ts';
import type { FileEntry } from '../repository/repository.ts';
import { exactly } from '../schema.ts';
import { grouped, plural } from '../text.ts';
import { defineTool, explainMissing, type Files, fitRows, limits, nameOf, pathOf, type Tool } from './sources.ts';

export function listFiles(files: Files): Tool {
  return defineTool({
    name: 'list_files',
    description: 'List files below a directory (null: the root) by a glob such as `src/**/*.go` (null: all).',
    parameters: exactly({ directory: { type: ['string', 'null'] }, pattern: { type: ['string', 'null'] } }),
    path: 'directory',
    run: async ({ directory, pattern }) => {
      const folder = pathOf(directory ?? '');
      const below = await entriesBelow(files, folder);
      const found = below.filter(matching(pattern ?? '', folder));
      if (found.length > 0) return render(found);
      if (below.length === 0) return 'The repository has no files.';
      return `No file matches ${nameOf(pattern ?? '')}: none of the ${plural(below.length, 'file')} below ${place(folder)}.`;
    },
  });
}

/** All files below a directory; '' is the root. @throws ToolError when it is no directory. */
export async function entriesBelow(files: Files, folder: string): Promise<readonly FileEntry[]> {
  const entries = await files.repository.listFiles('head');
  const below = folder === '' ? entries : entries.filter((entry) => entry.path.startsWith(`${folder}/`));
  if (below.length > 0 || folder === '') return below;
  if (entries.some((entry) => entry.path === folder))
    throw new ToolError(`${nameOf(folder)} is a file: use read_file.`);
  throw new ToolError(await explainMissing(files, folder));
}

/** A name, and what it is when it is not a file. */
export function label(name: string, kind: FileEntry['kind']): string {
  return kind === 'file' ? nameOf(name) : `${nameOf(name)} (${kind})`;
}

function matching(pattern: string, folder: string): (entry: FileEntry) => boolean {
  if (pattern === '') return () => true;
  if (pattern.length > limits.patternCharacters) throw new ToolError('The pattern is too long.');
  const matches = linearGlob(pattern);
  // Models write globs from the root as well as from the directory.
  return ({ path }) => matches(path) || (folder !== '' && matches(path.slice(folder.length + 1)));
}

function render(found: readonly FileEntry[]): string {
  const { rows, left } = fitRows(
    found.map((entry) => label(entry.path, entry.kind)),
    limits.listedFiles,
  );
  const rest = left === 0 ? [] : [`… and ${grouped(left)} more: name a directory below, or a narrower pattern.`];
  return [...rows, ...rest].join('\n');
}

function place(folder: string): string {
  return folder === '' ? 'the root' : nameOf(folder);
}
