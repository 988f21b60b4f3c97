import type { Knowledge } from '../context/knowledge.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import type { ImageParts } from '../images/convert-image.ts';
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
  /** True with more than one batch: a diff that is not in the prompt can be asked for. */
  readonly offerDiff: boolean;
  /** The reason why a path may not be read; null when it may. */
  readonly isDenied: (path: string) => string | null;
  /** Absent where there are no documents: `search_knowledge` is not offered. */
  readonly knowledge?: Knowledge;
  /** Absent without `vision`: `view_image` is not offered. */
  readonly images?: ImageParts;
  /** Absent where nothing is parsed: outlines are then read line by line, and `find_symbol` is not offered. */
  readonly symbols?: SymbolIndex;
};

export type Files = Pick<Sources, 'repository' | 'files' | 'symbols'>;
