import { defineTool, type Tool } from '../agent/tool.ts';
import { grouped, plural } from '../text.ts';
import { openFile } from './open-file.ts';
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
