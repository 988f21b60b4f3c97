import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Agent, runAgent } from '../../../src/core/agent/run-agent.ts';
import { runOnce } from '../../../src/core/agent/run-once.ts';
import { shareOut } from '../../../src/core/agent/shares.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { unansweredCalls } from '../../fakes/protocol.ts';
import { agentWith, budgetOf, opening, quarter, submit, type TestAgent } from './agent-with.ts';
import { chaoticModel, deeds } from './chaotic-model.ts';
import { WatchedModel } from './watched-model.ts';

const softDeadline = 300_000;
const hardDeadline = 400_000;
const price = { input: 5, cached: 0.5, output: 20 };
const verifyPrice = { input: 40, cached: 4, output: 160 };

const world = fc.record({
  scripts: fc.array(deeds, { minLength: 1, maxLength: 3 }),
  maxSteps: fc.integer({ min: 0, max: 6 }),
  maxTokens: fc.integer({ min: 2_000, max: 60_000 }),
  maxCost: fc.option(fc.integer({ min: 1, max: 60 }).map((cents) => cents / 100)),
  cancelAt: fc.option(fc.integer({ min: 0, max: hardDeadline })),
  /** Each bundle takes a share first, or all draw on the whole. */
  shared: fc.boolean(),
});

const need = { least: { input: 300, output: 3_000 }, usual: { input: 2_000, output: 5_000 } };

it('whatever models do, runs end within their limits and leave no call unanswered', async () => {
  const stops = new Set<string>();
  await fc.assert(
    fc.asyncProperty(world, async ({ scripts, maxSteps, maxTokens, maxCost, cancelAt, shared }) => {
      const clock = new FakeClock();
      const costs = maxCost === null ? {} : { maxCost };
      const budget = budgetOf(clock, { maxTokens, ...costs, softDeadline, hardDeadline });
      const controller = new AbortController();
      if (cancelAt !== null) void clock.wait(cancelAt, new AbortController().signal).then(() => controller.abort());
      const models = scripts.map((script) => new WatchedModel(chaoticModel({ deeds: script, clock }), clock));
      const agents = models.map((model) =>
        agentWith({
          model,
          clock,
          budget,
          price,
          limits: { maxSteps, callMilliseconds: 150_000 },
          signal: controller.signal,
          finish: { ...submit(['bad']), takeCut: async (text) => (text === '{"path"' ? 'Taken.' : null) },
          isUnfinished: (text) => text.startsWith('Let me'),
          estimateTokens: quarter,
        }),
      );
      const shares = shareOut(budget, { needs: scripts.map(() => need), price });
      const inShare = async (agent: TestAgent) => {
        const share = await shares.next();
        return share.granted ? runAndVerify({ ...agent, budget: share }).finally(share.close) : [];
      };
      const bundles = await clock.drive(Promise.all(agents.map(shared ? inShare : runAndVerify)));
      const lastAttempt = Math.min(hardDeadline - 1, cancelAt ?? hardDeadline);
      for (const [index, model] of models.entries()) {
        const metrics = bundles[index]?.map((run) => run.metrics) ?? [];
        const counted = (of: 'modelCalls' | 'iterations') => metrics.reduce((sum, one) => sum + one[of], 0);
        expect([model.attempts, model.iterations]).toEqual([counted('modelCalls'), counted('iterations')]);
        expect(model.iterations).toBeLessThanOrEqual(maxSteps);
        expect(model.lastIterationAt).toBeLessThan(softDeadline);
        expect(model.lastAttemptAt).toBeLessThanOrEqual(lastAttempt);
      }
      const runs = bundles.flat();
      expect(runs.flatMap((run) => unansweredCalls(run.messages))).toEqual([]);
      const used = runs.reduce((sum, { metrics }) => sum + metrics.usage.input + metrics.usage.output, 0);
      expect(used).toBe(budget.spent);
      expect(budget.spent).toBeLessThanOrEqual(maxTokens);
      // Nothing stays set aside: what was not spent can be had.
      const rest = { input: 0, output: maxTokens - budget.spent };
      const inTime = clock.now() < hardDeadline;
      expect(budget.enter({ opening: null, lastCall: rest, price: null }).granted).toBe(inTime);
      const paid = runs.reduce((sum, { metrics }) => sum + (metrics.cost ?? 0), 0);
      expect(paid).toBeCloseTo(budget.spentCost, 8);
      expect(budget.spentCost).toBeLessThanOrEqual((maxCost ?? Number.POSITIVE_INFINITY) + 1e-6);
      expect(clock.now()).toBeLessThanOrEqual(hardDeadline);
      expect(clock.waiting).toBe(cancelAt !== null && !controller.signal.aborted ? 1 : 0);
      for (const { stop } of runs) stops.add(stop.reason === 'limit' ? stop.limit : stop.reason);
    }),
    { numRuns: 250 },
  );
  // The chaos has to reach every way to end, or the promise above says little.
  expect(stops.size).toBeGreaterThanOrEqual(10);
});

/** What a bundle does: a run, then a fresh conversation with a dearer model, while the other bundles go on. */
async function runAndVerify(agent: Agent) {
  const run = await runAgent(agent, opening);
  const verification = await runOnce({ ...agent, price: verifyPrice }, { opening, phase: 'verification' });
  return [run, verification];
}
