import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/agent/agent.ts';
import { noMetrics } from '../../../src/core/agent/meter.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
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
    const { result, agent, requests } = await runOf([first, last], { finish });
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
    const turn = ['step-start', 'step-end', 'tool-start', 'tool-end'];
    expect(agent.events.map(({ type }) => type)).toEqual([...turn, ...turn, 'run-end']);
    const step = { phase: 'review', step: 1, text: 'I look first.', toolCalls: 1, end: 'tool-calls', milliseconds: 0 };
    expect(eventsOf(agent, 'step-end')[0]).toEqual({ type: 'step-end', ...step, cost: null, usage: usage(200, 20) });
    const told = { outcome: 'ok', characters: 7, cut: false, milliseconds: 0, step: 1, text: 'one\ntwo' };
    expect(eventsOf(agent, 'tool-end')[0]).toEqual({ type: 'tool-end', call: readCall, ...told });
    const end = { steps: 2, stop: { reason: 'submitted' }, usage: usage(500, 50) };
    expect(eventsOf(agent, 'run-end')).toEqual([{ type: 'run-end', ...end }]);
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
