import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runAgent } from '../../../src/core/agent/run-agent.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { unansweredCalls } from '../../fakes/protocol.ts';
import { agentWith, budgetOf, opening, quarter, submit } from './agent-with.ts';
import { chaoticModel, deeds } from './chaotic-model.ts';
import { WatchedModel } from './watched-model.ts';

const softDeadline = 300_000;
const hardDeadline = 400_000;

const world = fc.record({
  scripts: fc.array(deeds, { minLength: 1, maxLength: 3 }),
  maxSteps: fc.integer({ min: 0, max: 6 }),
  maxTokens: fc.integer({ min: 2_000, max: 60_000 }),
  maxCost: fc.option(fc.integer({ min: 1, max: 60 }).map((cents) => cents / 100)),
  cancelAt: fc.option(fc.integer({ min: 0, max: hardDeadline })),
});

it('whatever models do, runs end within their limits and leave no call unanswered', async () => {
  const stops = new Set<string>();
  await fc.assert(
    fc.asyncProperty(world, async ({ scripts, maxSteps, maxTokens, maxCost, cancelAt }) => {
      const clock = new FakeClock();
      const budget = budgetOf(clock, {
        maxTokens,
        ...(maxCost === null ? {} : { maxCost }),
        softDeadline,
        hardDeadline,
      });
      const controller = new AbortController();
      if (cancelAt !== null) void clock.wait(cancelAt, new AbortController().signal).then(() => controller.abort());
      const models = scripts.map((script) => new WatchedModel(chaoticModel({ deeds: script, clock }), clock));
      const agents = models.map((model) =>
        agentWith({
          model,
          clock,
          budget,
          price: { input: 5, cached: 0.5, output: 20 },
          limits: { maxSteps, callMilliseconds: 60_000 },
          signal: controller.signal,
          finish: submit(['bad']),
          isUnfinished: (text) => text.startsWith('Let me'),
          estimateTokens: quarter,
        }),
      );
      const runs = await clock.drive(Promise.all(agents.map((agent) => runAgent(agent, opening))));
      const lastAttempt = Math.min(hardDeadline - 1, cancelAt ?? hardDeadline);
      for (const [index, model] of models.entries()) {
        const metrics = runs[index]?.metrics;
        expect([model.attempts, model.iterations]).toEqual([metrics?.modelCalls, metrics?.iterations]);
        expect(model.iterations).toBeLessThanOrEqual(maxSteps);
        expect(model.lastIterationAt).toBeLessThan(softDeadline);
        expect(model.lastAttemptAt).toBeLessThanOrEqual(lastAttempt);
      }
      expect(runs.flatMap((run) => unansweredCalls(run.messages))).toEqual([]);
      const used = runs.reduce((sum, { metrics }) => sum + metrics.usage.input + metrics.usage.output, 0);
      expect(used).toBe(budget.spent);
      expect(budget.spent).toBeLessThanOrEqual(maxTokens);
      const paid = runs.reduce((sum, { metrics }) => sum + (metrics.cost ?? 0), 0);
      expect(paid).toBeCloseTo(budget.spentCost, 8);
      expect(budget.spentCost).toBeLessThanOrEqual((maxCost ?? Number.POSITIVE_INFINITY) + 1e-6);
      expect(clock.now()).toBeLessThanOrEqual(hardDeadline);
      for (const { stop } of runs) stops.add(stop.reason === 'limit' ? stop.limit : stop.reason);
    }),
    { numRuns: 250 },
  );
  // The chaos has to reach every way to end, or the promise above says little.
  expect(stops.size).toBeGreaterThanOrEqual(10);
});
