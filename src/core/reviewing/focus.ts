import type { Meter } from '../agent/meter.ts';
import type { Batch, BatchFile } from '../batches/batch.ts';
import { classOf, type FileClass, withoutIndentation } from '../batches/file-class.ts';
import { planBatches } from '../batches/plan-batches.ts';
import { type Fence, renderSharedDiff } from '../batches/render-batch.ts';
import { linesOf } from '../context/changed-symbols.ts';
import { contextOf } from '../context/context-chain.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { profiles } from '../settings/definitions.ts';
import type { Settings } from '../settings/settings.ts';

/** Files that run, and changed lines of theirs, that one conversation goes through with care. */
const oneFocus = { files: 7, lines: 300 } as const;
/** A file with fewer changed lines is so much of one. */
const wholeFile = 8;
const read: ReadonlySet<FileClass> = new Set(['source', 'test']);

/** The profiles that look twice at what they find look closely at what they read. */
export function isFocused(profile: Settings['profile']): boolean {
  return profiles[profile].verify;
}

/** Into how many parts a change is divided, so that each gets the attention of a conversation of its own. */
export function countFocuses(files: readonly ChangedFile[]): number {
  const code = files.filter((file) => read.has(classOf(file)));
  const counts = code.map((file) => ({ lines: changedLines(file), isSource: classOf(file) === 'source' }));
  const lines = counts.reduce((sum, each) => sum + each.lines, 0);
  const sources = counts.reduce((sum, each) => sum + (each.isSource ? Math.min(1, each.lines / wholeFile) : 0), 0);
  return Math.max(1, Math.ceil(Math.max(sources / oneFocus.files, lines / oneFocus.lines)));
}

/** Without those that only moved sideways. */
function changedLines({ path, hunks }: ChangedFile): number {
  const shown = hunks.flatMap((hunk) => withoutIndentation(hunk, path).lines);
  return shown.filter((line) => /^[+-]/.test(line)).length;
}

/** Calls of one conversation, and tokens that each sends beside the diff. */
const conversation = { calls: 4, beside: 8_000 } as const;

/**
 * Into how many parts a diff of so many tokens is divided, so that all conversations together take at most half of the budget, where what is cached
 * counts in full. `fits`: one prompt may hold all of it. Shared, in fewer parts if need be, where two can see all of it; else each sees its own.
 */
export function affordable(
  wanted: number,
  { tokens, maxTotalTokens, fits }: { tokens: number; maxTotalTokens: number; fits: boolean },
) {
  const { calls, beside } = conversation;
  const room = maxTotalTokens / 2 / calls;
  const all = fits ? Math.floor(room / (tokens + beside)) : 0;
  const own = Math.floor((room - tokens) / beside);
  return all > 1 ? { isShared: true, parts: Math.min(wanted, all) } : { isShared: false, parts: Math.min(wanted, own) };
}

/** The batches, and whether each sees the whole diff. */
export type Plan = { readonly batches: readonly Batch[]; readonly isShared: boolean };

/** Parts that get the attention of a conversation each, where the budget has room for them; else as few batches as hold the diff. */
export function divide(
  files: readonly ChangedFile[],
  {
    limits,
    focuses,
    maxTotalTokens,
  }: { limits: Parameters<typeof planBatches>[1]; focuses: number; maxTotalTokens: number },
): Plan {
  const whole = planBatches(files, limits);
  if (focuses === 1) return { batches: whole, isShared: false };
  const tokens = whole.reduce((sum, { estimatedTokens }) => sum + estimatedTokens, 0);
  const { parts, isShared } = affordable(focuses, { tokens, maxTotalTokens, fits: whole.length === 1 });
  return parts > whole.length
    ? { batches: planBatches(files, { ...limits, parts }), isShared }
    : { batches: whole, isShared: false };
}

type Shown = Awaited<ReturnType<typeof contextOf<BatchFile>>>;

/** The diff that all conversations see, each with a part of it to review. */
export type SharedDiff = {
  readonly diff: string;
  /** What is shown of a batch of the plan; null for half of one, whose conversation must be shorter. */
  readonly of: (batch: Batch) => Shown | null;
};

/** Shows the whole change with what its parts stand in: the same bytes at the beginning of every conversation. */
export async function shareDiff(
  batches: readonly Batch[],
  { symbols, fence, meter }: { symbols: SymbolIndex | null; fence: Fence; meter: Meter },
): Promise<SharedDiff> {
  const parts = new Map<string, Shown>();
  for (const batch of batches) parts.set(batch.name, await contextOf(symbols, batch.files));
  const files = [...parts.values()].flatMap(({ changes }) => changes);
  const lines = new Map<string, ReadonlySet<number>>();
  for (const { file, hunks } of files) {
    lines.set(file.path, new Set([...(lines.get(file.path) ?? []), ...linesOf(hunks).shown]));
  }
  return {
    diff: renderSharedDiff(files, fence),
    of: ({ name }) => {
      const shown = parts.get(name);
      if (shown === undefined || cachesNothing(meter)) return null;
      // What stands in another part of the diff is seen there.
      const entries = shown.chain.entries.filter(({ path, startLine }) => !lines.get(path)?.has(startLine));
      return { ...shown, chain: { ...shown.chain, entries } };
    },
  };
}

/** Calls after which a server that keeps what it read would have said so. */
const callsToTell = 3;

/** Then the same diff in every conversation would be paid each time. */
function cachesNothing({ metrics: { modelCalls, usage } }: Meter): boolean {
  return modelCalls >= callsToTell && usage.cached === 0 && !usage.estimated;
}
