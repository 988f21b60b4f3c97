import { grouped } from '../grouped.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { maxLineCharacters } from '../pull-request/render-diff.ts';

const namedAtMost = 10;

/** Says for people which files have lines that the model saw the beginning of only. */
export function longLineNotes(files: readonly ChangedFile[]): readonly string[] {
  const cut = files.filter(({ hunks }) => hunks.some(({ lines }) => lines.some(isCut)));
  if (cut.length === 0) return [];
  const names = cut.slice(0, namedAtMost).map(({ path }) => path);
  const more = cut.length > names.length ? ` and ${cut.length - names.length} more` : '';
  const start = `The model saw the first ${grouped(maxLineCharacters)} characters of longer lines`;
  return [`${start} in ${names.join(', ')}${more}.`];
}

// The first character is the sign.
function isCut(line: string): boolean {
  return line.length > maxLineCharacters + 1;
}
