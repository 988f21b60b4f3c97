import { defineTool, type Tool } from '../agent/tool.ts';
import { counted } from './limits.ts';
import { openFile } from './open-file.ts';
import { renderLines } from './render-lines.ts';
import type { Files } from './sources.ts';

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
      return `${name} (${counted(lines.length, 'line')}${restNote(last, lines.length)})\n${text}`;
    },
  });
}

function restNote(last: number, total: number): string {
  return last === total ? '' : `; cut after line ${last}, read the rest with read_file_lines from ${last + 1}`;
}
