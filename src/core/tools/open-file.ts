import { ToolError } from '../errors.ts';
import type { FileContent, UnreadableReason } from '../repository/repository.ts';
import { type ShownLine, shown, splitLines } from '../repository/shown.ts';
import { explainMissing } from './explain-missing.ts';
import { nameOf, pathOf } from './file-name.ts';
import { counted } from './limits.ts';
import type { Files } from './sources.ts';

export type OpenFile = { readonly path: string; readonly name: string; readonly lines: readonly ShownLine[] };

/** A text file at head. @throws ToolError that says why there is no text, and what to do instead. */
export async function openFile(files: Files, argument: string): Promise<OpenFile> {
  const path = pathOf(argument);
  const name = nameOf(path);
  if (path === '') throw new ToolError('Name a file. list_files lists what there is.');
  const content = await files.repository.readFile(path, 'head');
  if (content.kind === 'text') return { path, name, lines: shown(splitLines(content.text)) };
  if (content.kind === 'unreadable' && content.reason === 'missing') {
    throw new ToolError(await explainMissing(files, path));
  }
  throw new ToolError(`${name} ${explainContent(content)}`);
}

type Explained = Exclude<FileContent, { kind: 'text' }>;

function explainContent(content: Explained): string {
  if (content.kind === 'symlink')
    return `is a symbolic link to ${nameOf(content.target)}: read that path if you need it.`;
  const size = content.bytes === null ? '' : ` (${counted(content.bytes, 'byte')})`;
  return explanations[content.reason](size);
}

const explanations: { readonly [reason in UnreadableReason]: (size: string) => string } = {
  missing: () => 'does not exist at the reviewed commit.',
  directory: () => 'is a directory: use list_files or get_file_structure.',
  binary: (size) => `is a binary file${size}: there is no text to read.`,
  submodule: () => 'is a submodule: its files are in another repository and cannot be read.',
  'lfs-pointer': (size) => `is stored in Git LFS: the repository holds a pointer${size}, the content cannot be read.`,
  'too-large': (size) => `is too large to be read${size}: use search_text with this path.`,
  'not-fetched': () => 'was not fetched and cannot be read: judge by the diff.',
};
