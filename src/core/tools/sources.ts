import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { History, Repository, TextSearch } from '../repository/repository.ts';

/** What the reading tools read from. */
export type Sources = {
  readonly repository: Repository;
  /** Null where nothing can be searched: `search_text` is not offered. */
  readonly search: TextSearch | null;
  /** Null where there is no history: blame and log are not offered. */
  readonly history: History | null;
  /** Every changed file of the pull request. */
  readonly files: readonly ChangedFile[];
  /** True with more than one bundle: a diff that is not in the prompt can be asked for. */
  readonly offerDiff: boolean;
  /** The reason why a path may not be read; null when it may. */
  readonly isDenied: (path: string) => string | null;
};

export type Files = Pick<Sources, 'repository' | 'files'>;
