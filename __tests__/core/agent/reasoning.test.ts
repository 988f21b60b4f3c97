import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, eventsOf, run } from './agent-with.ts';

const eaten = { end: 'length' } as const;
const submitted = { toolCalls: [call('submit', { answer: 'x' })] };
const outputs = (model: ScriptedModel) => model.requests.map((request) => request.maxOutputTokens);

describe('reasoning that eats the whole output', () => {
  it('gets twice the room once', async () => {
    const model = new ScriptedModel(eaten, submitted);
    const agent = agentWith({ model });
    expect((await run(agent)).submitted).toBe(true);
    expect(outputs(model)).toEqual([1_000, 2_000]);
    expect(eventsOf(agent, 'answer-truncated')).toHaveLength(1);
  });

  it('is the reason when it does so again', async () => {
    const result = await run(agentWith({ model: new ScriptedModel(eaten, eaten) }));
    expect(result.stop).toEqual({ reason: 'truncated', by: 'reasoning' });
  });

  it('gets twice the room once in the last call too', async () => {
    const model = new ScriptedModel(eaten, submitted);
    const result = await run(agentWith({ model, limits: { maxSteps: 0 } }));
    expect(result).toMatchObject({ submitted: true, text: null });
    expect(outputs(model)).toEqual([2_000, 4_000]);
    const again = await run(agentWith({ model: new ScriptedModel(eaten, eaten), limits: { maxSteps: 0 } }));
    expect(again.stop).toEqual({ reason: 'truncated', by: 'reasoning' });
  });

  it('is asked again with the same room when more of it cannot be paid', async () => {
    const clock = new FakeClock();
    const model = new ScriptedModel(eaten, eaten, submitted);
    const budget = budgetOf(clock, { maxTokens: 4_000 });
    const result = await run(agentWith({ model, clock, budget, limits: { maxSteps: 0 } }));
    expect(outputs(model)).toEqual([2_000, 2_000, 2_000]);
    expect(result.submitted).toBe(true);
    expect(budget.spent).toBeLessThanOrEqual(4_000);
  });

  it('is known by thoughts that were cut in the text', async () => {
    const model = new ScriptedModel({ text: '<think>Let me see', ...eaten }, submitted);
    const result = await run(agentWith({ model }));
    expect(outputs(model)).toEqual([1_000, 2_000]);
    expect(result).toMatchObject({ submitted: true, text: null });
  });
});

describe('thoughts that a server leaves in the text', () => {
  it.each([
    ['go', '\n<think>Is it one?</think>\nIt is one.', '\nIt is one.'],
    ['stay when they never end: the answer may be in them', '<think>It is one.', '<think>It is one.'],
    [
      'stay in the middle, where they are quoted',
      'The tag <think>x</think> is open.',
      'The tag <think>x</think> is open.',
    ],
  ])('%s', async (_what, text, expected) => {
    const result = await run(agentWith({ model: new ScriptedModel({ text }) }));
    expect(result).toMatchObject({ stop: { reason: 'answered' }, text: expected });
  });

  it('do not hide that nothing was said', async () => {
    const agent = agentWith({ model: new ScriptedModel({ text: '<think>Well…</think>\n' }, submitted) });
    expect((await run(agent)).submitted).toBe(true);
    expect(eventsOf(agent, 'answer-empty')).toHaveLength(1);
  });
});
