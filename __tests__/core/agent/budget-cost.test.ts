import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, type Membership, type Refusal } from '../../../src/core/agent/budget.ts';
import { costOf } from '../../../src/core/agent/price.ts';
import { usage } from '../../fakes/scripted-model.ts';

const price = { input: 10, cached: 1, output: 100 };
/** 0.115 ¢ of input with its margin and 1 ¢ of output: 1.115 ¢. */
const call = { input: 100, output: 100 };

function budgetOf(maxCost: number | null): Budget {
  return new Budget({ maxTokens: 1_000_000, maxCost, softDeadline: 1, hardDeadline: 2, now: () => 0 });
}

function joined(result: Membership | Refusal): Membership {
  if (!result.granted) throw new Error(`refused: ${result.limit}`);
  return result;
}

describe('a price', () => {
  it('is a million tokens: what the provider had cached costs less', () => {
    expect(costOf({ input: 1_000_000, cached: 400_000, output: 10_000 }, price)).toBe(6 + 0.4 + 1);
  });
});

describe('a budget of money', () => {
  it('lets nobody in who could not pay a call and the last one after it', () => {
    expect(budgetOf(0.022).enter({ opening: call, lastCall: call, price })).toEqual({ granted: false, limit: 'cost' });
    expect(budgetOf(0.0224).enter({ opening: call, lastCall: call, price }).granted).toBe(true);
  });

  it('counts what was used, and gives back what was not', () => {
    const budget = budgetOf(1);
    const member = joined(budget.enter({ opening: null, lastCall: call, price }));
    const reservation = member.reserve(call, call);
    if (reservation.granted) reservation.settle({ ...usage(100, 10), cached: 50 });
    expect(budget.spentCost).toBeCloseTo(0.0005 + 0.00005 + 0.001, 10);
    expect(member.availableCost()).toBeCloseTo(1 - budget.spentCost, 10);
  });

  it('holds each conversation to its own price', () => {
    const budget = budgetOf(0.03);
    joined(budget.enter({ opening: null, lastCall: call, price }));
    expect(budget.enter({ opening: call, lastCall: call, price })).toEqual({ granted: false, limit: 'cost' });
    expect(budget.enter({ opening: call, lastCall: call, price: { input: 1, cached: 1, output: 1 } }).granted).toBe(
      true,
    );
  });

  it('tells truly what was billed beyond what was reserved, and starts nothing more', () => {
    const budget = budgetOf(0.03);
    const member = joined(budget.enter({ opening: call, lastCall: call, price }));
    const reservation = member.reserve(call, call);
    if (reservation.granted) reservation.settle(usage(100, 1_000));
    expect(budget.spentCost).toBeCloseTo(0.101, 10);
    expect([member.reserve(call, call), member.reserveLast(call)]).toEqual([
      { granted: false, limit: 'cost' },
      { granted: false, limit: 'cost' },
    ]);
    expect(member.availableCost()).toBe(0);
  });

  it('does not limit what has no price', () => {
    expect(budgetOf(0.001).enter({ opening: call, lastCall: call, price: null }).granted).toBe(true);
    expect(joined(budgetOf(null).enter({ opening: call, lastCall: call, price })).availableCost()).toBe(null);
  });
});

it('no order of calls, conversations and bills passes a limit, as long as nobody is billed more than was reserved', () => {
  const deed = fc.record({
    member: fc.nat({ max: 3 }),
    last: fc.boolean(),
    input: fc.integer({ min: 1, max: 5_000 }),
    output: fc.integer({ min: 1, max: 2_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    settles: fc.boolean(),
  });
  const limits = fc.record({ maxTokens: fc.integer({ min: 1, max: 60_000 }), cents: fc.integer({ min: 1, max: 400 }) });
  fc.assert(
    fc.property(limits, fc.array(deed, { maxLength: 60 }), ({ maxTokens, cents }, deeds) => {
      const maxCost = cents / 100;
      const budget = new Budget({ maxTokens, maxCost, softDeadline: 1, hardDeadline: 2, now: () => 0 });
      const members = new Map<number, Membership>();
      const open: (() => void)[] = [];
      for (const { member: index, last, input, output, share, settles } of deeds) {
        const size = { input, output };
        const entered = members.get(index) ?? budget.enter({ opening: size, lastCall: size, price });
        if (!('reserve' in entered)) continue;
        members.set(index, entered);
        const reservation = last ? entered.reserveLast(size) : entered.reserve(size, size);
        if (!reservation.granted) continue;
        const settle = () => reservation.settle(usage(Math.floor(input * share), Math.floor(output * share)));
        if (settles) settle();
        else open.push(settle);
        expect(budget.spent).toBeLessThanOrEqual(maxTokens);
        expect(budget.spentCost).toBeLessThanOrEqual(maxCost + 1e-6);
      }
      for (const settle of open) settle();
      expect(budget.spent).toBeLessThanOrEqual(maxTokens);
      expect(budget.spentCost).toBeLessThanOrEqual(maxCost + 1e-6);
    }),
  );
});
