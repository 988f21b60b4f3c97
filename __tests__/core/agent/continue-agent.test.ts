import { expect, it } from 'vitest';
import { askAgain } from '../../../src/core/agent/continue-agent.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, run, submit } from './agent-with.ts';

const read = { toolCalls: [call('read_file', { path: 'a.ts' })], usage: usage(100, 10) };
const text = { text: 'One and two.', usage: usage(200, 20) };
const question = { text: 'Now submit what you wrote.', phase: 'extraction' } as const;

it('asks on in the same conversation, with the finishing tool alone, and adds up', async () => {
  const extraction = { toolCalls: [call('submit', { answer: 'one, two' })], usage: usage(300, 30) };
  const model = new ScriptedModel(read, text, extraction);
  const agent = agentWith({ model });
  const first = await run(agent);
  const second = await askAgain(agent, first, question);
  expect(second).toMatchObject({ stop: { reason: 'submitted' }, submitted: true, text: 'One and two.' });
  expect(second.metrics).toMatchObject({
    usage: usage(600, 60),
    modelCalls: 3,
    iterations: 2,
    toolCalls: 2,
    tools: { read_file: { calls: 1 }, submit: { calls: 1 } },
    phases: { review: { modelCalls: 2, usage: usage(300, 30) }, extraction: { modelCalls: 1, usage: usage(300, 30) } },
  });
  const request = model.requests[2];
  expect(request?.messages).toEqual([...first.messages, { role: 'user', text: question.text }]);
  expect(request?.tools.map((tool) => tool.name)).toEqual(['submit']);
  expect(agent.budget.spent).toBe(660);
});

it('makes one call, so that the caller decides about another', async () => {
  const bad = { toolCalls: [call('submit', { answer: 'bad' })] };
  const good = { toolCalls: [call('submit', { answer: 'good' })] };
  const agent = agentWith({ model: new ScriptedModel(text, bad, good), finish: submit(['bad']) });
  const second = await askAgain(agent, await run(agent), question);
  expect(second).toMatchObject({ stop: { reason: 'answered' }, submitted: false });
  expect(await askAgain(agent, second, question)).toMatchObject({ stop: { reason: 'submitted' }, submitted: true });
});

it('leaves a limit as the reason of a run that is completed afterwards', async () => {
  const model = new ScriptedModel(read, text, { toolCalls: [call('submit', { answer: 'x' })] });
  const agent = agentWith({ model, limits: { maxSteps: 1 } });
  const second = await askAgain(agent, await run(agent), question);
  expect(second).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: true });
});

it('says why a call failed', async () => {
  const agent = agentWith({ model: new ScriptedModel(text, new ModelError('quota', 'no credit left')) });
  const second = await askAgain(agent, await run(agent), question);
  expect(second.stop).toEqual({ reason: 'model-failed', message: 'no credit left.', hint: '' });
});

it('makes no call that the budget cannot pay', async () => {
  const clock = new FakeClock();
  const model = new ScriptedModel({ ...text, usage: usage(4_000, 1_000) });
  const agent = agentWith({ model, clock, budget: budgetOf(clock, { maxTokens: 7_000 }) });
  const first = await run(agent);
  const second = await askAgain(agent, first, question);
  expect(second).toEqual({ ...first, stop: { reason: 'limit', limit: 'tokens' } });
});
