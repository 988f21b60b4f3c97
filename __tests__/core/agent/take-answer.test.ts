import { describe, expect, it } from 'vitest';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, run, toolTexts } from './agent-with.ts';

const read = { toolCalls: [call('read_file', { path: 'a.ts' })] };
const submitted = { toolCalls: [call('submit', { answer: 'x' })] };

describe('an empty answer', () => {
  it('is asked for again', async () => {
    const model = new ScriptedModel({}, { text: ' \n' }, submitted);
    const agent = agentWith({ model });
    expect(await run(agent)).toMatchObject({ submitted: true, metrics: { iterations: 3 } });
    expect(eventsOf(agent, 'answer-empty').map((event) => event.attempt)).toEqual([1, 2]);
    expect(model.requests[2]).toEqual(model.requests[0]);
  });

  it('ends the run at the third in a row', async () => {
    const model = new ScriptedModel({}, read, {}, {}, {});
    const result = await run(agentWith({ model, limits: { maxSteps: 6 } }));
    expect(model.requests).toHaveLength(5);
    expect(result).toMatchObject({ stop: { reason: 'empty-answers' }, text: null });
  });

  it('leads to the last call when the iterations are used up', async () => {
    const result = await run(agentWith({ model: new ScriptedModel({}, {}, submitted), limits: { maxSteps: 2 } }));
    expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: true });
  });
});

describe('an answer that reached the output limit', () => {
  it('is continued once, and its parts are joined', async () => {
    const model = new ScriptedModel({ text: 'One and', end: 'length' }, { text: ' two.' });
    const agent = agentWith({ model });
    expect(await run(agent)).toMatchObject({ stop: { reason: 'answered' }, text: 'One and two.' });
    expect(model.requests[1]?.messages.at(-1)?.text).toMatch(/Continue exactly where it stopped/);
    expect(eventsOf(agent, 'answer-truncated')).toHaveLength(1);
  });

  it('is not continued twice', async () => {
    const cut = { text: 'and so on ', end: 'length' } as const;
    const result = await run(agentWith({ model: new ScriptedModel(cut, cut) }));
    expect(result).toMatchObject({ stop: { reason: 'truncated' }, text: 'and so on and so on ' });
  });

  it('leads to the last call when the iterations are used up', async () => {
    const model = new ScriptedModel({ text: 'One and', end: 'length' }, submitted);
    const result = await run(agentWith({ model, limits: { maxSteps: 1 } }));
    expect(result).toMatchObject({ stop: { reason: 'limit' }, submitted: true, text: 'One and' });
    expect(model.requests[1]?.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'user']);
  });

  it('has its whole calls run, and the cut one named', async () => {
    const half = { name: 'read_file', arguments: '{"path": "b.' };
    const model = new ScriptedModel({ toolCalls: [...read.toolCalls, half], end: 'length' }, submitted);
    const result = await run(agentWith({ model }));
    const [whole, cut] = toolTexts(result.messages);
    expect(whole).toBe('one\ntwo');
    expect(cut).toMatch(/^your call was cut: read_file reached the output limit\. Call it again, shorter\./);
    expect(result.submitted).toBe(true);
  });

  it('may submit again after a submission that was cut', async () => {
    const half = { name: 'submit', arguments: '{"answer": "on' };
    const model = new ScriptedModel(read, { toolCalls: [half], end: 'length' }, submitted);
    const result = await run(agentWith({ model, limits: { maxSteps: 1 } }));
    expect(result.submitted).toBe(true);
    expect(toolTexts(result.messages)[1]).toMatch(/^your call was cut: submit/);
  });
});

it.each([
  ['refusal', { reason: 'refused', by: 'model' }],
  ['content-filter', { reason: 'refused', by: 'content-filter' }],
] as const)('ends at a %s, and keeps no call of it', async (end, stop) => {
  const result = await run(agentWith({ model: new ScriptedModel({ text: 'No.', ...read, end }) }));
  expect(result).toMatchObject({ stop, text: null, submitted: false });
  expect(result.messages).toHaveLength(2);
});

describe('an announcement of work', () => {
  const isUnfinished = (text: string) => text.startsWith('Let me');

  it('is answered once with the request to do it', async () => {
    const model = new ScriptedModel({ text: 'Let me check a.ts…' }, read, submitted);
    expect((await run(agentWith({ model, isUnfinished }))).submitted).toBe(true);
    expect(model.requests[1]?.messages.at(-1)?.text).toMatch(/^That announces work/);
  });

  it('ends the run the second time', async () => {
    const model = new ScriptedModel({ text: 'Let me check a.ts…' }, { text: 'Let me see…' });
    expect((await run(agentWith({ model, isUnfinished }))).stop).toEqual({ reason: 'answered' });
  });

  it('leads to the last call when the iterations are used up', async () => {
    const model = new ScriptedModel({ text: 'Let me check a.ts…' }, submitted);
    const result = await run(agentWith({ model, isUnfinished, limits: { maxSteps: 1 } }));
    expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: true });
  });
});
