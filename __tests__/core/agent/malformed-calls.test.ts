import { describe, expect, it } from 'vitest';
import { malformedCall, parseTextToolCalls } from '../../../src/core/agent/text-tool-calls.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, run, toolTexts } from './agent-with.ts';

/** As the adapter hands on what a model without function calling wrote. */
function written(text: string) {
  const parsed = parseTextToolCalls(text);
  return { text: parsed.text, toolCalls: parsed.calls };
}

const malformed = written('<tool_call>read a.ts</tool_call>');
const read = { toolCalls: [call('read_file', { path: 'a.ts' })] };
const submitted = { toolCalls: [call('submit', { answer: 'x' })] };

describe('a call in text that cannot be read', () => {
  it('is corrected, and the conversation goes on', async () => {
    const agent = agentWith({ model: new ScriptedModel(malformed, read, submitted) });
    const result = await run(agent);
    expect(toolTexts(result.messages)[0]?.split('\n')[0]).toBe(
      'Your call could not be read. Write the name and the arguments as one JSON object, such as <tool_call>{"tool":"submit","args":{}}</tool_call>, and nothing after it.',
    );
    expect(eventsOf(agent, 'tool-end').map((event) => event.outcome)).toEqual(['bad-arguments', 'ok', 'ok']);
    expect(result).toMatchObject({ submitted: true, metrics: { toolCalls: 2 } });
  });

  it('is corrected in the last call too', async () => {
    const result = await run(agentWith({ model: new ScriptedModel(malformed, submitted), limits: { maxSteps: 0 } }));
    expect(result.submitted).toBe(true);
    expect(toolTexts(result.messages)[0]).toMatch(/^Your call could not be read\./);
  });

  it.each([
    ['an iteration', 5],
    ['the last call', 0],
  ])('is text the second time, in %s', async (_what, maxSteps) => {
    const review = written('I found this:\n<tool_call>a.ts is empty</tool_call>');
    const model = new ScriptedModel(malformed, review);
    const result = await run(agentWith({ model, limits: { maxSteps } }));
    expect(result).toMatchObject({ stop: { reason: 'answered' }, text: 'I found this:\na.ts is empty' });
    expect(result.messages.at(-1)).toMatchObject({ role: 'assistant', toolCalls: [] });
  });

  it('does not keep the calls beside it from being run', async () => {
    const mixed = { toolCalls: [{ name: malformedCall, arguments: 'read it' }, ...read.toolCalls] };
    const result = await run(agentWith({ model: new ScriptedModel(mixed, mixed, submitted) }));
    expect(toolTexts(result.messages).map((text) => text.split('\n')[0]?.slice(0, 28))).toEqual([
      'Your call could not be read.',
      'one',
      'one',
      'Thank you.',
    ]);
    expect(result.submitted).toBe(true);
  });
});

it.each([
  ['a tag that was cut', 'It is one. <tool_cal'],
  ['a closing tag that was cut', 'It is one. </tool_'],
  ['a tag around which another one closes', 'It is one. <tool_</tool_call>call>'],
])('no tag is left in the text by %s', (_what, text) => {
  expect(parseTextToolCalls(text).text).not.toMatch(/<\/?tool_(call|result)|<\/?tool_$/);
  expect(parseTextToolCalls(text).text).toMatch(/^It is one\./);
});
