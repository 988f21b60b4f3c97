import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';
import type { ShownLine } from '../repository/shown.ts';

/** Where quotes are looked up. */
export type GroundSources = {
  /** All files of the diff. */
  readonly files: readonly ChangedFile[];
  /**
   * The lines of a file as the model sees them: RIGHT at head, LEFT at the merge base under the path it had there. Null when
   * there is no such text file on that side, or when it may not be read.
   */
  readonly read: (path: string, side: Side) => Promise<readonly ShownLine[] | null>;
};
