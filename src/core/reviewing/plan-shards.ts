import type { Need } from '../agent/shares.ts';
import type { ShardShare } from '../review/shards.ts';
import { mostShards } from '../settings/formats.ts';
import type { Settings } from '../settings/settings.ts';

/** A job with less time would end before it has reviewed much. */
const leastMinutes = 2;

type Limits = Pick<Settings, 'maxTotalTokens' | 'maxCost' | 'timeoutMinutes' | 'maxShards' | 'shardTokens'>;

/**
 * Divides batches over jobs of about one size, by the tokens that they usually take: the next most valuable one goes to the job with the
 * least. What the run may take is divided in the same way, and never more than that; each has enough to begin any batch first.
 */
export function shareOutShards(
  needs: readonly Need[],
  { limits, cost }: { readonly limits: Limits; readonly cost: number | null },
): readonly ShardShare[] {
  const sizes = needs.map(({ usual }) => Math.max(1, usual.input + usual.output));
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  const shards = Array.from({ length: countShards(whole, { needs, limits, cost }) }, () => ({
    batches: [] as number[],
    size: 0,
  }));
  for (const [index, size] of sizes.entries()) {
    const least = shards.reduce((best, next) => (next.size < best.size ? next : best));
    least.batches.push(index);
    least.size += size;
  }
  const { maxTotalTokens, maxCost, timeoutMinutes } = limits;
  const count = shards.length;
  return shards.map(({ batches, size }) => {
    const part = whole === 0 ? 1 : size / whole;
    const beyond = (least: number, all: number) => least + (all - least * count) * part;
    return {
      batches,
      tokens: Math.floor(beyond(Math.min(leastTokens(needs), maxTotalTokens / count), maxTotalTokens)),
      cost: maxCost === null ? null : floored(maxCost * part, 1_000_000),
      minutes: floored(beyond(Math.min(leastMinutes, timeoutMinutes / count), timeoutMinutes), 1_000),
    };
  });
}

/** What it takes to begin any of the batches. */
function leastTokens(needs: readonly Need[]): number {
  return needs.reduce((most, { least }) => Math.max(most, least.input + least.output), 1);
}

function countShards(
  tokens: number,
  { needs, limits, cost }: { readonly needs: readonly Need[]; readonly limits: Limits; readonly cost: number | null },
): number {
  const { maxTotalTokens, maxCost, timeoutMinutes, maxShards, shardTokens } = limits;
  const payable = cost === null || maxCost === null || cost <= maxCost ? 1 : maxCost / cost;
  const used = Math.min(tokens * payable, maxTotalTokens);
  const begun = Math.min(Math.floor(maxTotalTokens / leastTokens(needs)), Math.floor(timeoutMinutes / leastMinutes));
  const most = Math.min(mostShards, maxShards, needs.length, begun);
  return Math.max(1, Math.min(Math.ceil(used / shardTokens), most));
}

function floored(number: number, parts: number): number {
  return Math.floor(number * parts) / parts;
}
