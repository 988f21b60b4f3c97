import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/agent/agent.ts';
import { noMetrics } from '../../../src/core/agent/meter.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, type ScriptedStep, usage } from '../../fakes/scripted-model.ts';
import {
  agentWith,
  eventsOf,
  type Given,
  opening,
  readFile,
  reads,
  run,
  runOf,
  submit,
  submits,
} from './agent-with.ts';

const atTheCap = { limits: { maxSteps: 1 } };

describe('a run', () => {
  it('gives the model what the tool returned, until it submits', async () => {
    const first = reads('a.ts', { text: 'I look first.', usage: usage(200, 20) });
    const finish = submit();
    const last = submits('one, two', { usage: usage(300, 30) });
    const { result, requests } = await runOf([first, last], { finish });
    const readCall = { id: 'call_1', ...call('read_file', { path: 'a.ts' }) };
    const submitCall = { id: 'call_2', ...call('submit', { answer: 'one, two' }) };
    const text = 'one\ntwo\n\n[budget: 4 of 5 iterations left, about 999,000 tokens, 10 minutes]';
    const phase = { modelCalls: 2, usage: usage(500, 50), cost: null };
    const once = { calls: 1, milliseconds: 0, cut: 0 };
    expect(result).toEqual({
      messages: [
        ...opening,
        { role: 'assistant', text: 'I look first.', toolCalls: [readCall], raw: null },
        { role: 'tool', callId: 'call_1', name: 'read_file', text },
        { role: 'assistant', text: '', toolCalls: [submitCall], raw: null },
        { role: 'tool', callId: 'call_2', name: 'submit', text: 'Thank you.' },
      ],
      metrics: {
        ...noMetrics,
        ...phase,
        iterations: 2,
        toolCalls: 2,
        tools: { read_file: once, submit: once },
        phases: { review: phase },
      },
      stop: { reason: 'submitted' },
      submitted: true,
      text: null,
    });
    expect(finish.accepted).toEqual(['one, two']);
    const asked = requests.map(({ tools, ...sent }) => [
      tools.map(({ name }) => name),
      sent.toolChoice,
      sent.maxOutputTokens,
    ]);
    const iteration = [['read_file', 'submit'], 'auto', 1_000];
    expect(asked).toEqual([iteration, iteration]);
  });

  it('lets an error that is no model error rise: it is a bug', async () => {
    const agent = agentWith({ model: new ScriptedModel(new TypeError('undefined is not a function')) });
    await expect(run(agent)).rejects.toThrow('undefined is not a function');
    expect(agent.budget.spent).toBeGreaterThan(0);
  });
});

function upTo(calls: number): Policy {
  let left = calls;
  return () => {
    left -= 1;
    return left >= 0 ? { allowed: true } : { allowed: false, because: 'calls', reason: 'all calls are used up' };
  };
}

/** A tool that takes the time until the soft deadline for `b.ts`. */
function timeUsedUp(): Omit<Given, 'model'> {
  const clock = new FakeClock();
  const read = async (path: string, signal: AbortSignal) => {
    if (path === 'b.ts') await clock.wait(600_000, signal);
    return 'one';
  };
  return { clock, tools: [readFile(read)] };
}

it.each<readonly [string, () => Omit<Given, 'model'>]>([
  ['iterations', () => ({ limits: { maxSteps: 2 } })],
  ['tokens', () => ({ within: { maxTokens: 8_000 } })],
  ['cost', () => ({ price: { input: 0, cached: 0, output: 1_000 }, within: { maxCost: 4.5 } })],
  ['time', timeUsedUp],
  ['tool-calls', () => ({ policy: upTo(1) })],
])('when %s run out, one last call offers only the finishing tool, and delivers', async (limit, given) => {
  const spend = { usage: usage(300, 1_000) };
  const ran = await runOf([reads('a.ts', spend), reads('b.ts', spend), submits('what I have')], given());
  expect(ran).toMatchObject({ stop: { reason: 'limit', limit }, submitted: true });
  expect(ran.metrics).toMatchObject({ iterations: 2, modelCalls: 3 });
  const last = ran.requests.at(-1);
  expect(last?.tools.map(({ name }) => name)).toEqual(['submit']);
  expect([last?.toolChoice, last?.maxOutputTokens]).toEqual([{ tool: 'submit' }, 2_000]);
  expect(last?.messages.at(-1)?.text).toMatch(/used up\. You must answer now: call submit with what you have\./);
  expect(eventsOf(ran.agent, 'limit-reach')).toEqual([{ type: 'limit-reach', stop: { reason: 'limit', limit } }]);
});

describe('the last call', () => {
  it.each([
    ['may be repeated twice when the finishing tool refuses', [submits('bad'), submits('bad'), submits()], true, null],
    ['is not repeated more than twice', [submits('bad'), submits('bad'), submits('bad')], false, null],
    ['keeps the text when the server did not force the tool', [{ text: 'One.' }], false, 'One.'],
  ])('%s', async (_what, last, submitted, text) => {
    const { result } = await runOf([reads('a.ts'), ...last], { ...atTheCap, finish: submit(['bad']) });
    expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted, text });
  });

  it('does not run reading tools, and takes a submission beside them', async () => {
    const mixed = { toolCalls: [...reads('b.ts').toolCalls, ...submits().toolCalls] };
    const { submitted, texts } = await runOf([reads('a.ts'), mixed], atTheCap);
    expect([submitted, texts.slice(1)]).toEqual([true, ['not run: only submit is offered now.', 'Thank you.']]);
  });
});

it.each([['repeated calls', 'a.ts']])(
  '%s are warned at three and stopped at six of the last twelve, whatever the order of the arguments',
  async (_what, path) => {
    const orders = [`{"path":"${path}","side":null}`, `{ "side": null, "path": "${path}" }`];
    const repeated = [...orders, ...orders, ...orders].map((text) => ({
      toolCalls: [{ name: 'read_file', arguments: text }],
    }));
    const { stop, submitted, texts, metrics } = await runOf([...repeated, submits()], { limits: { maxSteps: 10 } });
    expect([stop, submitted]).toEqual([{ reason: 'repeated-calls' }, true]);
    const told = texts.map((text) => /the same call for the \w+ time/.exec(text)?.[0]);
    const again = ['3rd', '4th', '5th', '6th'].map((time) => `the same call for the ${time} time`);
    expect(told).toEqual([undefined, undefined, ...again, undefined]);
    expect(metrics.tools).toMatchObject({ read_file: { calls: 5 }, submit: { calls: 1 } });
  },
);

it('leaves out a result that would make the last call unpayable', async () => {
  const given = { tools: [readFile(async () => 'x'.repeat(9_000))], within: { maxTokens: 9_000 } };
  const { texts, submitted, agent } = await runOf([reads('a.ts'), submits()], given);
  expect(texts[0]).toMatch(/^not shown: its 9000 characters do not fit the token budget\./);
  expect([submitted, agent.budget.spent <= 9_000]).toEqual([true, true]);
});

const outputs = ({ requests }: Awaited<ReturnType<typeof runOf>>) =>
  requests.map(({ maxOutputTokens }) => maxOutputTokens);
const isUnfinished = (text: string) => text.startsWith('Let me');
const partly = { text: 'One and', end: 'length' } as const;
const eaten = { end: 'length' } as const;
const answered = { reason: 'answered' };
const quoted = 'The tag <think>x</think> is open.';
const endless = '<think>It is one.';

const no = { text: 'No.', toolCalls: reads('a.ts').toolCalls };
const refused = (by: string) => ({ stop: { reason: 'refused', by }, submitted: false, text: null, messages: opening });

it.each<[string, ScriptedStep[], object]>([
  ['a text', [{ text: 'One and two.' }], { stop: answered, submitted: false, text: 'One and two.' }],
  ['the rest of a text that was cut', [partly, { text: ' two.' }], { stop: answered, text: 'One and two.' }],
  ['a refusal, of which no call is kept', [{ ...no, end: 'refusal' }], refused('model')],
  ['what is said behind thoughts', [{ text: '\n<think>Is it?</think>\nIt is.' }], { stop: answered, text: '\nIt is.' }],
  ['thoughts without an end, as the answer may be in them', [{ text: endless }], { stop: answered, text: endless }],
  ['thoughts that are quoted in the middle', [{ text: quoted }], { stop: answered, text: quoted }],
])('a run ends with %s', async (_what, script, expected) => {
  const { result } = await runOf(script, { isUnfinished, limits: { maxSteps: 6 } });
  expect(result).toMatchObject({ ...expected, metrics: { modelCalls: script.length } });
});

it.each<[string, ScriptedStep]>([
  ['an empty answer', {}],
  ['white space', { text: ' \n' }],
  ['thoughts alone', { text: '<think>Well…</think>\n' }],
])('%s is asked for again with the same request', async (_what, nothing) => {
  const { agent, requests, submitted, metrics } = await runOf([nothing, nothing, submits()]);
  expect([submitted, metrics.iterations, requests[2]]).toEqual([true, 3, requests[0]]);
  expect(eventsOf(agent, 'answer-empty').map(({ attempt }) => attempt)).toEqual([1, 2]);
});

describe('an answer that reached the output limit', () => {
  it('has its whole calls run, and the cut one named', async () => {
    const half = { name: 'read_file', arguments: '{"path": "b.' };
    const { texts } = await runOf([{ toolCalls: [...reads('a.ts').toolCalls, half], end: 'length' }, submits()]);
    const cut = /^your call was cut: read_file reached the output limit\. Call it again, shorter\./;
    expect(texts).toEqual(['one\ntwo', expect.stringMatching(cut), 'Thank you.']);
  });
});

describe('reasoning that eats the whole output', () => {
  it.each([
    ['an iteration', 5, [1_000, 2_000]],
    ['the last call', 0, [2_000, 4_000]],
  ])('gets twice the room once in %s, and is the reason when it does so again', async (_where, maxSteps, expected) => {
    const ran = await runOf([eaten, submits()], { limits: { maxSteps } });
    expect([ran.submitted, ran.text, outputs(ran)]).toEqual([true, null, expected]);
    expect(eventsOf(ran.agent, 'answer-truncated')).toHaveLength(1);
    const { stop } = await runOf([eaten, eaten], { limits: { maxSteps } });
    expect(stop).toEqual({ reason: 'truncated', by: 'reasoning' });
  });

  it('is asked again with the same room when more of it cannot be paid', async () => {
    const given = { within: { maxTokens: 4_000 }, limits: { maxSteps: 0 } };
    const ran = await runOf([eaten, eaten, submits()], given);
    expect([outputs(ran), ran.submitted]).toEqual([[2_000, 2_000, 2_000], true]);
    expect(ran.agent.budget.spent).toBeLessThanOrEqual(4_000);
  });

  it('is known by thoughts that were cut in the text', async () => {
    const ran = await runOf([{ text: '<think>Let me see', ...eaten }, submits()]);
    expect([outputs(ran), ran.submitted, ran.text]).toEqual([[1_000, 2_000], true, null]);
  });
});

describe('the finishing tool', () => {
  const beside = (...answers: readonly object[]) => ({ toolCalls: answers.map((given) => call('submit', given)) });
  const early = { toolCalls: [...submits('early').toolCalls, ...reads('b.ts').toolCalls] };
  const notAlone = 'not run: call submit alone, after you have read the other results.';
  const together = 'taken with the first call.';
  const invalid = "The arguments of submit are not valid: the value must have required property 'answer'.";
  const no = '"bad" is no answer.';
  const yes = 'Thank you.';

  it.each<[string, ScriptedStep[], accepted: string, texts: string[]]>([
    ['is asked to come alone', [early, submits('three')], 'three', [notAlone, 'three', yes]],
    ['takes all calls of a turn as one', [beside({ answer: 'a' }, { answer: 'b' })], 'a, b', [yes, together]],
    [
      'does not end while one of its calls cannot be read',
      [beside({}, { answer: 'b' }), submits('c')],
      'b; c',
      [invalid, yes, yes],
    ],
    ['hands its text back until it accepts', [submits('bad'), submits('good')], 'good', [no, yes]],
  ])('%s', async (_what, script, accepted, expected) => {
    const finish = submit(['bad']);
    const { texts, stop } = await runOf(script, { finish });
    expect([finish.accepted.join('; '), stop]).toEqual([accepted, { reason: 'submitted' }]);
    expect(texts.map((text) => text.split('\n')[0])).toEqual(expected);
  });
});

describe('a submission that was cut at the output limit', () => {
  const half = { toolCalls: [{ name: 'submit', arguments: '{"answer": "on' }], end: 'length' } as const;
  const fails = () => Promise.reject(new Error('no source'));
  const again = /^your call was cut: submit reached the output limit\. Call it again, shorter\./;

  it.each<[string, ((text: string) => Promise<string | null>) | null, maxSteps: number, told: RegExp]>([
    ['may come again in the last call', null, 0, again],
    ['is asked for again when nothing in it is complete', async () => null, 5, again],
    ['is asked for again when it cannot be taken', fails, 5, /^submit failed: no source\./],
  ])('%s', async (_what, takeCut, maxSteps, told) => {
    const finish = { ...submit(), ...(takeCut && { takeCut }) };
    const { submitted, texts, metrics } = await runOf([half, submits('two')], { finish, limits: { maxSteps } });
    expect(texts).toEqual([expect.stringMatching(told), 'Thank you.']);
    expect([submitted, metrics.modelCalls, metrics.toolCalls]).toEqual([true, 2, 1]);
  });

  it('is finished as usual when only what follows it was cut', async () => {
    const finish = { ...submit(), takeCut: fails };
    const { submitted, texts } = await runOf([{ ...submits('two'), end: 'length' }], { finish });
    expect([submitted, texts]).toEqual([true, ['Thank you.']]);
  });
});
