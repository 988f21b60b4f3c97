import { describe, expect, it } from 'vitest';
import type { Budget, Membership, Refusal, Reservation } from '../../../src/core/agent/budget.ts';
import { costOf } from '../../../src/core/agent/model.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { type ScriptedStep, usage } from '../../fakes/scripted-model.ts';
import { budgetOf, type Given, reads, runOf } from './agent-with.ts';

const clock = new FakeClock();
const small = { input: 100, output: 85 };
const cost = 200;
const tooMany = { granted: false, limit: 'tokens' };
const entry = { opening: small, lastCall: small, price: null };

describe('a budget of tokens', () => {
  it('takes the margin of an estimate into account', () => {
    const budget = budgetOf(clock, { maxTokens: 2 * cost });
    expect(budget.enter(entry).granted).toBe(true);
    expect(budgetOf(clock, { maxTokens: 2 * cost - 1 }).enter(entry)).toEqual(tooMany);
  });

  it('keeps a last call for each running conversation', () => {
    const budget = budgetOf(clock, { maxTokens: 4 * cost });
    const first = joined(budget);
    joined(budget);
    const iteration = granted(first.reserve(small, small));
    expect(budget.enter(entry)).toEqual(tooMany);
    iteration.settle(usage(100, 85));
    expect(first.reserve(small, small).granted).toBe(true);
    expect(first.reserve(small, small)).toEqual(tooMany);
    expect(first.reserveLast(small).granted).toBe(true);
  });

  it('refuses to settle a call twice', () => {
    const reservation = granted(joined(budgetOf(clock, { maxTokens: 3 * cost })).reserve(small, small));
    reservation.settle(usage(100, 10));
    expect(() => reservation.settle(usage(100, 10))).toThrow('settled twice');
  });
});

it('the correction of estimates rises at once, falls slowly, never goes below one, and learns from no estimate', () => {
  const member = joined(budgetOf(clock, {}));
  const estimate = { ...usage(300, 0), estimated: true };
  const inputs = [usage(200, 0), usage(100, 0), usage(50, 0), usage(0, 0), estimate, usage(0, 0)].map((used) => {
    const reservation = granted(member.reserve(small, small));
    reservation.settle(used);
    return reservation.input;
  });
  expect(inputs).toEqual([100, 200, 180, 154, 154, 154]);
});

function joined(budget: Budget): Membership {
  return granted(budget.enter({ opening: null, lastCall: small, price: null }));
}

function granted<T extends Membership | Reservation>(result: T | Refusal): T {
  if (!result.granted) throw new Error('the budget refused');
  return result;
}

const price = { input: 10, cached: 1, output: 100 };
/** 0.115 ¢ of input with its margin and 1 ¢ of output: 1.115 ¢. */
const call100 = { input: 100, output: 100 };
const entering = { opening: call100, lastCall: call100, price };
const tooDear = { granted: false, limit: 'cost' };

it('a price is a million tokens: what the provider had cached costs less, be it reported within the input or beside', () => {
  expect(costOf({ input: 1_000_000, cached: 400_000, output: 10_000 }, price)).toBe(6 + 0.4 + 1);
  expect(costOf({ input: 100_000, cached: 400_000, output: 0 }, price)).toBeCloseTo(0.4, 10);
});

describe('a budget of money', () => {
  it('lets nobody in who could not pay a call and the last one after it', () => {
    expect(budgetOf(clock, { maxCost: 0.022 }).enter(entering)).toEqual(tooDear);
    expect(budgetOf(clock, { maxCost: 0.0224 }).enter(entering).granted).toBe(true);
  });

  it('tells truly what was billed beyond what was reserved, and starts nothing more', () => {
    const budget = budgetOf(clock, { maxCost: 0.03 });
    const member = granted(budget.enter(entering));
    granted(member.reserve(call100, call100)).settle(usage(100, 1_000));
    expect(budget.spentCost).toBeCloseTo(0.101, 10);
    expect([member.reserve(call100, call100), member.reserveLast(call100)]).toEqual([tooDear, tooDear]);
    expect(member.availableCost()).toBe(0);
  });
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

  it.each<[string, Given['within'] & object, string]>([
    ['presses when the tokens run out', { maxTokens: 6_800 }, `about 6,000 tokens, 10 minutes${presses}`],
    ['presses when the time runs out', { softDeadline: 59_000 }, `about 999,000 tokens, under a minute${presses}`],
    ['presses when the money runs out', { maxCost: 0.7 }, `about 999,000 tokens, $0.68, 10 minutes${presses}`],
    ['tells the money that is left, rounded down', { maxCost: 9.999 }, 'about 999,000 tokens, $9.98, 10 minutes]'],
  ])('%s', async (_what, within, expected) => {
    const given = { within, ...('maxCost' in within && { price: { input: 100, cached: 10, output: 100 } }) };
    const [note] = await notes(given, [reads('a.ts', { usage: usage(100, 10) })]);
    expect(note).toBe(`[budget: 4 of 5 iterations left, ${expected}`);
  });

  async function notes(given: Omit<Given, 'model'>, steps: readonly ScriptedStep[]): Promise<(string | null)[]> {
    const { texts } = await runOf([...steps, { text: 'Done.' }], given);
    return texts.map((text) => /\[budget: .*\]$/.exec(text)?.[0] ?? null);
  }
});
