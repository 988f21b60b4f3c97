import { describe, expect, it } from 'vitest';
import { addMetrics, noMetrics } from '../../../src/core/agent/meter.ts';
import { costOf, ModelError } from '../../../src/core/agent/model.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, eventsOf, readFile, run } from './agent-with.ts';

it('tells what it does', async () => {
  const model = new ScriptedModel(
    { toolCalls: [call('read_file', { path: 'a.ts' })], usage: usage(200, 20) },
    { toolCalls: [call('submit', { answer: 'one, two' })], usage: usage(300, 30) },
  );
  const agent = agentWith({ model });
  await run(agent);
  expect(agent.events.map((event) => event.type)).toMatchInlineSnapshot(`
    [
      "step-start",
      "step-end",
      "tool-start",
      "tool-end",
      "step-start",
      "step-end",
      "tool-start",
      "tool-end",
      "run-end",
    ]
  `);
  expect(eventsOf(agent, 'step-end')[0]).toMatchInlineSnapshot(`
    {
      "cost": null,
      "end": "tool-calls",
      "milliseconds": 0,
      "phase": "review",
      "step": 1,
      "text": "",
      "toolCalls": 1,
      "type": "step-end",
      "usage": {
        "cached": 0,
        "estimated": false,
        "input": 200,
        "output": 20,
        "thinking": 0,
      },
    }
  `);
  expect(eventsOf(agent, 'tool-end')[0]).toMatchInlineSnapshot(`
    {
      "call": {
        "arguments": "{"path":"a.ts"}",
        "id": "call_1",
        "name": "read_file",
      },
      "characters": 7,
      "cut": false,
      "milliseconds": 0,
      "outcome": "ok",
      "step": 1,
      "text": "one
    two",
      "type": "tool-end",
    }
  `);
  expect(eventsOf(agent, 'run-end')).toMatchInlineSnapshot(`
    [
      {
        "steps": 2,
        "stop": {
          "reason": "submitted",
        },
        "type": "run-end",
        "usage": {
          "cached": 0,
          "estimated": false,
          "input": 500,
          "output": 50,
          "thinking": 0,
        },
      },
    ]
  `);
});

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

describe('reasoning', () => {
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
});
