import { estimateTokens } from '../agent/estimate.ts';
import type { ChainCandidate, ChainEntry, Relation } from './chain-entry.ts';
import { renderChain } from './render-chain.ts';

type Limits = { readonly maxTokens: number; readonly signaturesOnly: boolean };

/** A longer head is cut to this, a longer body left out. Lines. */
const maxHead = 8;
const maxBody = 30;

/** No kind takes all the room as long as others are waiting. Parts of the tokens. */
const shares: { readonly [relation in Relation]: number } = { definition: 0.6, caller: 0.25, test: 0.1, import: 0.05 };
const everything: typeof shares = { definition: 1, caller: 1, test: 1, import: 1 };

/** The entries that fit, in the order of their worth: first all in short, then the bodies of definitions. */
export function fitChain(
  candidates: readonly ChainCandidate[],
  { maxTokens, signaturesOnly }: Limits,
): { readonly entries: readonly ChainEntry[]; readonly left: number } {
  const heads = candidates.map(head);
  const chosen = new Map<number, ChainEntry>();
  // Entries of one file share a heading, so after each round there is more room than was counted.
  for (const share of [shares, everything, everything]) addHeads(chosen, { heads, maxTokens, share });
  if (!signaturesOnly) addBodies(chosen, { candidates, room: maxTokens - tokensOf(chosen) });
  // An estimate is no sum of its parts: the cap holds for the whole.
  while (chosen.size > 0 && tokensOf(chosen) > maxTokens) chosen.delete(Math.max(...chosen.keys()));
  return { entries: inOrder(chosen), left: candidates.length - chosen.size };
}

function head({ body: _body, ...entry }: ChainCandidate): ChainEntry {
  const lines = entry.lines.slice(0, maxHead);
  return { ...entry, lines, endLine: entry.startLine + lines.length - 1 };
}

type Heads = { readonly heads: readonly ChainEntry[]; readonly maxTokens: number; readonly share: typeof shares };

function addHeads(chosen: Map<number, ChainEntry>, { heads, maxTokens, share }: Heads): void {
  let left = maxTokens - tokensOf(chosen);
  const spent: { [relation in Relation]: number } = { definition: 0, caller: 0, test: 0, import: 0 };
  for (const [at, entry] of heads.entries()) {
    if (chosen.has(at)) continue;
    const cost = estimateTokens(renderChain([entry]));
    const { relation } = entry;
    if (cost > left || spent[relation] + cost > maxTokens * share[relation]) continue;
    chosen.set(at, entry);
    left -= cost;
    spent[relation] += cost;
  }
}

type Bodies = { readonly candidates: readonly ChainCandidate[]; readonly room: number };

function addBodies(chosen: Map<number, ChainEntry>, { candidates, room }: Bodies): void {
  let left = room;
  for (const [at, { lines, body }] of candidates.entries()) {
    const entry = chosen.get(at);
    if (entry === undefined || body.length === 0 || lines.length + body.length > maxBody) continue;
    const whole = { ...entry, lines: [...lines, ...body], endLine: entry.startLine + lines.length + body.length - 1 };
    const cost = estimateTokens(renderChain([whole])) - estimateTokens(renderChain([entry]));
    if (cost > left) continue;
    chosen.set(at, whole);
    left -= cost;
  }
}

function inOrder(chosen: ReadonlyMap<number, ChainEntry>): readonly ChainEntry[] {
  return [...chosen].sort(([one], [other]) => one - other).map(([, entry]) => entry);
}

function tokensOf(chosen: ReadonlyMap<number, ChainEntry>): number {
  return chosen.size === 0 ? 0 : estimateTokens(renderChain(inOrder(chosen)));
}
