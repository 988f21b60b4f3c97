import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';

/** A path as a model writes it: as it is, then without `./` or `/`, then without the `a/` and `b/` of a diff. */
export function pathSpellings(path: string): readonly string[] {
  const rooted = path.replace(/^(?:\.?\/)+/, '');
  return [...new Set([path, rooted, rooted.replace(/^[ab]\//, '')])].filter((spelling) => spelling !== '');
}

/** The changed file that a path means: by its path in the diff, else by the name it was renamed from. */
export function findChangedFile(path: string, files: readonly ChangedFile[]): ChangedFile | null {
  const spellings = pathSpellings(path);
  for (const spelling of spellings) {
    const file = files.find((candidate) => candidate.path === spelling) ?? files.find(wasNamed(spelling));
    if (file !== undefined) return file;
  }
  return null;
}

/** An added file has no old side and a deleted one no new side: there the side needs no guess. */
export function sideOf(file: ChangedFile, asked: Side): Side {
  if (file.status === 'added') return 'RIGHT';
  return file.status === 'deleted' ? 'LEFT' : asked;
}

/** Where the file's text is on that side: GitHub knows it by its path in the diff, the merge base by its old one. */
export function pathOnSide(file: ChangedFile, side: Side): string {
  return side === 'LEFT' ? file.oldPath : file.path;
}

function wasNamed(path: string): (file: ChangedFile) => boolean {
  return (file) => file.status === 'renamed' && file.oldPath === path;
}
