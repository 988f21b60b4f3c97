import { defineTool, type Tool } from '../agent/tool.ts';
import { type OutlineEntry, outline } from '../context/outline.ts';
import { syntaxOutline } from '../context/syntax-outline.ts';
import { grouped } from '../grouped.ts';
import { pathOf } from './file-name.ts';
import { fitRows } from './fit-rows.ts';
import { counted, limits } from './limits.ts';
import { entriesBelow } from './list-files.ts';
import { openFile } from './open-file.ts';
import { renderTree } from './render-tree.ts';
import type { Files } from './sources.ts';

export function getFileStructure(files: Files): Tool {
  return defineTool({
    name: 'get_file_structure',
    description:
      'An overview: for a directory ("" is the root) its tree, for a file its declarations or headings with line numbers, nested.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['path'],
      properties: { path: { type: 'string' } },
    },
    run: async (call) => {
      const path = pathOf(call.path);
      return (await isDirectory(files, path))
        ? renderTree(path, await entriesBelow(files, path))
        : outlineOf(files, path);
    },
  });
}

async function isDirectory(files: Files, path: string): Promise<boolean> {
  if (path === '') return true;
  const content = await files.repository.readFile(path, 'head');
  return content.kind === 'unreadable' && content.reason === 'directory';
}

async function outlineOf(files: Files, path: string): Promise<string> {
  const { name, lines } = await openFile(files, path);
  const entries =
    (await parsedOutline(files, path)) ??
    outline(
      path,
      lines.map((line) => line.text),
    );
  if (entries === null || entries.length === 0) {
    return `${name} has ${counted(lines.length, 'line')} and no declarations that can be outlined: use read_file.`;
  }
  const { rows, left } = fitRows(entries.map(row), limits.outlineEntries);
  const rest = left === 0 ? [] : [`… and ${grouped(left)} more below line ${entries[rows.length - 1]?.line ?? 0}`];
  return [`${name} (${counted(lines.length, 'line')})`, ...rows, ...rest].join('\n');
}

/** Null where the file was not parsed, or parsing found nothing. */
async function parsedOutline({ symbols }: Files, path: string): Promise<readonly OutlineEntry[] | null> {
  if (symbols === undefined || !symbols.knows(path)) return null;
  const file = await symbols.file(path);
  if (file === null || file.syntax.by !== 'parser') return null;
  const entries = syntaxOutline(file.syntax, file.lines);
  return entries.length === 0 ? null : entries;
}

function row({ line, depth, text }: OutlineEntry): string {
  return `${String(line).padStart(4)} | ${'  '.repeat(Math.min(depth, maxIndent))}${text}`;
}

const maxIndent = 6;
