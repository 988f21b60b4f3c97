import { codeLines, rewritten } from './code-text.ts';
import type { ImportedFile } from './import-commits.ts';

export const changedFiles = 3_000;
export const leastChangedLines = 1_000_000;

/**
 * A change of 3,000 files and a little over a million lines: of fifteen files one is renamed and edited, one added, one
 * deleted, the others two thirds rewritten. Half of it is source, the rest tests, documents and configuration.
 */
export function* filesBefore(): Generator<ImportedFile> {
  for (let index = 0; index < changedFiles; index += 1) {
    if (fateOf(index) !== 'added') yield fileOf(pathOf(index), before(index));
  }
}

export function* filesAfter(): Generator<ImportedFile> {
  for (let index = 0; index < changedFiles; index += 1) {
    const path = pathOf(index);
    const fate = fateOf(index);
    if (fate === 'renamed' || fate === 'deleted') yield { path, text: null };
    if (fate === 'renamed') yield fileOf(`moved/${path}`, after(index, 3));
    if (fate === 'added') yield fileOf(path, before(index));
    if (fate === 'rewritten') yield fileOf(path, after(index, 10));
  }
}

type Fate = 'renamed' | 'added' | 'deleted' | 'rewritten';
const fates: readonly Fate[] = ['renamed', 'added', 'deleted'];

function fateOf(index: number): Fate {
  return fates[index % 15] ?? 'rewritten';
}

function before(index: number): readonly string[] {
  return codeLines({ seed: index, count: fateOf(index) === 'rewritten' ? 270 : 400 });
}

/** So many of every fifteen lines are others. */
function after(index: number, count: number): readonly string[] {
  const lines = before(index);
  const blocks = Array.from({ length: Math.ceil(lines.length / 15) }, (_, block) => block * 15);
  const places = blocks.map((start) => [start, start + count] as const);
  return rewritten(lines, { seed: changedFiles + index, places });
}

// Documents hold a dash: one character beyond Latin-1 doubles the memory of the string that it is in.
function fileOf(path: string, lines: readonly string[]): ImportedFile {
  const text = `${lines.join('\n')}\n`;
  return { path, text: path.endsWith('.md') ? text.replaceAll('before', '– before') : text };
}

const endings = ['.ts', '.ts', '.go', '.py', '.java', '.test.ts', '_test.go', '.md', '.yml', '.json'];

function pathOf(index: number): string {
  const folder = `area-${index % 24}/part-${index % 120}`;
  return `${folder}/file-${index}${endings[Math.floor(index / 7) % endings.length]}`;
}
