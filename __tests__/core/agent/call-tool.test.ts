import { describe, expect, it } from 'vitest';
import { malformedCall, parseTextToolCalls } from '../../../src/core/agent/text-tool-calls.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, type ScriptedCall } from '../../fakes/scripted-model.ts';
import { eventsOf, type Given, readFile, reads, runOf, submits } from './agent-with.ts';

const invalid = 'The arguments of read_file are not valid:';
const noPath = `${invalid} the value must have required property 'path'.`;
const readA = call('read_file', { path: 'a.ts' });

it.each<[what: string, ScriptedCall, expected: string]>([
  [
    'an unknown tool',
    call('read_fiel', { path: 'a.ts' }),
    'There is no tool "read_fiel". Did you mean read_file? The tools are read_file, submit.',
  ],
  ['a tool unlike any', call('browse', {}), 'There is no tool "browse". The tools are read_file, submit.'],
  ['a missing argument', call('read_file', {}), noPath],
  [
    'an unknown argument',
    call('read_file', { path: 'a.ts', line: 3 }),
    `${invalid} the value has an unknown property "line".`,
  ],
  ['a list of arguments', call('read_file', ['a.ts']), `${invalid} the value must be object.`],
  ['no arguments', { name: 'read_file', arguments: '' }, noPath],
  ['a file that is not there', call('read_file', { path: 'c.ts' }), 'read_file failed: There is no file c.ts.'],
  ['a nullable argument that was left out, which is null', call('read_file', { path: 'b.ts' }), 'three'],
])('tells the model about %s', async (_what, toolCall, expected) => {
  expect(await firstAnswer({ toolCall })).toBe(expected);
});

it('tells the model what is wrong with JSON that cannot be read', async () => {
  expect(await firstAnswer({ toolCall: { name: 'read_file', arguments: '{"path": "a.ts"' } })).toMatch(
    /^The arguments of read_file are not valid JSON \(.+\)\. Send one JSON object\.$/,
  );
});

it('tells the model why the policy denied a call, and does not run it', async () => {
  const asked: string[] = [];
  const given = { toolCall: readA, tools: [readFile(async (path) => `${asked.push(path)}`)] };
  const denies = () => ({ allowed: false, reason: '.env may hold secrets.' }) as const;
  const throws = () => {
    throw new Error('no rules were loaded');
  };
  expect([
    await firstAnswer({ ...given, policy: denies }),
    await firstAnswer({ ...given, policy: throws }),
    asked,
  ]).toEqual([
    'read_file was denied: .env may hold secrets.',
    'read_file was denied: the policy could not decide. no rules were loaded.',
    [],
  ]);
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

it.each<[string, () => Promise<string>, string]>([
  [
    'any exception of a tool, with its causes',
    () => Promise.reject(new Error('git died', { cause: new Error('out of memory') })),
    'read_file failed: git died. out of memory.',
  ],
  ['words for an empty result', async () => '', '(the result is empty)'],
])('hands to the model %s', async (_what, read, expected) => {
  expect(await firstAnswer({ toolCall: readA, tools: [readFile(read)] })).toBe(expected);
});

it('cuts a long result at the end of a line and says how to get the rest', async () => {
  const tools = [readFile(async () => 'a line of twenty....\n'.repeat(2_000))];
  const answer = await firstAnswer({ toolCall: readA, tools });
  const cut = '… cut: 29,987 of 42,000 characters shown; ask for a line range';
  expect(answer.split('\n').slice(-2)).toEqual(['a line of twenty....', cut]);
});

it('runs up to eight calls of a turn at once and answers in call order', async () => {
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const toolCalls = numbers.map((number) => call('read_file', { path: `${number}` }));
  const clock = new FakeClock();
  let running = 0;
  let most = 0;
  const read = async (path: string, signal: AbortSignal) => {
    running += 1;
    most = Math.max(most, running);
    await clock.wait(1_000 - Number(path), signal);
    running -= 1;
    return `file ${path}`;
  };
  const { texts, metrics } = await runOf([{ toolCalls }, { text: 'Done.' }], { clock, tools: [readFile(read)] });
  expect([most, texts.map(firstLine)]).toEqual([8, numbers.map((number) => `file ${number}`)]);
  expect(metrics).toMatchObject({ toolCalls: 20, tools: { read_file: { calls: 20 } } });
});

it('counts only the calls that were run', async () => {
  const toolCalls = [readA, call('nothing', {}), call('read_file', {})];
  const { metrics, agent } = await runOf([{ toolCalls }, submits()]);
  expect(metrics).toMatchObject({ toolCalls: 2, tools: { read_file: { calls: 1 }, submit: { calls: 1 } } });
  expect(Object.fromEntries(eventsOf(agent, 'tool-end').map((event) => [event.call.id, event.outcome]))).toEqual({
    call_1: 'ok',
    call_2: 'unknown-tool',
    call_3: 'bad-arguments',
    call_4: 'ok',
  });
});

const firstLine = (text: string) => text.split('\n')[0];

/** What the model is told about this call, without the budget note. */
async function firstAnswer({ toolCall, ...given }: Omit<Given, 'model'> & { toolCall: ScriptedCall }) {
  const { texts } = await runOf([{ toolCalls: [toolCall] }, { text: 'Done.' }], given);
  return texts.join('\n').replace(/\n\n\[budget: .*\]$/, '');
}

/** As the adapter hands on what a model without function calling wrote. */
function written(text: string) {
  const parsed = parseTextToolCalls(text);
  return { text: parsed.text, toolCalls: parsed.calls };
}

describe('a call in text that cannot be read', () => {
  const malformed = written('<tool_call>read a.ts</tool_call>');

  it('is corrected, and the conversation goes on', async () => {
    const { texts, agent, submitted, metrics } = await runOf([malformed, reads('a.ts'), submits()]);
    expect(texts[0]?.split('\n')[0]).toBe(
      'Your call could not be read. Write the name and the arguments as one JSON object, such as <tool_call>{"tool":"submit","args":{}}</tool_call>, and nothing after it.',
    );
    expect(eventsOf(agent, 'tool-end').map(({ outcome }) => outcome)).toEqual(['bad-arguments', 'ok', 'ok']);
    expect([submitted, metrics.toolCalls]).toEqual([true, 2]);
  });

  it('is corrected in the last call too', async () => {
    const { submitted, texts } = await runOf([malformed, submits()], { limits: { maxSteps: 0 } });
    expect(texts[0]).toMatch(/^Your call could not be read\./);
    expect(submitted).toBe(true);
  });

  it.each([
    ['an iteration', 5],
    ['the last call', 0],
  ])('is text the second time, in %s', async (_what, maxSteps) => {
    const review = written('I found this:\n<tool_call>a.ts is empty</tool_call>');
    const { result, messages } = await runOf([malformed, review], { limits: { maxSteps } });
    expect(result).toMatchObject({ stop: { reason: 'answered' }, text: 'I found this:\na.ts is empty' });
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', toolCalls: [] });
  });

  it('does not keep the calls beside it from being run', async () => {
    const mixed = { toolCalls: [{ name: malformedCall, arguments: 'read it' }, readA] };
    const { texts } = await runOf([mixed, mixed, submits()]);
    const beginnings = texts.map((text) => firstLine(text)?.slice(0, 28));
    expect(beginnings).toEqual(['Your call could not be read.', 'one', 'one', 'Thank you.']);
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
