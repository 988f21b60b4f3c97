import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/agent/model.ts';
import { askAgain } from '../../../src/core/agent/run-agent.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, run, submit, toolTexts } from './agent-with.ts';

describe('a run', () => {
  it('gives the model what the tool returned, until it submits', async () => {
    const model = new ScriptedModel(
      { text: 'I look first.', toolCalls: [call('read_file', { path: 'a.ts' })], usage: usage(200, 20) },
      { toolCalls: [call('submit', { answer: 'one, two' })], usage: usage(300, 30) },
    );
    const finish = submit();
    const result = await run(agentWith({ model, finish }));
    expect(finish.accepted).toEqual(['one, two']);
    expect(result).toMatchInlineSnapshot(`
      {
        "messages": [
          {
            "role": "system",
            "text": "You answer questions about files.",
          },
          {
            "role": "user",
            "text": "What is in a.ts?",
          },
          {
            "raw": null,
            "role": "assistant",
            "text": "I look first.",
            "toolCalls": [
              {
                "arguments": "{"path":"a.ts"}",
                "id": "call_1",
                "name": "read_file",
              },
            ],
          },
          {
            "callId": "call_1",
            "name": "read_file",
            "role": "tool",
            "text": "one
      two

      [budget: 4 of 5 iterations left, about 999,000 tokens, 10 minutes]",
          },
          {
            "raw": null,
            "role": "assistant",
            "text": "",
            "toolCalls": [
              {
                "arguments": "{"answer":"one, two"}",
                "id": "call_2",
                "name": "submit",
              },
            ],
          },
          {
            "callId": "call_2",
            "name": "submit",
            "role": "tool",
            "text": "Thank you.",
          },
        ],
        "metrics": {
          "cost": null,
          "iterations": 2,
          "modelCalls": 2,
          "phases": {
            "review": {
              "cost": null,
              "modelCalls": 2,
              "usage": {
                "cached": 0,
                "estimated": false,
                "input": 500,
                "output": 50,
                "thinking": 0,
              },
            },
          },
          "toolCalls": 2,
          "tools": {
            "read_file": {
              "calls": 1,
              "cut": 0,
              "milliseconds": 0,
            },
            "submit": {
              "calls": 1,
              "cut": 0,
              "milliseconds": 0,
            },
          },
          "usage": {
            "cached": 0,
            "estimated": false,
            "input": 500,
            "output": 50,
            "thinking": 0,
          },
        },
        "stop": {
          "reason": "submitted",
        },
        "submitted": true,
        "text": null,
      }
    `);
  });

  it('offers the reading tools and the finishing tool, and only adds to the history', async () => {
    const model = new ScriptedModel(
      { toolCalls: [call('read_file', { path: 'a.ts' })] },
      { toolCalls: [call('read_file', { path: 'b.ts' })] },
      { toolCalls: [call('submit', { answer: 'three' })] },
    );
    await run(agentWith({ model }));
    expect(model.requests.map((request) => request.tools.map((tool) => tool.name))).toEqual([
      ['read_file', 'submit'],
      ['read_file', 'submit'],
      ['read_file', 'submit'],
    ]);
    expect(model.requests.map((request) => [request.toolChoice, request.maxOutputTokens])).toEqual([
      ['auto', 1_000],
      ['auto', 1_000],
      ['auto', 1_000],
    ]);
    const [, second, third] = model.requests;
    expect(third?.messages.slice(0, second?.messages.length)).toEqual(second?.messages);
  });

  it('ends with the text when the model answers with text', async () => {
    const result = await run(agentWith({ model: new ScriptedModel({ text: 'One and two.' }) }));
    expect(result).toMatchObject({ stop: { reason: 'answered' }, submitted: false, text: 'One and two.' });
  });

  it('answers every call although the server used one id twice', async () => {
    const twice = [call('read_file', { path: 'a.ts' }), call('read_file', { path: 'b.ts' })];
    const model = new ScriptedModel(
      { toolCalls: twice.map((one) => ({ ...one, id: 'same' })) },
      { toolCalls: [{ ...call('read_file', { path: 'a.ts' }), id: 'same' }] },
      { toolCalls: [{ ...call('submit', { answer: 'done' }), id: 'same' }] },
    );
    const result = await run(agentWith({ model }));
    expect(toolTexts(result.messages).map((text) => text.split('\n')[0])).toEqual([
      'one',
      'three',
      'one',
      'Thank you.',
    ]);
  });

  it('lets an error that is no model error rise: it is a bug', async () => {
    const agent = agentWith({ model: new ScriptedModel(new TypeError('undefined is not a function')) });
    await expect(run(agent)).rejects.toThrow('undefined is not a function');
    expect(agent.budget.spent).toBeGreaterThan(0);
  });
});

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
