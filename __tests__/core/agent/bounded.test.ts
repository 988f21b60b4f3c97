import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shrinkHistory } from '../../../src/core/agent/history.ts';
import type { Message } from '../../../src/core/agent/message.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { type Agent, runAgent, runOnce } from '../../../src/core/agent/run-agent.ts';
import { shareOut } from '../../../src/core/agent/shares.ts';
import { unansweredCalls } from '../../fakes/loopback.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import {
  agentWith,
  budgetOf,
  opening,
  quarter,
  readFile,
  run,
  submit,
  type TestAgent,
  toolTexts,
} from './agent-with.ts';
import { chaoticModel, deeds, WatchedModel } from './chaotic-model.ts';

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

const overflow = () => new ModelError('context-overflow', 'Prompt is too long');
const read = (path: string) => ({ toolCalls: [call('read_file', { path })] });
const tools = [readFile(async (path) => path.repeat(400))];

describe('a context that overflows', () => {
  it('is shrunk once and tried again', async () => {
    const submitted = { toolCalls: [call('submit', { answer: 'x' })] };
    const model = new ScriptedModel(read('a.ts'), read('b.ts'), read('c.ts'), overflow(), submitted);
    const result = await run(agentWith({ model, tools }));
    expect(result.submitted).toBe(true);
    const [first, second, third] = toolTexts(result.messages);
    expect([first, second]).toEqual([
      '[result of read_file removed to fit the context; call it again if needed]',
      '[result of read_file removed to fit the context; call it again if needed]',
    ]);
    expect(third).toMatch(/^c\.tsc\.ts/);
  });

  it('ends the run the second time', async () => {
    const model = new ScriptedModel(read('a.ts'), read('b.ts'), overflow(), read('c.ts'), overflow());
    const result = await run(agentWith({ model, tools }));
    expect(result.stop).toEqual({ reason: 'context-overflow' });
  });

  it('ends the run at once when there is nothing to take out', async () => {
    const result = await run(agentWith({ model: new ScriptedModel(overflow()), tools }));
    expect(result).toMatchObject({ stop: { reason: 'context-overflow' }, metrics: { modelCalls: 1 } });
  });
});

describe('a history that is shrunk', () => {
  const turn = (id: string, text: string): readonly Message[] => [
    { role: 'assistant', text: '', toolCalls: [{ id, name: 'read_file', arguments: '{}' }], raw: null },
    { role: 'tool', callId: id, name: 'read_file', text },
  ];
  const length = (message: Message) => message.text.length;

  it('loses its oldest results first, and no more than it takes', () => {
    const long = 'x'.repeat(1_000);
    const messages = [...opening, ...['1', '2', '3', '4', '5', '6'].flatMap((id) => turn(id, long))];
    const shrunk = shrinkHistory(messages, length) ?? [];
    expect(toolTexts(shrunk).map((text) => text === long)).toEqual([false, false, false, false, true, true]);
    expect(shrunk.filter((message) => message.role !== 'tool')).toEqual(
      messages.filter((message) => message.role !== 'tool'),
    );
  });

  it('keeps short results and its last turn', () => {
    const messages = [...opening, ...turn('1', 'short'), ...turn('2', 'x'.repeat(9_000))];
    expect(shrinkHistory(messages, length)).toBeNull();
  });
});

const stub = '[result of read_file removed to fit the context; call it again if needed]';
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
    const ids = results.map((_, index) => `call_${index}`);
    const toolCalls = ids.map((id) => ({ id, name: 'read_file', arguments: '{}' }));
    return [
      { role: 'assistant', text: said, toolCalls, raw: null },
      ...results.map((length, index) => ({
        role: 'tool' as const,
        callId: `call_${index}`,
        name: 'read_file',
        text: 'x'.repeat(length),
      })),
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
