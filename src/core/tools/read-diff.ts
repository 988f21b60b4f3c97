import { withHeadings } from '../context/changed-symbols.ts';
import { ToolError } from '../errors.ts';
import { inEnglish } from '../messages/languages.ts';
import { type ChangedFile, type Hunk, renderHunk } from '../pull-request/changed-file.ts';
import { exactly } from '../schema.ts';
import { cutLine } from '../text.ts';
import { baseName, defineTool, limits, nameOf, pathOf, type Sources, type Tool } from './sources.ts';

const maxNamed = 50;

export function readDiff(sources: Pick<Sources, 'files' | 'isDenied' | 'symbols' | 'onShown'>): Tool {
  return defineTool({
    name: 'read_diff',
    description: 'Read the diff of another changed file of this pull request.',
    parameters: exactly({ path: { type: 'string' } }),
    path: 'path',
    shows: 'diff',
    run: async (call) => {
      const path = pathOf(call.path);
      const file = sources.files.find((changed) => changed.path === path || changed.oldPath === path);
      if (file === undefined) throw new ToolError(explainUnchanged(path, sources.files));
      const denied = sources.isDenied(file.path) ?? sources.isDenied(file.oldPath);
      if (denied !== null) throw new ToolError(denied);
      sources.onShown?.(file.path);
      const hunks = await withHeadings(sources.symbols ?? null, { file, hunks: file.hunks });
      return renderFile({ ...file, hunks });
    },
  });
}

function renderFile(file: ChangedFile): string {
  const from = file.oldPath === file.path ? '' : ` from ${nameOf(file.oldPath)}`;
  const notes = [
    `${nameOf(file.path)} ${file.status}${from}`,
    ...(file.kind === 'text' ? [] : [`a ${file.kind}`]),
    ...(file.modeChange === null ? [] : [`mode ${file.modeChange}`]),
    ...(file.incomplete === null ? [] : [`the diff is incomplete: ${inEnglish(file.incomplete)}`]),
    ...(file.hunks.length === 0 ? ['no changed lines to show'] : []),
  ];
  return [notes.join('; '), ...renderHunks(file.hunks)].join('\n');
}

/** As many lines as fit; what is left out is named by its hunks. */
function renderHunks(hunks: readonly Hunk[]): readonly string[] {
  const rows: string[] = [];
  let characters = 0;
  for (const [index, hunk] of hunks.entries()) {
    for (const line of renderHunk(hunk).split('\n')) {
      const text = cutLine(line, limits.lineCharacters);
      characters += text.length + 1;
      if (characters > limits.resultCharacters) return [...rows, cutNote(index, hunks)];
      rows.push(text);
    }
  }
  return rows;
}

function cutNote(index: number, hunks: readonly Hunk[]): string {
  const line = hunks[index]?.newStart ?? 1;
  return `… cut in hunk ${index + 1} of ${hunks.length}: read_file_lines from line ${line} shows the new version of the rest.`;
}

function explainUnchanged(path: string, files: readonly ChangedFile[]): string {
  const near = files.filter((file) => baseName(file.path) === baseName(path));
  const named = (near.length > 0 ? near : files).slice(0, maxNamed).map((file) => nameOf(file.path));
  const left = (near.length > 0 ? near : files).length - named.length;
  const more = left > 0 ? ` and ${left} more` : '';
  return `This pull request does not change ${nameOf(path)}. Changed files: ${named.join(', ')}${more}.`;
}
