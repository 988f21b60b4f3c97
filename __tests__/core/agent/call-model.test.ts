import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorKind } from '../../../src/core/agent/model.ts';
import { sentenceFor } from '../../../src/core/agent/stop-reason.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, characters, eventsOf, opening, run } from './agent-with.ts';

const busy = (options: { retryAfter?: number; maybeBilled?: boolean } = {}) =>
  new ModelError('transient', 'the server is busy', options);
const done = { toolCalls: [call('submit', { answer: 'x' })], usage: usage(100, 10) };

describe('a transient error', () => {
  it('is tried again, waiting twice as long each time', async () => {
    const agent = agentWith({ model: new ScriptedModel(busy(), busy(), busy(), busy(), done) });
    const result = await run(agent);
    expect(result).toMatchObject({ submitted: true, metrics: { modelCalls: 5, iterations: 1 } });
    expect(eventsOf(agent, 'call-retry').map((event) => [event.attempt, event.waitMilliseconds])).toEqual([
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
      [4, 8_000],
    ]);
    expect(agent.clock.now()).toBe(15_000);
  });

  it('ends the run at the fifth attempt', async () => {
    const result = await run(agentWith({ model: new ScriptedModel(busy(), busy(), busy(), busy(), busy()) }));
    const message = 'the server is busy. Tried 5 times.';
    expect(result.stop).toEqual({ reason: 'model-failed', message, hint: '' });
    expect(sentenceFor(result.stop)).toBe('The model could not answer. the server is busy. Tried 5 times.');
  });

  it('waits as long as the server asks, however long', async () => {
    const agent = agentWith({ model: new ScriptedModel(busy({ retryAfter: 400_000 }), done) });
    expect((await run(agent)).submitted).toBe(true);
    expect(agent.clock.now()).toBe(400_000);
  });

  it('ends the run at once when the server asks to wait beyond the deadline', async () => {
    const agent = agentWith({ model: new ScriptedModel(busy({ retryAfter: 900_000 })) });
    const result = await run(agent);
    expect(agent.clock.now()).toBe(0);
    expect(result.stop).toMatchObject({
      message: 'the server is busy. Another attempt, in 900 seconds, would be after the deadline.',
    });
  });

  it('waits into the time of the last call, which then follows', async () => {
    const agent = agentWith({ model: new ScriptedModel(busy({ retryAfter: 650_000 }), done) });
    const result = await run(agent);
    expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'time' }, submitted: true });
    expect(agent.clock.now()).toBe(650_000);
  });

  it('costs nothing when the server refused, and the prompt when it may have been read', async () => {
    const free = agentWith({ model: new ScriptedModel(busy(), done) });
    expect((await run(free)).metrics.usage).toEqual(usage(100, 10));
    const billed = agentWith({ model: new ScriptedModel(busy({ maybeBilled: true }), done) });
    const used = (await run(billed)).metrics.usage;
    expect(used).toMatchObject({ output: 10, estimated: true });
    expect(used.input).toBeGreaterThan(100 + opening.reduce((sum, message) => sum + characters(message.text), 0));
    expect(billed.budget.spent).toBe(used.input + used.output);
  });
});

it('gives up an attempt that hangs, counts its prompt, and tries again', async () => {
  const model = new ScriptedModel(() => new Promise(() => undefined), done);
  const agent = agentWith({ model, limits: { callMilliseconds: 20_000 } });
  const result = await run(agent);
  expect(result).toMatchObject({ submitted: true, metrics: { modelCalls: 2, usage: { estimated: true } } });
  expect(eventsOf(agent, 'call-retry')).toMatchObject([{ reason: 'The model gave no answer within 20 seconds.' }]);
});

it('aborts the signal of an attempt that it gives up', async () => {
  const signals: AbortSignal[] = [];
  const hang = (_request: unknown, signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<never>(() => undefined);
  };
  await run(agentWith({ model: new ScriptedModel(hang, done), limits: { callMilliseconds: 20_000 } }));
  expect(signals.map((signal) => signal.aborted)).toEqual([true]);
});

it('stops retrying when the attempts have used up the tokens', async () => {
  const clock = new FakeClock();
  const budget = budgetOf(clock, { maxTokens: 7_000 });
  const broken = busy({ maybeBilled: true });
  const agent = agentWith({ model: new ScriptedModel(...Array(9).fill(broken)), clock, budget });
  expect((await run(agent)).stop).toEqual({
    reason: 'limit',
    limit: 'tokens',
    lastCall: 'The model could not answer. the server is busy. Tried 5 times.',
  });
  expect(budget.spent).toBeLessThanOrEqual(7_000);
});

it.each<ModelErrorKind>(['authentication', 'quota', 'unknown-model', 'refused-request', 'aborted'])(
  'does not try again after an error of the kind %s',
  async (kind) => {
    const error = new ModelError(kind, 'the server said no', { hint: 'Check the key.' });
    const result = await run(agentWith({ model: new ScriptedModel(error) }));
    expect(result.stop).toEqual({ reason: 'model-failed', message: 'the server said no.', hint: 'Check the key.' });
    expect(result.metrics).toMatchObject({ modelCalls: 1, usage: usage(0, 0) });
  },
);

it('estimates what a server did not report, and says so', async () => {
  const result = await run(agentWith({ model: new ScriptedModel({ text: 'One and two.' }) }));
  expect(result.metrics.usage).toMatchObject({ estimated: true, output: 'One and two.\n'.length - 1 });
  expect(result.metrics.usage.input).toBeGreaterThan(100);
});
