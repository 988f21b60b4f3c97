import fc from 'fast-check';
import pLimit from 'p-limit';
import { describe, expect, it } from 'vitest';
import type { Refusal, Share } from '../../../src/core/agent/budget.ts';
import { requestEstimator } from '../../../src/core/agent/estimate.ts';
import type { ModelRequest } from '../../../src/core/agent/model.ts';
import { runAgent } from '../../../src/core/agent/run-agent.ts';
import { type Need, shareOut } from '../../../src/core/agent/shares.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, opening, quarter, readFile } from './agent-with.ts';

const noTokens = { input: 0, output: 0 };
const price = { input: 10, cached: 1, output: 10 };

/** Output alone, which is estimated without a margin. */
function need(least: number, usual = least): Need {
  return { least: { input: 0, output: least }, usual: { input: 0, output: usual } };
}

function granted(share: Share | Refusal): Share {
  if (!share.granted) throw new Error(`refused: ${share.limit}`);
  return share;
}

/** A conversation of a share that sets so much aside, or as much as it can have, and spends all of it or so much. */
function spend(share: Share, tokens = Number.POSITIVE_INFINITY, spent = tokens): number {
  const member = share.enter({ opening: null, lastCall: noTokens, price: null });
  if (!member.granted) throw new Error('the share refused its own conversation');
  const taken = Math.min(tokens, member.available());
  const reservation = member.reserve({ input: 0, output: taken }, noTokens);
  if (!reservation.granted) throw new Error(`refused: ${reservation.limit}`);
  reservation.settle(usage(0, Math.min(spent, taken)));
  member.leave();
  return taken;
}

/** The shares of a budget of so many tokens, where nobody pays. */
function sharesOf(maxTokens: number, ...needs: readonly Need[]) {
  return shareOut(budgetOf(new FakeClock(), { maxTokens }), { needs, price: null });
}

describe('the shares of a budget', () => {
  const both = { sure: 2, likely: 2, limit: null };

  it.each([
    ['what all usually take', 70, [need(10, 30), need(10, 40)], both, [30, 40]],
    ['the same part beyond the least', 100, [need(20, 60), need(20, 100)], both, [40, 60]],
    ['the least of the first', 100, [need(60), need(40), need(30)], { ...both, limit: 'tokens' }, [60, 40]],
  ] as const)('are %s', async (_name, maxTokens, needs, plan, taken) => {
    const shares = sharesOf(maxTokens, ...needs);
    expect(shares).toMatchObject(plan);
    const open: Share[] = [];
    for (const _ of taken) open.push(granted(await shares.next()));
    // Each takes as much as it can get while the others hold theirs.
    expect(open.map((share) => spend(share))).toEqual(taken);
  });

  it('keep what a call set aside and did not use', async () => {
    const shares = sharesOf(100, need(60), need(40));
    const [one, other] = [granted(await shares.next()), granted(await shares.next())];
    spend(one, 60, 10);
    expect([spend(other), spend(one)]).toEqual([40, 50]);
  });

  it('are divided by money where that is scarcer', () => {
    const budget = budgetOf(new FakeClock(), { maxTokens: 1_000, maxCost: 0.0005 });
    expect(shareOut(budget, { needs: [need(30), need(30)], price })).toMatchObject({ sure: 1, limit: 'cost' });
  });

  it('of those that are not sure come from what the others leave, in their order', async () => {
    const shares = sharesOf(100, need(60), need(60), need(30));
    const first = granted(await shares.next());
    const started: number[] = [];
    const later = [2, 3].map(async (number) => {
      const share = granted(await shares.next());
      started.push(number);
      return share;
    });
    const member = first.enter({ opening: null, lastCall: noTokens, price: null });
    // Forty are free, and kept for the second: the first cannot take them, nor may the third overtake.
    expect(member.granted && member.available()).toBe(60);
    expect(started).toEqual([]);
    if (member.granted) member.leave();
    spend(first, 20);
    first.close();
    const second = await later[0];
    expect(started).toEqual([2]);
    second?.close();
    await later[1];
    expect(started).toEqual([2, 3]);
  });

  it('are refused at once when nobody is left who could leave enough', async () => {
    const shares = sharesOf(100, need(60), need(60), need(40));
    const first = granted(await shares.next());
    spend(first);
    first.close();
    expect(await shares.next()).toEqual({ granted: false, limit: 'tokens' });
    // A smaller one behind it still fits.
    expect(await shares.next()).toMatchObject({ granted: true });
  });

  it('let the first try with the whole budget where even that is less than it needs', async () => {
    const shares = sharesOf(100, need(150));
    expect(spend(granted(await shares.next()))).toBe(100);
  });
});

const tokens = fc.integer({ min: 1, max: 400 });
const tasks = fc.array(
  fc.record({ least: tokens, beyond: fc.integer({ min: 0, max: 800 }), bites: fc.array(tokens, { maxLength: 8 }) }),
  { minLength: 1, maxLength: 12 },
);

it('whatever tasks take, each starts with its least, those that are sure do start, and the limit holds', async () => {
  let waited = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({ tasks, maxTokens: fc.integer({ min: 50, max: 3_000 }), concurrency: fc.integer({ min: 1, max: 5 }) }),
      async ({ tasks: all, maxTokens, concurrency }) => {
        const budget = budgetOf(new FakeClock(), { maxTokens });
        const needs = all.map(({ least, beyond }) => need(least, least + beyond));
        const shares = shareOut(budget, { needs, price: null });
        const limit = pLimit(concurrency);
        const work = async ({ least, bites }: (typeof all)[number], index: number): Promise<boolean> => {
          const share = await shares.next();
          if (!share.granted) return false;
          if (index >= shares.sure) waited += 1;
          const member = share.enter({ opening: null, lastCall: noTokens, price: null });
          if (!member.granted) throw new Error('the share refused its own conversation');
          for (const [at, bite] of [least, ...bites].entries()) {
            const reservation = member.reserve({ input: 0, output: bite }, noTokens);
            // The first bite is its least: nobody else may have taken it.
            if (!reservation.granted && at === 0) expect(least).toBeGreaterThan(maxTokens);
            await Promise.resolve();
            if (reservation.granted) reservation.settle(usage(0, bite));
            await Promise.resolve();
          }
          member.leave();
          share.close();
          return true;
        };
        const started = await Promise.all(all.map((task, index) => limit(work, task, index)));
        expect(started.slice(0, shares.sure)).toEqual(Array.from({ length: shares.sure }, () => true));
        expect(budget.spent).toBeLessThanOrEqual(maxTokens);
        expect(budget.hasShares).toBe(false);
      },
    ),
    { numRuns: 300 },
  );
  expect(waited).toBeGreaterThan(50);
});

const reader = fc.record({
  /** Characters of the files that it reads, again from the first after the last. */
  sizes: fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 6 }),
  parallel: fc.integer({ min: 1, max: 8 }),
  milliseconds: fc.integer({ min: 0, max: 20_000 }),
  output: fc.integer({ min: 20, max: 4_000 }),
});

it('whatever runs read at once, each that started can pay for its last call', async () => {
  const readers = fc.array(reader, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(readers, fc.integer({ min: 2_000, max: 100_000 }), async (batches, maxTokens) => {
      const clock = new FakeClock();
      const budget = budgetOf(clock, { maxTokens });
      const agents = batches.map(({ sizes, parallel, milliseconds, output }) => {
        const estimate = requestEstimator(quarter);
        let calls = 0;
        let reads = 0;
        const read = async () => 'word '.repeat((sizes[reads++ % sizes.length] ?? 0) / 5);
        // Reads other files as long as it may, and uses exactly the tokens that are estimated.
        const step = async (request: ModelRequest, signal: AbortSignal) => {
          await clock.wait(milliseconds, signal);
          const reading = Array.from({ length: parallel }, () => call('read_file', { path: `${calls++}.ts` }));
          const toolCalls = request.toolChoice === 'auto' ? reading : [call('submit', { answer: 'x' })];
          // What it writes is sent again with every later request.
          const text = 'x'.repeat(Math.max(0, 4 * output - JSON.stringify(toolCalls).length));
          return { text, toolCalls, usage: usage(estimate(request), output) };
        };
        const model = new ScriptedModel(...new Array<typeof step>(25).fill(step));
        const limits = { maxSteps: 20, stepOutputTokens: 4_000, lastOutputTokens: 4_000 };
        return agentWith({ model, clock, budget, estimateTokens: quarter, tools: [readFile(read)], limits });
      });
      const runs = await clock.drive(Promise.all(agents.map((agent) => runAgent(agent, opening))));
      expect(runs.map((run) => run.submitted)).toEqual(runs.map((run) => run.metrics.modelCalls > 0));
      expect(budget.spent).toBeLessThanOrEqual(maxTokens);
      // Nothing stays set aside: what was not spent can be had.
      const rest = { input: 0, output: maxTokens - budget.spent };
      expect(budget.enter({ opening: null, lastCall: rest, price: null }).granted).toBe(true);
    }),
    { numRuns: 60 },
  );
});
