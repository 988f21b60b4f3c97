import { defineTool, type Tool } from '../agent/tool.ts';
import { grouped } from '../grouped.ts';
import { limits } from './limits.ts';
import { cutNote, fitRange } from './line-range.ts';
import { openFile } from './open-file.ts';
import { renderLines } from './render-lines.ts';
import type { Files } from './sources.ts';

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
