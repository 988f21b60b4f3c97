import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/agent/model.ts';
import { runOnce } from '../../../src/core/agent/run-once.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, eventsOf, opening, submit, type TestAgent } from './agent-with.ts';

const submitted = { toolCalls: [call('submit', { answer: 'x' })], usage: usage(100, 10) };
const refused = { toolCalls: [call('submit', { answer: 'bad' })], usage: usage(100, 10) };

function once(agent: TestAgent) {
  return agent.clock.drive(runOnce(agent, { opening, phase: 'verification' }));
}

describe('one call in a fresh conversation', () => {
  it('offers the finishing tool alone and counts for its own phase', async () => {
    const model = new ScriptedModel(submitted);
    const agent = agentWith({ model, price: { input: 1_000, cached: 0, output: 10_000 } });
    const result = await once(agent);
    expect(result).toMatchObject({ stop: { reason: 'submitted' }, submitted: true });
    expect(model.requests[0]).toMatchObject({
      messages: opening,
      toolChoice: { tool: 'submit' },
      maxOutputTokens: 2_000,
    });
    expect(model.requests[0]?.tools.map((tool) => tool.name)).toEqual(['submit']);
    expect(result.metrics).toMatchObject({
      iterations: 0,
      modelCalls: 1,
      phases: { verification: { modelCalls: 1, usage: usage(100, 10), cost: 0.2 } },
    });
    expect(eventsOf(agent, 'step-end')).toMatchObject([{ phase: 'verification', step: 0, cost: 0.2 }]);
  });

  it('gives back what it did not use', async () => {
    const clock = new FakeClock();
    const budget = budgetOf(clock, { maxTokens: 5_000 });
    await once(agentWith({ model: new ScriptedModel(submitted), clock, budget }));
    const rest = { input: 0, output: 5_000 - 110 };
    expect(budget.enter({ opening: null, lastCall: rest, price: null }).granted).toBe(true);
  });

  it('is made three times when the finishing tool refuses', async () => {
    const agent = agentWith({ model: new ScriptedModel(refused, refused, refused), finish: submit(['bad']) });
    expect(await once(agent)).toMatchObject({
      stop: { reason: 'limit', limit: 'iterations' },
      submitted: false,
      metrics: { modelCalls: 3 },
    });
  });

  it('ends with text when the model answers with text', async () => {
    const result = await once(agentWith({ model: new ScriptedModel({ text: 'All are right.' }) }));
    expect(result).toMatchObject({ stop: { reason: 'answered' }, submitted: false, text: 'All are right.' });
  });

  it('says why the model failed', async () => {
    const model = new ScriptedModel(new ModelError('quota', 'no credit left'));
    expect((await once(agentWith({ model }))).stop).toEqual({
      reason: 'model-failed',
      message: 'no credit left.',
      hint: '',
    });
  });

  it.each([
    ['before the soft deadline', 0, true],
    ['between the deadlines', 650_000, true],
    ['after the hard deadline', 700_000, false],
  ])('%s', async (_when, time, expected) => {
    const clock = new FakeClock();
    await clock.drive(clock.wait(time, new AbortController().signal));
    const result = await once(agentWith({ model: new ScriptedModel(submitted), clock }));
    expect([result.submitted, result.metrics.modelCalls]).toEqual([expected, expected ? 1 : 0]);
    if (!expected) expect(result.stop).toEqual({ reason: 'limit', limit: 'time' });
  });

  it('is given up at the hard deadline', async () => {
    const clock = new FakeClock();
    const model = new ScriptedModel(() => new Promise(() => undefined));
    const budget = budgetOf(clock, { softDeadline: 10_000, hardDeadline: 30_000 });
    expect((await once(agentWith({ model, clock, budget }))).stop).toEqual({ reason: 'limit', limit: 'time' });
    expect(clock.now()).toBe(30_000);
  });

  it.each([
    ['tokens', { maxTokens: 2_000 }],
    ['cost', { maxCost: 1.9 }],
  ] as const)('does not start when the %s do not suffice, and keeps nothing', async (limit, limits) => {
    const clock = new FakeClock();
    const budget = budgetOf(clock, limits);
    const agent = agentWith({
      model: new ScriptedModel(),
      clock,
      budget,
      price: { input: 0, cached: 0, output: 1_000 },
    });
    const result = await once(agent);
    expect(result).toMatchObject({ stop: { reason: 'limit', limit }, messages: opening, metrics: { modelCalls: 0 } });
    const rest = { input: 0, output: 1_900 };
    expect(budget.enter({ opening: null, lastCall: rest, price: agent.price }).granted).toBe(true);
  });
});
