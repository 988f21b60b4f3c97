import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budget, type Membership, type Refusal, type Reservation } from '../../../src/core/agent/budget.ts';
import { costOf, noUsage } from '../../../src/core/agent/model.ts';
import { type ScriptedStep, usage } from '../../fakes/scripted-model.ts';
import { type Given, reads, runOf } from './agent-with.ts';

const small = { input: 100, output: 85 };
const cost = 200;
const entry = { opening: small, lastCall: small, price: null };

describe('a budget of tokens', () => {
  it('takes the margin of an estimate into account', () => {
    const { budget } = budgetAt(2 * cost);
    expect(budget.enter(entry).granted).toBe(true);
    expect(budgetAt(2 * cost - 1).budget.enter(entry)).toEqual(refused('tokens'));
  });

  it('keeps a last call for each running conversation', () => {
    const { budget } = budgetAt(4 * cost);
    const first = joined(budget);
    joined(budget);
    const iteration = granted(first.reserve(small, small));
    expect(budget.enter(entry)).toEqual(refused('tokens'));
    iteration.settle(usage(100, 85));
    expect(first.reserve(small, small).granted).toBe(true);
    expect(first.reserve(small, small)).toEqual(refused('tokens'));
    expect(first.reserveLast(small).granted).toBe(true);
  });

  it('starts an iteration only when the last call that may follow it fits', () => {
    const member = joined(budgetAt(3 * cost).budget);
    expect(member.reserve(small, { input: 200, output: 171 })).toEqual(refused('tokens'));
    expect(member.reserve(small, { input: 200, output: 170 }).granted).toBe(true);
  });

  it('gives the tokens back that a call did not use', () => {
    const { budget } = budgetAt(3 * cost);
    const member = joined(budget);
    granted(member.reserve(small, small)).settle(usage(50, 10));
    expect(budget.spent).toBe(60);
    expect(member.available()).toBe(3 * cost - 60);
  });

  it('lets a last call that failed be tried again', () => {
    const { budget } = budgetAt(cost);
    const member = joined(budget);
    granted(member.reserveLast(small)).settle(noUsage);
    expect(budget.enter({ opening: null, lastCall: small, price: null })).toEqual(refused('tokens'));
    expect(member.reserveLast(small).granted).toBe(true);
  });

  it('does not let the last call of one take what is kept for another', () => {
    const { budget } = budgetAt(2 * cost);
    const [one, other] = [joined(budget), joined(budget)];
    expect(one.reserveLast({ input: 100, output: 86 })).toEqual(refused('tokens'));
    expect(one.keep({ input: 100, output: 86 })).toBe(false);
    other.leave();
    expect(one.keep({ input: 100, output: 86 })).toBe(true);
    expect(one.reserveLast({ input: 100, output: 86 }).granted).toBe(true);
  });

  it('serves the first last call when the estimates proved too low for all', () => {
    const { budget } = budgetAt(3 * cost);
    const [one, other] = [joined(budget), joined(budget)];
    granted(one.reserve(small, small)).settle(usage(200, 0));
    expect(one.reserveLast(small).granted).toBe(true);
    expect(other.reserveLast(small)).toEqual(refused('tokens'));
  });

  it('refuses to settle a call twice', () => {
    const reservation = granted(joined(budgetAt(3 * cost).budget).reserve(small, small));
    reservation.settle(usage(100, 10));
    expect(() => reservation.settle(usage(100, 10))).toThrow('settled twice');
  });
});

describe('the correction of estimates', () => {
  it('rises at once, falls slowly, and never goes below one', () => {
    const member = joined(budgetAt(100_000).budget);
    const inputs = [200, 100, 50, 0, 0].map((input) => {
      const reservation = granted(member.reserve(small, small));
      reservation.settle(usage(input, 0));
      return reservation.input;
    });
    expect(inputs).toEqual([100, 200, 180, 154, 154]);
  });

  it('learns nothing from usage that is an estimate itself', () => {
    const member = joined(budgetAt(100_000).budget);
    granted(member.reserve(small, small)).settle({ ...usage(300, 0), estimated: true });
    expect(granted(member.reserve(small, small)).input).toBe(100);
  });
});

describe('the deadlines', () => {
  it.each([
    ['before the soft one all may start', 59, [true, true, true]],
    ['after the soft one only a last call may', 60, [false, false, true]],
    ['after the hard one nothing may', 90, [false, false, false]],
  ])('%s', (_when, time, expected) => {
    const { budget, at } = budgetAt(10 * cost);
    const member = joined(budget);
    at(time);
    const asked = [budget.enter(entry), member.reserve(small, small), member.reserveLast(small)];
    expect(asked.map((one) => one.granted)).toEqual(expected);
  });
});

function budgetAt(maxTokens: number): { budget: Budget; at: (time: number) => void } {
  let now = 0;
  const budget = new Budget({ maxCost: null, maxTokens, softDeadline: 60, hardDeadline: 90, now: () => now });
  const at = (time: number) => {
    now = time;
  };
  return { budget, at };
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

const price = { input: 10, cached: 1, output: 100 };
/** 0.115 ¢ of input with its margin and 1 ¢ of output: 1.115 ¢. */
const call100 = { input: 100, output: 100 };
const entering = { opening: call100, lastCall: call100, price };
const tooDear = { granted: false, limit: 'cost' };

it('a price is a million tokens: what the provider had cached costs less', () => {
  expect(costOf({ input: 1_000_000, cached: 400_000, output: 10_000 }, price)).toBe(6 + 0.4 + 1);
});

describe('a budget of money', () => {
  it('lets nobody in who could not pay a call and the last one after it', () => {
    expect(moneyOf(0.022).enter(entering)).toEqual(tooDear);
    expect(moneyOf(0.0224).enter(entering).granted).toBe(true);
  });

  it('counts what was used, and gives back what was not', () => {
    const budget = moneyOf(1);
    const member = granted(budget.enter({ ...entering, opening: null }));
    granted(member.reserve(call100, call100)).settle({ ...usage(100, 10), cached: 50 });
    expect(budget.spentCost).toBeCloseTo(0.0005 + 0.00005 + 0.001, 10);
    expect(member.availableCost()).toBeCloseTo(1 - budget.spentCost, 10);
  });

  it('holds each conversation to its own price', () => {
    const budget = moneyOf(0.03);
    granted(budget.enter({ ...entering, opening: null }));
    expect(budget.enter(entering)).toEqual(tooDear);
    expect(budget.enter({ ...entering, price: { input: 1, cached: 1, output: 1 } }).granted).toBe(true);
  });

  it('tells truly what was billed beyond what was reserved, and starts nothing more', () => {
    const budget = moneyOf(0.03);
    const member = granted(budget.enter(entering));
    granted(member.reserve(call100, call100)).settle(usage(100, 1_000));
    expect(budget.spentCost).toBeCloseTo(0.101, 10);
    expect([member.reserve(call100, call100), member.reserveLast(call100)]).toEqual([tooDear, tooDear]);
    expect(member.availableCost()).toBe(0);
  });

  it('does not limit what has no price', () => {
    expect(moneyOf(0.001).enter({ ...entering, price: null }).granted).toBe(true);
    expect(granted(moneyOf(null).enter(entering)).availableCost()).toBe(null);
  });
});

function moneyOf(maxCost: number | null): Budget {
  return new Budget({ maxTokens: 1_000_000, maxCost, softDeadline: 1, hardDeadline: 2, now: () => 0 });
}

it('no order of calls, conversations and bills passes a limit, as long as nobody is billed more than was reserved', () => {
  const deed = fc.record({
    member: fc.nat({ max: 3 }),
    last: fc.boolean(),
    input: fc.integer({ min: 1, max: 5_000 }),
    output: fc.integer({ min: 1, max: 2_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    settles: fc.boolean(),
  });
  const limits = fc.record({
    maxTokens: fc.integer({ min: 1, max: 60_000 }),
    cents: fc.integer({ min: 1, max: 400 }),
  });
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

describe('the note that closes the last result of a turn', () => {
  const presses = ': call submit now or with the next call]';

  it('tells what is left, and presses from two iterations left on', async () => {
    const both = { toolCalls: [...reads('a.ts').toolCalls, ...reads('b.ts').toolCalls], usage: usage(100, 10) };
    expect(await notes({ limits: { maxSteps: 4 } }, [both, both, both])).toEqual([
      null,
      '[budget: 3 of 4 iterations left, about 999,000 tokens, 10 minutes]',
      null,
      `[budget: 2 of 4 iterations left, about 999,000 tokens, 10 minutes${presses}`,
      null,
      `[budget: 1 of 4 iterations left, about 999,000 tokens, 10 minutes${presses}`,
    ]);
  });

  it.each<[string, Omit<Given, 'model'>, string]>([
    ['presses when the tokens run out', { within: { maxTokens: 6_800 } }, `about 6,000 tokens, 10 minutes${presses}`],
    [
      'presses when the time runs out',
      { within: { softDeadline: 59_000 } },
      `about 999,000 tokens, under a minute${presses}`,
    ],
    [
      'presses when the money runs out',
      { within: { maxCost: 1.4 }, price: { input: 200, cached: 20, output: 200 } },
      `about 999,000 tokens, $1.37, 10 minutes${presses}`,
    ],
    [
      'tells the money that is left, rounded down',
      { within: { maxCost: 9.999 }, price: { input: 100, cached: 10, output: 100 } },
      'about 999,000 tokens, $9.98, 10 minutes]',
    ],
  ])('%s', async (_what, given, expected) => {
    const [note] = await notes(given, [reads('a.ts', { usage: usage(100, 10) })]);
    expect(note).toBe(`[budget: 4 of 5 iterations left, ${expected}`);
  });

  async function notes(given: Omit<Given, 'model'>, steps: readonly ScriptedStep[]): Promise<(string | null)[]> {
    const { texts } = await runOf([...steps, { text: 'Done.' }], given);
    return texts.map((text) => /\[budget: .*\]$/.exec(text)?.[0] ?? null);
  }
});
