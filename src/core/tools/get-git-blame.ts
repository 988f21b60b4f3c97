import { defineTool, type Tool } from '../agent/tool.ts';
import { cutLine } from '../repository/cut-line.ts';
import type { BlameLine, History } from '../repository/repository.ts';
import { shown } from '../repository/shown.ts';
import { limits } from './limits.ts';
import { cutNote, fitRange } from './line-range.ts';
import { openFile } from './open-file.ts';
import type { Files } from './sources.ts';

export function getGitBlame(files: Files, history: History): Tool {
  return defineTool({
    name: 'get_git_blame',
    description: `Who last changed lines start_line to end_line (at most ${limits.blameLines}) of a file, and in which commit: one line for each run of lines, as \`12-20 commit date author: subject\`.`,
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['path', 'start_line', 'end_line'],
      properties: { path: { type: 'string' }, start_line: { type: 'integer' }, end_line: { type: 'integer' } },
    },
    run: async ({ path, start_line, end_line }) => {
      const file = await openFile(files, path);
      if (file.lines.length === 0) return `${file.name} is empty.`;
      const size = { lines: file.lines.length, maxLines: limits.blameLines };
      const { from, to, wanted, notes } = fitRange({ start: start_line, end: end_line }, size);
      const runs = groupLines(await history.blame(file.path, from, to));
      if (runs.length === 0) return `The history of ${file.name} is not known.`;
      return [
        [`${file.name}, lines ${from}-${to}`, ...notes, ...cutNote(to, wanted)].join('; '),
        ...runs.map(render),
      ].join('\n');
    },
  });
}

type Run = { readonly first: BlameLine; readonly last: BlameLine };

/** Consecutive lines of one commit. */
function groupLines(lines: readonly BlameLine[]): readonly Run[] {
  const runs: Run[] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run !== undefined && run.last.commit === line.commit && run.last.line + 1 === line.line) {
      runs[runs.length - 1] = { first: run.first, last: line };
    } else runs.push({ first: line, last: line });
  }
  return runs;
}

function render({ first, last }: Run): string {
  const range = first.line === last.line ? String(first.line) : `${first.line}-${last.line}`;
  if (first.commit === null) return `${range} older than the fetched history`;
  const text = `${range} ${first.commit.slice(0, 10)} ${first.date} ${first.author}: ${first.subject}`;
  return cutLine(shown([text])[0]?.text ?? '', limits.matchCharacters);
}
