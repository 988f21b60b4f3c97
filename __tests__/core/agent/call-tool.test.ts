import { describe, expect, it } from 'vitest';
import { malformedCall } from '../../../src/core/agent/text-tool-calls.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, type ScriptedCall } from '../../fakes/scripted-model.ts';
import { eventsOf, type Given, readFile, reads, runOf, submits } from './agent-with.ts';

const tools = 'The tools are read_file, submit.';
const invalid = 'The arguments of read_file are not valid:';
const noPath = `${invalid} the value must have required property 'path'.`;
const readA = call('read_file', { path: 'a.ts' });

const broken = new Error('git died', { cause: new Error('out of memory') });
const notJson = 'The arguments of read_file are not valid JSON (';

it.each<[what: string, ScriptedCall, expected: string, read?: () => Promise<string>]>([
  ['an unknown tool', call('read_fiel', {}), `There is no tool "read_fiel". Did you mean read_file? ${tools}`],
  ['a tool unlike any', call('browse', {}), `There is no tool "browse". ${tools}`],
  ['a missing argument', call('read_file', {}), noPath],
  [
    'an unknown argument',
    call('read_file', { path: '', line: 3 }),
    `${invalid} the value has an unknown property "line".`,
  ],
  ['a list of arguments', call('read_file', ['a.ts']), `${invalid} the value must be object.`],
  ['no arguments', { name: 'read_file', arguments: '' }, noPath],
  ['JSON that cannot be read', { name: 'read_file', arguments: '{"path": "a' }, notJson],
  ['a file that is not there', call('read_file', { path: 'c.ts' }), 'read_file failed: There is no file c.ts.'],
  ['a nullable argument that was left out, which is null', call('read_file', { path: 'b.ts' }), 'three'],
  [
    'any exception of a tool, with its causes',
    readA,
    'read_file failed: git died. out of memory.',
    () => Promise.reject(broken),
  ],
  ['an empty result in words', readA, '(the result is empty)', async () => ''],
])('tells the model about %s', async (_what, toolCall, expected, read) => {
  expect((await firstAnswer({ toolCall, tools: [readFile(read)] })).slice(0, expected.length)).toBe(expected);
});

it('tells the model why the policy denied a call, asked with the arguments as they were parsed, and does not run it', async () => {
  const asked: unknown[] = [];
  const given = { toolCall: readA, tools: [readFile(async (path) => `${asked.push(path)}`)] };
  const denies = (requested: unknown) => {
    asked.push(requested);
    return { allowed: false, reason: '.env may hold secrets.' } as const;
  };
  const throws = () => {
    throw new Error('no rules were loaded');
  };
  expect(await firstAnswer({ ...given, policy: denies })).toBe('read_file was denied: .env may hold secrets.');
  expect(await firstAnswer({ ...given, policy: throws })).toBe(
    'read_file was denied: the policy could not decide. no rules were loaded.',
  );
  expect(asked).toEqual([{ name: 'read_file', arguments: { path: 'a.ts', side: null } }]);
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
  const outcomes = eventsOf(agent, 'tool-end').map((event) => `${event.call.id} ${event.outcome}`);
  expect(outcomes.sort()).toEqual(['call_1 ok', 'call_2 unknown-tool', 'call_3 bad-arguments', 'call_4 ok']);
});

const firstLine = (text: string) => text.split('\n')[0];

/** What the model is told about this call, without the budget note. */
async function firstAnswer({ toolCall, ...given }: Omit<Given, 'model'> & { toolCall: ScriptedCall }) {
  const { texts } = await runOf([{ toolCalls: [toolCall] }, { text: 'Done.' }], given);
  return texts.join('\n').replace(/\n\n\[budget: .*\]$/, '');
}

describe('a call in text that cannot be read', () => {
  // As the adapter hands on what a model without function calling wrote.
  const written = (content: string, text = '') => ({ text, toolCalls: [{ name: malformedCall, arguments: content }] });
  const malformed = written('read a.ts');

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
    expect([submitted, texts[0]?.slice(0, 28)]).toEqual([true, 'Your call could not be read.']);
  });

  it.each([
    ['an iteration', 5],
    ['the last call', 0],
  ])('is text the second time, in %s', async (_what, maxSteps) => {
    const review = written('a.ts is empty', 'I found this:');
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
