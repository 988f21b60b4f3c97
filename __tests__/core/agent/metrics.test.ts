import { expect, it } from 'vitest';
import { addMetrics, noMetrics } from '../../../src/core/agent/meter.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { costOf } from '../../../src/core/agent/price.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, readFile, run } from './agent-with.ts';

const price = { input: 1_000, cached: 100, output: 10_000 };
const read = (path: string) => call('read_file', { path });
const submitted = { toolCalls: [call('submit', { answer: 'x' })], usage: usage(300, 30) };

it('every attempt is counted for its phase with its tokens and its cost, failed ones included', async () => {
  const lost = new ModelError('transient', 'the stream broke', { maybeBilled: true });
  const model = new ScriptedModel(lost, { toolCalls: [read('a.ts')], usage: usage(200, 20) }, submitted);
  const agent = agentWith({ model, price, limits: { maxSteps: 1 } });
  const { metrics } = await run(agent);
  const { review, final } = metrics.phases;
  expect([review?.modelCalls, final?.modelCalls, metrics.modelCalls]).toEqual([2, 1, 3]);
  expect(review?.usage).toMatchObject({ output: 20, estimated: true });
  expect(final).toEqual({ modelCalls: 1, usage: usage(300, 30), cost: 0.6 });
  expect(metrics.cost).toBeCloseTo(costOf(metrics.usage, price), 10);
  expect(metrics.cost).toBeCloseTo((review?.cost ?? 0) + 0.6, 10);
});

it('tools are counted with their time and with the results that were cut', async () => {
  const clock = new FakeClock();
  const tool = readFile(async (path, signal) => {
    await clock.wait(path === 'a.ts' ? 1_000 : 250, signal);
    return path === 'a.ts' ? 'a line\n'.repeat(10_000) : 'short';
  });
  const model = new ScriptedModel({ toolCalls: [read('a.ts')] }, { toolCalls: [read('b.ts')] }, submitted);
  const { metrics } = await run(agentWith({ model, clock, tools: [tool] }));
  expect(metrics.tools).toEqual({
    read_file: { calls: 2, milliseconds: 1_250, cut: 1 },
    submit: { calls: 1, milliseconds: 0, cut: 0 },
  });
});

it('a tool that was given up is counted with the time that it took', async () => {
  const clock = new FakeClock();
  const tool = readFile(() => new Promise(() => undefined));
  const budget = budgetOf(clock, { softDeadline: 40_000 });
  const model = new ScriptedModel({ toolCalls: [read('a.ts')] }, submitted);
  const { metrics } = await run(agentWith({ model, clock, budget, tools: [tool] }));
  expect(metrics.tools['read_file']).toEqual({ calls: 1, milliseconds: 40_000, cut: 0 });
});

it('two runs add up, by tool and by phase, and what has no price adds nothing', async () => {
  const tools = { read_file: { calls: 1, milliseconds: 5, cut: 1 } };
  const phase = { modelCalls: 1, usage: usage(10, 1), cost: null };
  const priced = { ...noMetrics, cost: 0.5, toolCalls: 1, tools, phases: { review: { ...phase, cost: 0.5 } } };
  const free = { ...noMetrics, toolCalls: 1, tools, phases: { review: phase, verification: phase } };
  expect(addMetrics(priced, free)).toMatchObject({
    cost: 0.5,
    toolCalls: 2,
    tools: { read_file: { calls: 2, milliseconds: 10, cut: 2 } },
    phases: { review: { modelCalls: 2, usage: usage(20, 2), cost: 0.5 }, verification: phase },
  });
  expect(addMetrics(noMetrics, free).cost).toBe(null);
});

it('a server that reports what it had cached beside the input is not paid for that', () => {
  expect(costOf({ input: 100, cached: 400, output: 0 }, price)).toBeCloseTo(0.04, 10);
});
