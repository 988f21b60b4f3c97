import { expect, it } from 'vitest';
import { ModelError } from '../../../src/core/agent/model.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { unansweredCalls } from '../../fakes/protocol.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, readFile, run, toolTexts } from './agent-with.ts';

it('calls nobody when it was cancelled before', async () => {
  const result = await run(agentWith({ model: new ScriptedModel(), signal: AbortSignal.abort() }));
  expect(result).toMatchObject({ stop: { reason: 'cancelled' }, metrics: { modelCalls: 0 } });
});

it('gives up the call under way, counts its prompt, and makes no last call', async () => {
  const controller = new AbortController();
  const model = new ScriptedModel(() => {
    controller.abort();
    return new Promise(() => undefined);
  });
  const agent = agentWith({ model, signal: controller.signal });
  const result = await run(agent);
  expect(result).toMatchObject({ stop: { reason: 'cancelled' }, metrics: { modelCalls: 1, iterations: 0 } });
  expect(result.metrics.usage).toMatchObject({ estimated: true, output: 0 });
  expect(agent.budget.spent).toBe(result.metrics.usage.input);
  expect(agent.clock.now()).toBe(0);
});

it('is cancelled also when it was in its last call', async () => {
  const controller = new AbortController();
  const model = new ScriptedModel({ toolCalls: [call('read_file', { path: 'a.ts' })] }, () => {
    controller.abort();
    return new Promise(() => undefined);
  });
  const result = await run(agentWith({ model, limits: { maxSteps: 1 }, signal: controller.signal }));
  expect(result).toMatchObject({ stop: { reason: 'cancelled' }, submitted: false });
});

it('answers every call of the turn that it interrupts', async () => {
  const controller = new AbortController();
  const read = async (path: string) => {
    if (path === 'slow.ts') return new Promise<string>(() => undefined);
    controller.abort();
    return 'quick';
  };
  const paths = ['slow.ts', 'quick.ts', ...Array.from({ length: 10 }, (_, index) => `${index}.ts`)];
  const model = new ScriptedModel({ toolCalls: paths.map((path) => call('read_file', { path })) });
  const result = await run(agentWith({ model, tools: [readFile(read)], signal: controller.signal }));
  expect(result.stop).toEqual({ reason: 'cancelled' });
  expect(unansweredCalls(result.messages)).toEqual([]);
  expect(toolTexts(result.messages)[0]).toBe('given up: the run was cancelled.');
  expect(result.metrics.modelCalls).toBe(1);
});

it('stops waiting for another attempt', async () => {
  const controller = new AbortController();
  const model = new ScriptedModel(new ModelError('transient', 'busy', { retryAfter: 50_000 }));
  const agent = agentWith({ model, signal: controller.signal });
  void agent.clock.wait(10_000, new AbortController().signal).then(() => controller.abort());
  const result = await run(agent);
  expect(result.stop).toEqual({ reason: 'cancelled' });
  expect(agent.clock.now()).toBe(10_000);
});

it('gives up the call under way at the soft deadline, and makes the last one', async () => {
  const clock = new FakeClock();
  const hang = () => new Promise<never>(() => undefined);
  const model = new ScriptedModel(hang, { toolCalls: [call('submit', { answer: 'x' })] });
  const budget = budgetOf(clock, { softDeadline: 30_000, hardDeadline: 90_000 });
  const result = await run(agentWith({ model, clock, budget }));
  expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'time' }, submitted: true });
  expect(clock.now()).toBe(30_000);
});

it('gives up everything at the hard deadline', async () => {
  const clock = new FakeClock();
  const hang = () => new Promise<never>(() => undefined);
  const budget = budgetOf(clock, { softDeadline: 30_000, hardDeadline: 60_000 });
  const result = await run(agentWith({ model: new ScriptedModel(hang, hang), clock, budget }));
  expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'time' }, submitted: false });
  expect(clock.now()).toBe(60_000);
});
