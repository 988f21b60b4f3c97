import { distance } from 'fastest-levenshtein';
import { defineTool, type Tool } from '../agent/tool.ts';
import { ToolError } from '../errors.ts';
import { checkPath } from '../repository/path.ts';
import type { FileContent, FileEntry, UnreadableReason } from '../repository/repository.ts';
import { type ShownLine, shown, splitLines } from '../repository/shown.ts';
import { grouped, plural } from '../text.ts';
import { cutNote, type Files, fitRange, limits, renderLines } from './sources.ts';

export function readFile(files: Files): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Read a whole file at the reviewed commit, lines as `12 | code`. Long files are cut; read_file_lines reads the rest.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['path'],
      properties: { path: { type: 'string', description: 'Relative to the repository root.' } },
    },
    run: async ({ path }) => {
      const { name, lines } = await openFile(files, path);
      if (lines.length === 0) return `${name} is empty.`;
      const { text, last } = renderLines(lines, { from: 1, to: lines.length });
      return `${name} (${plural(lines.length, 'line')}${restNote(last, lines.length)})\n${text}`;
    },
  });
}

function restNote(last: number, total: number): string {
  return last === total ? '' : `; cut after line ${last}, read the rest with read_file_lines from ${last + 1}`;
}

export function readFileLines(files: Files): Tool {
  return defineTool({
    name: 'read_file_lines',
    description: `Read lines start_line to end_line (1-based, inclusive, at most ${grouped(limits.rangeLines)}) of a file at the reviewed commit, as \`12 | code\`.`,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['path', 'start_line', 'end_line'],
      properties: { path: { type: 'string' }, start_line: { type: 'integer' }, end_line: { type: 'integer' } },
    },
    run: async ({ path, start_line, end_line }) => {
      const { name, lines } = await openFile(files, path);
      if (lines.length === 0) return `${name} is empty.`;
      const file = { lines: lines.length, maxLines: limits.rangeLines };
      const { from, to, wanted, notes } = fitRange({ start: start_line, end: end_line }, file);
      const { text, last } = renderLines(lines, { from, to });
      return `${[`${name}, lines ${from}-${last}`, ...notes, ...cutNote(last, wanted)].join('; ')}\n${text}`;
    },
  });
}

type OpenFile = { readonly path: string; readonly name: string; readonly lines: readonly ShownLine[] };

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
  const size = content.bytes === null ? '' : ` (${plural(content.bytes, 'byte')})`;
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

const maxSuggestions = 5;

/** Says that a path does not exist at head, and where what was meant may be: renamed, deleted, elsewhere, misspelled. */
export async function explainMissing(files: Files, path: string): Promise<string> {
  const missing = `There is no ${nameOf(path)} at the reviewed commit.`;
  const change = files.files.find((file) => file.oldPath === path || file.path === path);
  if (change?.status === 'deleted') return `${missing} This pull request deletes it: its lines are in the diff.`;
  if (change?.status === 'renamed') return `${missing} This pull request renames it to ${nameOf(change.path)}.`;
  const near = nearPaths(path, await files.repository.listFiles('head'));
  if (near.length === 0) return `${missing} list_files lists what there is.`;
  return `${missing} Did you mean ${near.map(nameOf).join(', ')}?`;
}

/** The same file name elsewhere, else names one or two letters away; the most similar paths first. */
function nearPaths(path: string, entries: readonly FileEntry[]): readonly string[] {
  const name = baseName(path).toLowerCase();
  const candidates = entries.map((entry) => ({ path: entry.path, name: baseName(entry.path).toLowerCase() }));
  const same = candidates.filter((candidate) => candidate.name === name);
  const chosen = same.length > 0 ? same : candidates.filter((candidate) => isMisspelt(candidate.name, name));
  return chosen
    .map((candidate) => ({ path: candidate.path, far: distance(candidate.path, path) }))
    .sort((one, other) => one.far - other.far)
    .slice(0, maxSuggestions)
    .map((candidate) => candidate.path);
}

function isMisspelt(name: string, meant: string): boolean {
  return Math.abs(name.length - meant.length) <= 2 && meant.length > 4 && distance(name, meant) <= 2;
}

/** The path of a call as git knows it. @throws ToolError for what is not a path inside the repository. */
export function pathOf(argument: string): string {
  const checked = checkPath(argument);
  if (!checked.ok) throw new ToolError(`${nameOf(argument.slice(0, 200))} is refused: ${checked.reason}.`);
  return checked.path;
}

/** A path on one line, whatever characters it holds. */
export function nameOf(path: string): string {
  return shown([path])[0]?.text ?? '';
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
