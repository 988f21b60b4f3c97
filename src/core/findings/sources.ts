import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Repository, Side } from '../repository/repository.ts';
import { type ShownLine, shown, splitLines } from '../repository/shown.ts';

/** Reads each side of a file once. A failure is not remembered: the next attempt may succeed. */
function readOnce(read: GroundSources['read']): GroundSources['read'] {
  const readings = new Map<string, ReturnType<GroundSources['read']>>();
  return (path, side) => {
    const key = `${side} ${path}`;
    const known = readings.get(key);
    if (known !== undefined) return known;
    const reading = read(path, side);
    readings.set(key, reading);
    reading.catch(() => readings.delete(key));
    return reading;
  };
}

/** Where quotes and citations are looked up. */
export type GroundSources = {
  /** All files of the diff. */
  readonly files: readonly ChangedFile[];
  /**
   * The lines of a file as the model sees them: RIGHT at head, LEFT at the merge base under the path it had there. Null when
   * there is no such text file on that side, or when it may not be read.
   */
  readonly read: (path: string, side: Side) => Promise<readonly ShownLine[] | null>;
};

/** Where quotes are looked up: the files at head and at the merge base, as the model was shown them. Each file is read once. */
export function groundSources(
  repository: Repository,
  { files, isDenied }: { files: readonly ChangedFile[]; isDenied: (path: string) => string | null },
): GroundSources {
  const read: GroundSources['read'] = async (path, side) => {
    // What the model may not read it cannot quote either.
    if (isDenied(path) !== null) return null;
    const content = await repository.readFile(path, side === 'RIGHT' ? 'head' : 'merge-base');
    if (content.kind === 'symlink') return shown(splitLines(content.target));
    return content.kind === 'text' ? shown(splitLines(content.text)) : null;
  };
  return { files, read: readOnce(read) };
}
