import fc from 'fast-check';
import { expect, it } from 'vitest';
import { requestEstimator } from '../../../src/core/agent/estimate.ts';
import type { Model, ModelRequest } from '../../../src/core/agent/model.ts';
import { runAgent } from '../../../src/core/agent/run-agent.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, opening, quarter, readFile } from './agent-with.ts';

const reader = fc.record({
  /** Characters of the files that it reads, again from the first after the last. */
  sizes: fc.array(fc.integer({ min: 0, max: 30_000 }), { minLength: 1, maxLength: 6 }),
  parallel: fc.integer({ min: 1, max: 8 }),
  milliseconds: fc.integer({ min: 0, max: 20_000 }),
  output: fc.integer({ min: 20, max: 4_000 }),
});

type Reader = typeof reader extends fc.Arbitrary<infer T> ? T : never;

it('whatever runs read at once, each that started can pay for its last call', async () => {
  const readers = fc.array(reader, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(readers, fc.integer({ min: 2_000, max: 100_000 }), async (bundles, maxTokens) => {
      const clock = new FakeClock();
      const budget = budgetOf(clock, { maxTokens });
      const agents = bundles.map((bundle) => {
        let reads = 0;
        const read = async () => 'word '.repeat((bundle.sizes[reads++ % bundle.sizes.length] ?? 0) / 5);
        const model = greedyModel(bundle, clock);
        return agentWith({
          model,
          clock,
          budget,
          estimateTokens: quarter,
          tools: [readFile(read)],
          limits: { maxSteps: 20, stepOutputTokens: 4_000, lastOutputTokens: 4_000 },
        });
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

/** Reads other files as long as it may, and uses exactly the tokens that are estimated. */
function greedyModel({ parallel, milliseconds, output }: Reader, clock: FakeClock): Model {
  const estimate = requestEstimator(quarter);
  let calls = 0;
  const step = async (request: ModelRequest, signal: AbortSignal) => {
    await clock.wait(milliseconds, signal);
    const reading = Array.from({ length: parallel }, () => call('read_file', { path: `${calls++}.ts` }));
    const toolCalls = request.toolChoice === 'auto' ? reading : [call('submit', { answer: 'x' })];
    // What it writes is sent again with every later request.
    const text = 'x'.repeat(Math.max(0, 4 * output - JSON.stringify(toolCalls).length));
    return { text, toolCalls, usage: usage(estimate(request), output) };
  };
  return new ScriptedModel(...Array.from({ length: 25 }, () => step));
}
