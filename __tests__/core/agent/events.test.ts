import { expect, it } from 'vitest';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, run } from './agent-with.ts';

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
