import type { StickyMark } from './mark.ts';
import type { FullReason, Past, Scope } from './memory.ts';
import type { RunIdentity } from './run-identity.ts';

export type ScopeInput = {
  readonly incremental: boolean;
  readonly sticky: StickyMark | null;
  /** True when there is a summary comment that no key of this run signed: nothing of it is believed. */
  readonly isUnsigned?: boolean;
  readonly identity: RunIdentity;
  /** Full hashes. */
  readonly head: string;
  readonly mergeBase: string;
  /** Name of the base branch. */
  readonly base: string;
  readonly past: Past;
};

/** What this run looks at: what changed since the last reviewed commit, or everything, with the reason. */
export async function decideScope(input: ScopeInput): Promise<Scope> {
  const { sticky, head, past } = input;
  const why = reasonOf(input);
  if (why !== null || sticky === null) return full(why ?? 'first review');
  const since = { since: sticky.head, unreviewed: sticky.unreviewed };
  if (sticky.head === head) return { kind: 'incremental', ...since, changed: [] };
  const relation = await past.relationOf(sticky.head);
  if (relation === 'gone') return full('the earlier commit cannot be read');
  if (relation === 'diverged') return full('history was rewritten');
  const changed = await past.changesBetween(sticky.head, head);
  return changed === null ? full('the earlier commit cannot be read') : { kind: 'incremental', ...since, changed };
}

function reasonOf({ incremental, sticky, isUnsigned, identity, mergeBase, base }: ScopeInput): FullReason | null {
  if (!incremental) return 'incremental is off';
  if (sticky === null) return isUnsigned === true ? 'the earlier state is not signed' : 'first review';
  if (sticky.settings !== identity.settings) return 'the settings changed';
  // Another branch has other rules and guidance, and whoever opened the pull request may have written them.
  return sticky.mergeBase === mergeBase && (sticky.base ?? base) === base ? null : 'the base changed';
}

function full(why: FullReason): Scope {
  return { kind: 'full', why };
}
