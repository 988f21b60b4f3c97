import type { ShownLine } from '../repository/shown.ts';

export type Relation = 'definition' | 'caller' | 'test' | 'import';

/** Lines of a file, and what they have to do with the change. */
export type ChainEntry = {
  readonly relation: Relation;
  /** The name that connects them; empty for a test that is only called after the file. */
  readonly symbol: string;
  readonly path: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** What stands around it, such as `method Cart.total` around a use; null at the top of its file. */
  readonly inside: string | null;
  readonly lines: readonly ShownLine[];
};

/** An entry, and the lines below it that may be added: a definition's body. */
export type ChainCandidate = ChainEntry & { readonly body: readonly ShownLine[] };

export type MissingFromChain = {
  /** How many more were found and did not fit. */
  readonly left: number;
  /** What the chain may be missing, and why, one sentence each. */
  readonly notes: readonly string[];
};
