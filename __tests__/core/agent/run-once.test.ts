import { describe, expect, it } from 'vitest';
import { addMetrics, noMetrics } from '../../../src/core/agent/meter.ts';
import { costOf, ModelError } from '../../../src/core/agent/model.ts';
import { runOnce } from '../../../src/core/agent/run-agent.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { ScriptedModel, type ScriptedStep, usage } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, type Given, opening, readFile, reads, runOf, submit, submits } from './agent-with.ts';

const submitted = submits('x', { usage: usage(100, 10) });

async function once(script: readonly ScriptedStep[], given: Omit<Given, 'model'> = {}) {
  const model = new ScriptedModel(...script);
  const agent = agentWith({ ...given, model });
  const result = await agent.clock.drive(runOnce(agent, { opening, phase: 'verification' }));
  return { result, agent, requests: model.requests };
}

describe('one call in a fresh conversation', () => {
  it('offers the finishing tool alone and counts for its own phase', async () => {
    const { result, agent, requests } = await once([submitted], { price: { input: 1_000, cached: 0, output: 10_000 } });
    const [request] = requests;
    expect(request).toMatchObject({ messages: opening, toolChoice: { tool: 'submit' }, maxOutputTokens: 2_000 });
    expect(request?.tools.map(({ name }) => name)).toEqual(['submit']);
    const phase = { modelCalls: 1, usage: usage(100, 10), cost: 0.2 };
    const metrics = { iterations: 0, modelCalls: 1, phases: { verification: phase } };
    expect(result).toMatchObject({ stop: { reason: 'submitted' }, submitted: true, metrics });
    expect(eventsOf(agent, 'step-end')).toMatchObject([{ phase: 'verification', step: 0, cost: 0.2 }]);
  });

  it('gives back what it did not use', async () => {
    const { agent } = await once([submitted], { within: { maxTokens: 5_000 } });
    const rest = { input: 0, output: 5_000 - 110 };
    expect(agent.budget.enter({ opening: null, lastCall: rest, price: null }).granted).toBe(true);
  });

  const bad = submits('bad');
  const noCredit = { reason: 'model-failed', message: 'no credit left.', hint: '' };

  it.each<[string, ScriptedStep[], object]>([
    ['is made three times when the finishing tool refuses', [bad, bad, bad], { reason: 'limit', limit: 'iterations' }],
    ['ends with text when the model answers with text', [{ text: 'All are right.' }], { reason: 'answered' }],
    ['says why the model failed', [new ModelError('quota', 'no credit left')], noCredit],
  ])('%s', async (_what, script, stop) => {
    const { result } = await once(script, { finish: submit(['bad']) });
    expect(result).toMatchObject({ stop, submitted: false, metrics: { modelCalls: script.length } });
  });

  it.each([
    ['before the soft deadline it is made', 0, { reason: 'submitted' }],
    ['between the deadlines it is made', 650_000, { reason: 'submitted' }],
    ['after the hard deadline it is not', 700_000, { reason: 'limit', limit: 'time' }],
  ])('%s', async (_when, time, stop) => {
    const { result, requests } = await once([submitted], { clock: new FakeClock(time) });
    expect([result.stop, requests.length]).toEqual([stop, stop.reason === 'submitted' ? 1 : 0]);
  });

  it('is given up at the hard deadline', async () => {
    const within = { softDeadline: 10_000, hardDeadline: 30_000 };
    const { result, agent } = await once([() => new Promise(() => undefined)], { within });
    expect([result.stop, agent.clock.now()]).toEqual([{ reason: 'limit', limit: 'time' }, 30_000]);
  });

  it.each([
    ['tokens', { maxTokens: 2_000 }],
    ['cost', { maxCost: 1.9 }],
  ] as const)('does not start when the %s do not suffice, and keeps nothing', async (limit, within) => {
    const price = { input: 0, cached: 0, output: 1_000 };
    const { result, agent } = await once([], { within, price });
    expect(result).toMatchObject({ stop: { reason: 'limit', limit }, messages: opening, metrics: { modelCalls: 0 } });
    const rest = { input: 0, output: 1_900 };
    expect(agent.budget.enter({ opening: null, lastCall: rest, price }).granted).toBe(true);
  });
});

describe('what is counted', () => {
  const price = { input: 1_000, cached: 100, output: 10_000 };
  const last = submits('x', { usage: usage(300, 30) });

  it('is every attempt for its phase with its tokens and its cost, failed ones included', async () => {
    const broke = new ModelError('transient', 'the stream broke', { maybeBilled: true });
    const script = [broke, reads('a.ts', { usage: usage(200, 20) }), last];
    const { metrics } = await runOf(script, { price, limits: { maxSteps: 1 } });
    const { review, final } = metrics.phases;
    expect([review?.modelCalls, final?.modelCalls, metrics.modelCalls]).toEqual([2, 1, 3]);
    expect(review?.usage).toMatchObject({ output: 20, estimated: true });
    expect(final).toEqual({ modelCalls: 1, usage: usage(300, 30), cost: 0.6 });
    expect(metrics.cost).toBeCloseTo(costOf(metrics.usage, price), 10);
    expect(metrics.cost).toBeCloseTo((review?.cost ?? 0) + 0.6, 10);
  });

  it('are tools with their time and with the results that were cut', async () => {
    const clock = new FakeClock();
    const tool = readFile(async (path, signal) => {
      await clock.wait(path === 'a.ts' ? 1_000 : 250, signal);
      return path === 'a.ts' ? 'a line\n'.repeat(10_000) : 'short';
    });
    const { metrics } = await runOf([reads('a.ts'), reads('b.ts'), last], { clock, tools: [tool] });
    expect(metrics.tools).toEqual({
      read_file: { calls: 2, milliseconds: 1_250, cut: 1 },
      submit: { calls: 1, milliseconds: 0, cut: 0 },
    });
  });

  it('is a tool that was given up, too, with the time that it took', async () => {
    const tools = [readFile(() => new Promise(() => undefined))];
    const { metrics } = await runOf([reads('a.ts'), last], { within: { softDeadline: 40_000 }, tools });
    expect(metrics.tools['read_file']).toEqual({ calls: 1, milliseconds: 40_000, cut: 0 });
  });

  it('adds up over runs, where what has no price adds nothing', () => {
    expect(addMetrics({ ...noMetrics, cost: 0.5 }, { ...noMetrics, toolCalls: 1 })).toMatchObject({
      cost: 0.5,
      toolCalls: 1,
    });
  });
});
