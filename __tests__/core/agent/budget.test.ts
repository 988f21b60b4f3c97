import { describe, expect, it } from 'vitest';
import { Budget, type Membership, type Refusal, type Reservation } from '../../../src/core/agent/budget.ts';
import { noUsage } from '../../../src/core/agent/usage.ts';
import { usage } from '../../fakes/scripted-model.ts';

const small = { input: 100, output: 85 };
const cost = 200;

describe('a budget of tokens', () => {
  it('takes the margin of an estimate into account', () => {
    const { budget } = budgetOf(2 * cost);
    expect(budget.enter({ opening: small, lastCall: small, price: null }).granted).toBe(true);
    expect(budgetOf(2 * cost - 1).budget.enter({ opening: small, lastCall: small, price: null })).toEqual(
      refused('tokens'),
    );
  });

  it('keeps a last call for each running conversation', () => {
    const { budget } = budgetOf(4 * cost);
    const first = joined(budget);
    joined(budget);
    const iteration = granted(first.reserve(small, small));
    expect(budget.enter({ opening: small, lastCall: small, price: null })).toEqual(refused('tokens'));
    iteration.settle(usage(100, 85));
    expect(first.reserve(small, small).granted).toBe(true);
    expect(first.reserve(small, small)).toEqual(refused('tokens'));
    expect(first.reserveLast(small).granted).toBe(true);
  });

  it('starts an iteration only when the last call that may follow it fits', () => {
    const member = joined(budgetOf(3 * cost).budget);
    expect(member.reserve(small, { input: 200, output: 171 })).toEqual(refused('tokens'));
    expect(member.reserve(small, { input: 200, output: 170 }).granted).toBe(true);
  });

  it('gives the tokens back that a call did not use', () => {
    const { budget } = budgetOf(3 * cost);
    const member = joined(budget);
    granted(member.reserve(small, small)).settle(usage(50, 10));
    expect(budget.spent).toBe(60);
    expect(member.available()).toBe(3 * cost - 60);
  });

  it('lets a last call that failed be tried again', () => {
    const { budget } = budgetOf(cost);
    const member = joined(budget);
    granted(member.reserveLast(small)).settle(noUsage);
    expect(budget.enter({ opening: null, lastCall: small, price: null })).toEqual(refused('tokens'));
    expect(member.reserveLast(small).granted).toBe(true);
  });

  it('does not let the last call of one take what is kept for another', () => {
    const { budget } = budgetOf(2 * cost);
    const [one, other] = [joined(budget), joined(budget)];
    expect(one.reserveLast({ input: 100, output: 86 })).toEqual(refused('tokens'));
    expect(one.keep({ input: 100, output: 86 })).toBe(false);
    other.leave();
    expect(one.keep({ input: 100, output: 86 })).toBe(true);
    expect(one.reserveLast({ input: 100, output: 86 }).granted).toBe(true);
  });

  it('serves the first last call when the estimates proved too low for all', () => {
    const { budget } = budgetOf(3 * cost);
    const [one, other] = [joined(budget), joined(budget)];
    granted(one.reserve(small, small)).settle(usage(200, 0));
    expect(one.reserveLast(small).granted).toBe(true);
    expect(other.reserveLast(small)).toEqual(refused('tokens'));
  });

  it('refuses to settle a call twice', () => {
    const reservation = granted(joined(budgetOf(3 * cost).budget).reserve(small, small));
    reservation.settle(usage(100, 10));
    expect(() => reservation.settle(usage(100, 10))).toThrow('settled twice');
  });
});

describe('the correction of estimates', () => {
  it('rises at once, falls slowly, and never goes below one', () => {
    const member = joined(budgetOf(100_000).budget);
    const inputs = [200, 100, 50, 0, 0].map((input) => {
      const reservation = granted(member.reserve(small, small));
      reservation.settle(usage(input, 0));
      return reservation.input;
    });
    expect(inputs).toEqual([100, 200, 180, 154, 154]);
  });

  it('learns nothing from usage that is an estimate itself', () => {
    const member = joined(budgetOf(100_000).budget);
    granted(member.reserve(small, small)).settle({ ...usage(300, 0), estimated: true });
    expect(granted(member.reserve(small, small)).input).toBe(100);
  });
});

describe('the deadlines', () => {
  it.each([
    ['before the soft one', 59, { enter: true, reserve: true, reserveLast: true }],
    ['after the soft one', 60, { enter: false, reserve: false, reserveLast: true }],
    ['after the hard one', 90, { enter: false, reserve: false, reserveLast: false }],
  ])('%s', (_when, time, expected) => {
    const { budget, at } = budgetOf(10 * cost);
    const member = joined(budget);
    at(time);
    expect({
      enter: budget.enter({ opening: small, lastCall: small, price: null }).granted,
      reserve: member.reserve(small, small).granted,
      reserveLast: member.reserveLast(small).granted,
    }).toEqual(expected);
  });
});

function budgetOf(maxTokens: number): { budget: Budget; at: (time: number) => void } {
  let now = 0;
  const budget = new Budget({ maxCost: null, maxTokens, softDeadline: 60, hardDeadline: 90, now: () => now });
  return {
    budget,
    at: (time) => {
      now = time;
    },
  };
}

function joined(budget: Budget): Membership {
  return granted(budget.enter({ opening: null, lastCall: small, price: null }));
}

function granted<T extends Membership | Reservation>(result: T | Refusal): T {
  if (!result.granted) throw new Error('the budget refused');
  return result;
}

function refused(limit: 'tokens' | 'time') {
  return { granted: false, limit };
}
