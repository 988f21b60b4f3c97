import { structuredPatch } from 'diff';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { changedFile } from '../changed-files.ts';
import { MemoryRepository } from '../memory-repository.ts';

/** A pull request in a small repository of one language, with what a reader of its diff has to look up. */
export type SampleChange = {
  readonly language: string;
  readonly files: { readonly [path: string]: string };
  /** Texts to be replaced, by the path of their file: what the change does. */
  readonly edits: { readonly [path: string]: readonly (readonly [before: string, after: string])[] };
  /** Where the names on changed lines are defined that the diff does not show, as `path name`. */
  readonly definitions: readonly string[];
  /** Where what the change defines is used outside the diff, as `path:line`. */
  readonly uses: readonly string[];
};

export type OpenSample = { readonly repository: MemoryRepository; readonly changes: readonly ChangedFile[] };

/** The repository before and after, and the diff with three lines of context. */
export function openSample({ files, edits }: SampleChange): OpenSample {
  const after = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, (edits[path] ?? []).reduce(replaceOnce, text)]),
  );
  const changes = Object.keys(edits).map((path) => {
    const patch = structuredPatch(path, path, files[path] ?? '', after[path] ?? '', '', '', { context: 3 });
    return changedFile(path, { hunks: patch.hunks.map((hunk) => ({ ...hunk, heading: '' })) });
  });
  return { repository: new MemoryRepository(after, { base: files, mergeBase: files }), changes };
}

function replaceOnce(text: string, [before, after]: readonly [string, string]): string {
  if (text.split(before).length !== 2) throw new Error(`This stands not once in the file: ${before}`);
  return text.replace(before, () => after);
}
