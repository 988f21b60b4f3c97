import { type Amount, type Budget, lacking, type Refusal, type Share } from './budget.ts';
import type { CallSize } from './estimate.ts';
import type { Price } from './model.ts';

/** What a task takes, as the size of one call that would use it all. */
export type Need = {
  /** Without it the task is not worth a start: its first calls, and the last one. */
  readonly least: CallSize;
  /** What tasks like it usually take. */
  readonly usual: CallSize;
};

export type Shares = {
  /** So many of the first tasks are sure of their share. */
  readonly sure: number;
  /** So many can start when each takes what is usual. */
  readonly likely: number;
  /** Which limit leaves out the others; null when all are sure. */
  readonly limit: 'tokens' | 'cost' | null;
  /**
   * The share of the next task, in their order, each asked for once. Waits while shares that are open may still leave enough. Whatever is
   * free is kept for those who wait before a running task may use more than its share.
   */
  next(): Promise<Share | Refusal>;
};

/**
 * Divides a budget among tasks, the most valuable first. Where it is enough for what all usually take, each gets that; else each gets
 * its least and the same part of what it would like beyond; where it is not even enough for that, the first ones get their least.
 */
export function shareOut(budget: Budget, { needs, price }: { needs: readonly Need[]; price: Price | null }): Shares {
  const whole: Amount = { tokens: budget.maxTokens, cost: budget.maxCost ?? Number.POSITIVE_INFINITY };
  const amountOf = (size: CallSize) => budget.amountOf(size, price);
  const lacks = (size: CallSize) => lacking(amountOf(size), whole, 0);
  const { sure, limit } = sureOf(needs, lacks);
  const totalOf = (part: number) => needs.map((need) => wantedOf(need, part)).reduce(addSizes, nothing);
  const beyond =
    sure < needs.length ? 0 : partBeyond(whole, { least: amountOf(totalOf(0)), most: amountOf(totalOf(1)) });
  let left = totalOf(beyond);
  let turn: Promise<unknown> = Promise.resolve();
  let index = 0;
  const take = async (need: Need): Promise<Share | Refusal> => {
    const size = wantedOf(need, beyond);
    for (;;) {
      // Who has the whole budget to itself may try with less.
      const alone = !budget.hasShares && budget.spent === 0;
      const taken = budget.share({ least: amountOf(alone ? nothing : need.least), wanted: amountOf(size) });
      if (taken.granted || taken.limit === 'time' || !budget.hasShares) {
        left = { input: left.input - size.input, output: left.output - size.output };
        budget.keepForWaiting(left.input + left.output <= 0 ? null : { size: left, price });
        return taken;
      }
      await budget.nextClosed();
    }
  };
  return {
    sure,
    likely: Math.max(sure, likelyOf(needs, lacks)),
    limit,
    next: () => {
      const need = needs[index];
      if (need === undefined) throw new Error('every task has had its turn');
      index += 1;
      const taken = turn.then(() => take(need));
      turn = taken;
      return taken;
    },
  };
}

const nothing: CallSize = { input: 0, output: 0 };

function addSizes(one: CallSize, other: CallSize): CallSize {
  return { input: one.input + other.input, output: one.output + other.output };
}

/** Its least, and a part of what it would like beyond. */
function wantedOf({ least, usual }: Need, part: number): CallSize {
  const more = (from: number, to: number) => Math.floor(from + part * Math.max(0, to - from));
  return { input: more(least.input, usual.input), output: more(least.output, usual.output) };
}

/** Which limit of the whole budget a call of this size would exceed. */
type Lacks = (size: CallSize) => Shares['limit'];

function sureOf(needs: readonly Need[], lacks: Lacks): Pick<Shares, 'sure' | 'limit'> {
  let sum = nothing;
  for (const [sure, { least }] of needs.entries()) {
    sum = addSizes(sum, least);
    const limit = lacks(sum);
    if (limit !== null) return { sure, limit };
  }
  return { sure: needs.length, limit: null };
}

/** 0 to 1: how much of what all would like beyond their least there is. */
function partBeyond(whole: Amount, { least, most }: { least: Amount; most: Amount }): number {
  const part = (have: number, from: number, to: number) => (to <= have ? 1 : (have - from) / (to - from));
  return Math.min(part(whole.tokens, least.tokens, most.tokens), part(whole.cost, least.cost, most.cost));
}

/** One after the other: a task starts when its least is left. */
function likelyOf(needs: readonly Need[], lacks: Lacks): number {
  let used = nothing;
  let count = 0;
  for (const { least, usual } of needs) {
    if (lacks(addSizes(used, least)) !== null) continue;
    used = addSizes(used, usual);
    count += 1;
  }
  return count;
}
