import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/agent/message.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { type Agent, runAgent, runOnce } from '../../../src/core/agent/run-agent.ts';
import { shrinkHistory } from '../../../src/core/agent/session.ts';
import { shareOut } from '../../../src/core/agent/shares.ts';
import { unansweredCalls } from '../../fakes/loopback.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import {
  agentWith,
  budgetOf,
  opening,
  quarter,
  readFile,
  reads,
  runOf,
  submit,
  submits,
  type TestAgent,
} from './agent-with.ts';
import { chaoticModel, deeds, WatchedModel } from './chaotic-model.ts';

const stub = '[result of read_file removed to fit the context; call it again if needed]';
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
  /** Each batch takes a share first, or all draw on the whole. */
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
      const batches = await clock.drive(Promise.all(agents.map(shared ? inShare : runAndVerify)));
      const lastAttempt = Math.min(hardDeadline - 1, cancelAt ?? hardDeadline);
      for (const [index, model] of models.entries()) {
        const metrics = batches[index]?.map((run) => run.metrics) ?? [];
        const counted = (of: 'modelCalls' | 'iterations') => metrics.reduce((sum, one) => sum + one[of], 0);
        expect([model.attempts, model.iterations]).toEqual([counted('modelCalls'), counted('iterations')]);
        expect(model.iterations).toBeLessThanOrEqual(maxSteps);
        expect(model.lastIterationAt).toBeLessThan(softDeadline);
        expect(model.lastAttemptAt).toBeLessThanOrEqual(lastAttempt);
      }
      const runs = batches.flat();
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

/** What a batch does: a run, then a fresh conversation with a dearer model, while the other batches go on. */
async function runAndVerify(agent: Agent) {
  const run = await runAgent(agent, opening);
  const verification = await runOnce({ ...agent, price: verifyPrice }, { opening, phase: 'verification' });
  return [run, verification];
}

describe('a context that overflows', () => {
  const overflow = () => new ModelError('context-overflow', 'Prompt is too long');
  const tools = [readFile(async (path) => path.repeat(400))];

  it('is shrunk once and tried again', async () => {
    const script = [reads('a.ts'), reads('b.ts'), reads('c.ts'), overflow(), submits()];
    const { submitted, texts } = await runOf(script, { tools });
    expect([submitted, ...texts.slice(0, 2)]).toEqual([true, stub, stub]);
    expect(texts[2]).toMatch(/^c\.tsc\.ts/);
  });

  it.each([
    ['the second time', [reads('a.ts'), reads('b.ts'), overflow(), reads('c.ts'), overflow()], 5],
    ['at once when there is nothing to take out', [overflow()], 1],
  ])('ends the run %s', async (_when, script, modelCalls) => {
    const { result } = await runOf(script, { tools });
    expect(result).toMatchObject({ stop: { reason: 'context-overflow' }, metrics: { modelCalls } });
  });
});

const size = (message: Message) => message.text.length;
const total = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + size(message), 0);

const turn = fc.record({
  said: fc.string({ maxLength: 200 }),
  results: fc.array(fc.integer({ min: 1, max: 3_000 }), { maxLength: 4 }),
  nudge: fc.boolean(),
});

/** Opening and turns, as the loop leaves them: ids repeat from turn to turn. */
const history = fc.array(turn, { maxLength: 8 }).map((turns) => [
  ...opening,
  ...turns.flatMap(({ said, results, nudge }): readonly Message[] => {
    const calls = results.map((length, index) => ({
      id: `call_${index}`,
      name: 'read_file',
      text: 'x'.repeat(length),
    }));
    const toolCalls = calls.map(({ id, name }) => ({ id, name, arguments: '{}' }));
    return [
      { role: 'assistant', text: said, toolCalls, raw: null },
      ...calls.map(({ id, name, text }) => ({ role: 'tool' as const, callId: id, name, text })),
      ...(nudge ? [{ role: 'user' as const, text: 'Go on.' }] : []),
    ];
  }),
]);

it('a history loses old results until it is half as large, the oldest first, and nothing else', () => {
  fc.assert(
    fc.property(history, (messages) => {
      const shrunk = shrinkHistory(messages, size);
      const lastTurn = messages.findLastIndex((message) => message.role === 'assistant');
      const removable = messages.map(
        (message, index) => message.role === 'tool' && index < lastTurn && message.text.length > stub.length,
      );
      if (shrunk === null) {
        expect(removable).not.toContain(true);
        return;
      }
      const removed = shrunk.map((message, index) => message !== messages[index]);
      // Only what may go, and nothing is skipped before the last that went.
      const upTo = removed.lastIndexOf(true) + 1;
      expect(removed.slice(0, upTo)).toEqual(removable.slice(0, upTo));
      expect(shrunk.filter((_, index) => removed[index]).every((message) => message.text === stub)).toBe(true);
      expect(unansweredCalls(shrunk)).toEqual([]);
      const half = total(shrunk) <= total(messages) / 2;
      expect(half || !removable.slice(upTo).includes(true)).toBe(true);
      // No more than it takes: with the last one back, it would be too large.
      const last = removed.lastIndexOf(true);
      const back = shrunk.map((message, index) => (index === last ? (messages[index] ?? message) : message));
      expect(total(back)).toBeGreaterThan(total(messages) / 2);
    }),
  );
});
