import { distance } from 'fastest-levenshtein';
import type { Spend, Tool, ToolResult, ToolTraits } from '../agent/tool.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import { ToolError } from '../errors.ts';
import type { ImageParts } from '../images/part.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { kindByName } from '../pull-request/file-kinds.ts';
import { checkPath } from '../repository/path.ts';
import type {
  FileContent,
  FileEntry,
  History,
  Repository,
  TextSearch,
  UnreadableReason,
} from '../repository/repository.ts';
import { numberedLines, type ShownLine, shown, splitLines } from '../repository/shown.ts';
import { type Infer, parserFor, type Schema } from '../schema.ts';
import { cutLine, plural } from '../text.ts';

export type { Tool } from '../agent/tool.ts';

type ToolOver<S extends Schema> = ToolTraits & {
  name: string;
  description: string;
  parameters: S;
  /** The argument that names a file or directory, which the policy decides on; null where there is none. */
  path: keyof Infer<S> | null;
  run: (argumentsOfCall: Infer<S>, signal: AbortSignal, spend: Spend) => Promise<ToolResult>;
};

/** A tool is a factory over a port, and says all that others need to know of it. The schema gives `run` its argument's type. */
export function defineTool<const S extends Schema>({ path: named, run, ...definition }: ToolOver<S>): Tool {
  const parse = parserFor(definition.parameters);
  return {
    ...definition,
    parse: (value) => {
      const parsed = parse(value);
      if (!parsed.ok) return parsed;
      const path = named === null ? null : parsed.value[named];
      return {
        ok: true,
        value: {
          path: typeof path === 'string' ? path : null,
          run: async (signal, spend = () => undefined) => run(parsed.value, signal, spend),
        },
      };
    },
  };
}

/** What the reading tools read from. */
export type Sources = {
  readonly repository: Repository;
  /** Null where nothing can be searched: `search_text` is not offered. */
  readonly search: TextSearch | null;
  /** Null where there is no history: blame and log are not offered. */
  readonly history: History | null;
  /** Every changed file of the pull request. */
  readonly files: readonly ChangedFile[];
  /** True with more than one batch: a diff that is not in the prompt can be asked for. */
  readonly offerDiff: boolean;
  /** The reason why a path may not be read; null when it may. */
  readonly isDenied: (path: string) => string | null;
  /** Absent where there are no documents: `search_knowledge` is not offered. */
  readonly knowledge?: Knowledge;
  /** Absent without `vision`: `view_image` is not offered. */
  readonly images?: ImageParts;
  /** Absent where nothing is parsed: there are no outlines then, and `find_symbol` is not offered. */
  readonly symbols?: SymbolIndex;
  /** Called with each file of which an answer shows something that was not read from `repository`. */
  readonly onShown?: (path: string) => void;
};

export type Files = Pick<Sources, 'repository' | 'files' | 'symbols' | 'onShown'>;

export type Noting = Partial<Pick<Sources, 'repository' | 'onShown'>>;

/** Notes a file at head of which an answer shows something, and nothing else: a folder, say. */
export async function noteShown({ repository, onShown }: Noting, path: string): Promise<void> {
  if (repository === undefined || onShown === undefined) return;
  if ((await repository.listFiles('head')).some((entry) => entry.path === path)) onShown(path);
}

/** What one tool call gives at most. Results stay under the loop's 30,000 characters, so that their notes are never cut off. */
export const limits = {
  resultCharacters: 29_000,
  /** Characters of one line; minified files have lines of megabytes. */
  lineCharacters: 2_000,
  /** Lines of a range (`read_file_lines`). */
  rangeLines: 2_000,
  listedFiles: 500,
  /** OwlSight's number. */
  matches: 100,
  /** Matches that are found, from which those to show are chosen. */
  lookedAt: 400,
  /** Of one file, where not all can be shown. */
  matchesOfFile: 8,
  matchCharacters: 400,
  patternCharacters: 500,
  blameLines: 500,
  logEntries: 50,
  treeLines: 250,
  outlineEntries: 400,
  /** Of one symbol (`find_symbol`). */
  definitions: 5,
  bodyLines: 80,
  /** Of a longer one. */
  headLines: 20,
  headCharacters: 1_000,
  definitionCharacters: 12_000,
  uses: 30,
} as const;

type FittedRows = { readonly rows: readonly string[] /** How many did not fit. */; readonly left: number };

/** The first rows that fit into one result: at most `maxRows`, and no more characters than the model gets to see. */
export function fitRows(
  rows: readonly string[],
  maxRows: number,
  maxCharacters: number = limits.resultCharacters,
): FittedRows {
  let characters = 0;
  let fitting = 0;
  for (const row of rows.slice(0, maxRows)) {
    characters += row.length + 1;
    if (characters > maxCharacters) break;
    fitting += 1;
  }
  return { rows: rows.slice(0, fitting), left: rows.length - fitting };
}

type LineRange = {
  readonly from: number;
  readonly to: number;
  /** The last line that was asked for and exists; beyond `to` when the range was too long. */
  readonly wanted: number;
  readonly notes: readonly string[];
};

/** The lines that a call can mean: swapped, moved into the file and shortened to `maxLines` where needed. */
export function fitRange(asked: { start: number; end: number }, file: { lines: number; maxLines: number }): LineRange {
  const [first, last] = asked.start <= asked.end ? [asked.start, asked.end] : [asked.end, asked.start];
  const start = Math.max(1, first);
  const end = Math.max(start, last);
  const outside = first < 1 || end > file.lines;
  // A range beyond the end shows the end: the model counted wrong, and what it looks for is near.
  const from = start > file.lines ? Math.max(1, file.lines - (end - start)) : start;
  const wanted = Math.min(end, file.lines);
  const notes = [
    ...(asked.start > asked.end ? ['start_line and end_line were swapped'] : []),
    ...(outside ? [`the file has ${plural(file.lines, 'line')}`] : []),
  ];
  return { from, to: Math.min(wanted, from + file.maxLines - 1), wanted, notes };
}

/** Says where to go on when fewer lines are shown than were asked for. */
export function cutNote(last: number, wanted: number): readonly string[] {
  return last < wanted ? [`cut: the next line is ${last + 1}`] : [];
}

type RenderedLines = {
  readonly text: string;
  /** The last line that is in the text, 1-based; 0 when there is none. */
  readonly last: number;
};

/** Lines `from` to `to` (1-based, inclusive) with a gutter, as many as fit into one result, each of bearable length. */
export function renderLines(
  lines: readonly ShownLine[],
  range: { from: number; to: number },
  maxCharacters: number = limits.resultCharacters,
): RenderedLines {
  const fitting: ShownLine[] = [];
  let characters = 0;
  for (const line of lines.slice(range.from - 1, range.to)) {
    const text = cutLine(line.text, limits.lineCharacters);
    characters += text.length + gutterCharacters;
    if (characters > maxCharacters && fitting.length > 0) break;
    fitting.push({ ...line, text });
  }
  return { text: numberedLines(fitting, range.from), last: fitting.length === 0 ? 0 : range.from + fitting.length - 1 };
}

// The number, ` | ` and the end of the line.
const gutterCharacters = 10;

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
  if (kindByName(path) === 'vendored') return `${missing} Dependencies can be read only where they are committed.`;
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
