import { chainCandidates } from './chain-candidates.ts';
import type { ChainEntry, MissingFromChain } from './chain-entry.ts';
import { changedSymbols, type ShownChange } from './changed-symbols.ts';
import { fitChain } from './fit-chain.ts';
import type { SymbolIndex } from './symbol-index.ts';

export type ContextChain = MissingFromChain & {
  /** In the order in which they are rendered. */
  readonly entries: readonly ChainEntry[];
};

export type ChainOptions = {
  /** Tokens that the rendered chain takes at most. */
  readonly maxTokens: number;
  /** Only the heads of definitions, never their bodies. */
  readonly signaturesOnly: boolean;
};

/**
 * The code around a change that its diff does not show: definitions of what changed lines use, where what they define is used,
 * the tests among these, and the imports behind the names. One step from the change, the same for the same commits.
 */
export async function contextChain(
  index: SymbolIndex,
  { changes, ...options }: ChainOptions & { readonly changes: readonly ShownChange[] },
): Promise<ContextChain> {
  const symbols = [];
  for (const change of changes) {
    const found = await changedSymbols(index, change);
    if (found !== null) symbols.push(found);
  }
  const { candidates, namesakes, notes } = await chainCandidates(index, symbols);
  // Where there is little room a guess is not worth it: who gets only heads can ask for more.
  const worth = options.signaturesOnly ? candidates : [...candidates, ...namesakes];
  return { ...fitChain(worth, options), notes };
}
