import { describe, expect, it } from 'vitest';
import { malformedCall, parseTextToolCalls } from '../../../src/core/agent/text-tool-calls.ts';
import type { Tool } from '../../../src/core/agent/tool.ts';
import { call, type ScriptedCall, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, type Given, readFile, run, toolTexts } from './agent-with.ts';

it.each<[what: string, ScriptedCall, expected: string]>([
  [
    'an unknown tool',
    call('read_fiel', { path: 'a.ts' }),
    'There is no tool "read_fiel". Did you mean read_file? The tools are read_file, submit.',
  ],
  ['a tool unlike any', call('browse', {}), 'There is no tool "browse". The tools are read_file, submit.'],
  [
    'a missing argument',
    call('read_file', {}),
    "The arguments of read_file are not valid: the value must have required property 'path'.",
  ],
  [
    'an unknown argument',
    call('read_file', { path: 'a.ts', line: 3 }),
    'The arguments of read_file are not valid: the value has an unknown property "line".',
  ],
  [
    'a list of arguments',
    call('read_file', ['a.ts']),
    'The arguments of read_file are not valid: the value must be object.',
  ],
  [
    'no arguments',
    { name: 'read_file', arguments: '' },
    "The arguments of read_file are not valid: the value must have required property 'path'.",
  ],
  ['a file that is not there', call('read_file', { path: 'c.ts' }), 'read_file failed: There is no file c.ts.'],
])('tells the model about %s', async (_what, wrong, expected) => {
  expect(await firstAnswer({ toolCall: wrong })).toBe(expected);
});

it('tells the model what is wrong with JSON that cannot be read', async () => {
  const broken = { name: 'read_file', arguments: '{"path": "a.ts"' };
  expect(await firstAnswer({ toolCall: broken })).toMatch(
    /^The arguments of read_file are not valid JSON \(.+\)\. Send one JSON object\.$/,
  );
});

it('takes a nullable argument that was left out as null', async () => {
  expect(await firstAnswer({ toolCall: call('read_file', { path: 'b.ts' }) })).toBe('three');
});

it('tells the model and the log why the policy denied a call', async () => {
  const toolCall = call('read_file', { path: '.env' });
  const policy = () => ({ allowed: false, reason: '.env may hold secrets.' }) as const;
  expect(await firstAnswer({ toolCall, policy })).toBe('read_file was denied: .env may hold secrets.');
});

it('denies when the policy throws', async () => {
  const policy = () => {
    throw new Error('no rules were loaded');
  };
  const asked: string[] = [];
  const tools = [readFile(async (path) => `${asked.push(path)}`)];
  expect(await firstAnswer({ toolCall: call('read_file', { path: 'a.ts' }), policy, tools })).toBe(
    'read_file was denied: the policy could not decide. no rules were loaded.',
  );
  expect(asked).toEqual([]);
});

it('asks the policy with the arguments as they were parsed', async () => {
  const seen: unknown[] = [];
  const policy = (asked: unknown) => {
    seen.push(asked);
    return { allowed: true } as const;
  };
  await firstAnswer({ toolCall: call('read_file', { path: 'a.ts' }), policy });
  expect(seen).toEqual([{ name: 'read_file', arguments: { path: 'a.ts', side: null } }]);
});

it('hands any exception of a tool back to the model, with its causes', async () => {
  const tools = [
    readFile(async () => {
      throw new Error('git died', { cause: new Error('out of memory') });
    }),
  ];
  expect(await firstAnswer({ toolCall: call('read_file', { path: 'a.ts' }), tools })).toBe(
    'read_file failed: git died. out of memory.',
  );
});

it('cuts a long result at the end of a line and says how to get the rest', async () => {
  const tools = [readFile(async () => 'a line of twenty....\n'.repeat(2_000))];
  const answer = await firstAnswer({ toolCall: call('read_file', { path: 'a.ts' }), tools });
  expect(answer.split('\n').slice(-2)).toEqual([
    'a line of twenty....',
    '… cut: 29,987 of 42,000 characters shown; ask for a line range',
  ]);
});

it('gives words for an empty result', async () => {
  const tools = [readFile(async () => '')];
  expect(await firstAnswer({ toolCall: call('read_file', { path: 'a.ts' }), tools })).toBe('(the result is empty)');
});

it('runs up to eight calls of a turn at once and answers in call order', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const toolCalls = numbers.map((number) => call('read_file', { path: `${number}` }));
  const model = new ScriptedModel({ toolCalls }, { text: 'Done.' });
  let running = 0;
  let most = 0;
  const read = async (path: string, signal: AbortSignal) => {
    running += 1;
    most = Math.max(most, running);
    await agent.clock.wait(1_000 - Number(path), signal);
    running -= 1;
    return `file ${path}`;
  };
  const agent = agentWith({ model, tools: [readFile(read)] });
  const result = await run(agent);
  expect(most).toBe(8);
  expect(toolTexts(result.messages).map((text) => text.split('\n')[0])).toEqual(
    numbers.map((number) => `file ${number}`),
  );
  expect(result.metrics).toMatchObject({ toolCalls: 20, tools: { read_file: { calls: 20 } } });
});

it('counts only the calls that were run', async () => {
  const toolCalls = [call('read_file', { path: 'a.ts' }), call('nothing', {}), call('read_file', {})];
  const model = new ScriptedModel({ toolCalls }, { toolCalls: [call('submit', { answer: 'x' })] });
  const agent = agentWith({ model });
  const result = await run(agent);
  expect(result.metrics).toMatchObject({ toolCalls: 2, tools: { read_file: { calls: 1 }, submit: { calls: 1 } } });
  expect(new Map(eventsOf(agent, 'tool-end').map((event) => [event.call.id, event.outcome]))).toEqual(
    new Map([
      ['call_1', 'ok'],
      ['call_2', 'unknown-tool'],
      ['call_3', 'bad-arguments'],
      ['call_4', 'ok'],
    ]),
  );
});

/** What the model is told about this call, without the budget note. */
async function firstAnswer(given: Omit<Given, 'model'> & { toolCall: ScriptedCall; tools?: readonly Tool[] }) {
  const model = new ScriptedModel({ toolCalls: [given.toolCall] }, { text: 'Done.' });
  const { toolCall: _, ...rest } = given;
  const result = await run(agentWith({ ...rest, model }));
  return toolTexts(result.messages)
    .join('\n')
    .replace(/\n\n\[budget: .*\]$/, '');
}

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
