import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/agent/agent.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, type ScriptedStep, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, eventsOf, type Given, readFile, run, submit, toolTexts } from './agent-with.ts';

const read = (path: string): ScriptedStep => ({ toolCalls: [call('read_file', { path })] });
const answer = (text: string): ScriptedStep => ({ toolCalls: [call('submit', { answer: text })] });

function upTo(calls: number): Policy {
  let asked = 0;
  return () => {
    asked += 1;
    return asked <= calls ? { allowed: true } : { allowed: false, reason: 'all calls are used up', exhausted: true };
  };
}

const limited: readonly [string, () => Omit<Given, 'model'>][] = [
  ['iterations', () => ({ limits: { maxSteps: 2 } })],
  ['tokens', () => ({ budget: budgetOf(new FakeClock(), { maxTokens: 8_000 }) })],
  [
    'cost',
    () => ({ price: { input: 0, cached: 0, output: 1_000 }, budget: budgetOf(new FakeClock(), { maxCost: 4.5 }) }),
  ],
  ['time', () => timeUsedUpBy(2)],
  ['tool-calls', () => ({ policy: upTo(1) })],
];

/** A tool that takes the time until the soft deadline at its n-th call. */
function timeUsedUpBy(calls: number): Omit<Given, 'model'> {
  const clock = new FakeClock();
  let asked = 0;
  const tool = readFile(async (_path, signal) => {
    asked += 1;
    if (asked === calls) await clock.wait(600_000, signal);
    return 'one';
  });
  return { clock, budget: budgetOf(clock, {}), tools: [tool] };
}

describe.each(limited)('when %s run out', (limit, given) => {
  it('gives one last call that offers only the finishing tool, and delivers', async () => {
    const spend = usage(300, 1_000);
    const step = (path: string) => ({ toolCalls: [call('read_file', { path })], usage: spend });
    const model = new ScriptedModel(step('a.ts'), step('b.ts'), answer('what I have'));
    const agent = agentWith({ ...given(), model });
    const result = await run(agent);
    expect(result).toMatchObject({ stop: { reason: 'limit', limit }, submitted: true });
    expect(result.metrics).toMatchObject({ iterations: 2, modelCalls: 3 });
    const last = model.requests.at(-1);
    expect(last?.tools.map((tool) => tool.name)).toEqual(['submit']);
    expect(last?.toolChoice).toEqual({ tool: 'submit' });
    expect(last?.maxOutputTokens).toBe(2_000);
    expect(last?.messages.at(-1)?.text).toMatch(/used up\. You must answer now: call submit with what you have\./);
    expect(eventsOf(agent, 'limit-reach')).toEqual([{ type: 'limit-reach', stop: { reason: 'limit', limit } }]);
  });
});

describe('the last call', () => {
  it('may be repeated twice when the finishing tool refuses', async () => {
    const model = new ScriptedModel(read('a.ts'), answer('bad'), answer('bad'), answer('good'));
    const result = await run(agentWith({ model, limits: { maxSteps: 1 }, finish: submit(['bad']) }));
    expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: true });
  });

  it('is not repeated more than twice', async () => {
    const model = new ScriptedModel(read('a.ts'), answer('bad'), answer('bad'), answer('bad'));
    const result = await run(agentWith({ model, limits: { maxSteps: 1 }, finish: submit(['bad']) }));
    expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: false });
  });

  it('does not run reading tools, and takes a submission beside them', async () => {
    const mixed = { toolCalls: [call('read_file', { path: 'b.ts' }), call('submit', { answer: 'x' })] };
    const result = await run(agentWith({ model: new ScriptedModel(read('a.ts'), mixed), limits: { maxSteps: 1 } }));
    expect(result.submitted).toBe(true);
    expect(toolTexts(result.messages).slice(1)).toEqual(['not run: only submit is offered now.', 'Thank you.']);
  });

  it('keeps the text when the server did not force the tool', async () => {
    const model = new ScriptedModel(read('a.ts'), { text: 'In words: one, two.' });
    const result = await run(agentWith({ model, limits: { maxSteps: 1 } }));
    expect(result).toMatchObject({ submitted: false, text: 'In words: one, two.' });
  });

  it('is asked again when it is empty', async () => {
    const model = new ScriptedModel(read('a.ts'), {}, {}, answer('x'));
    expect((await run(agentWith({ model, limits: { maxSteps: 1 } }))).submitted).toBe(true);
  });

  it('leaves the limit as the reason when it fails', async () => {
    const model = new ScriptedModel(read('a.ts'), { end: 'content-filter' });
    const result = await run(agentWith({ model, limits: { maxSteps: 1 } }));
    expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: false });
  });

  it('is the only call when no iteration is allowed', async () => {
    const model = new ScriptedModel(answer('from the question alone'));
    const result = await run(agentWith({ model, limits: { maxSteps: 0 } }));
    expect(result).toMatchObject({ stop: { reason: 'submitted' }, metrics: { iterations: 0, modelCalls: 1 } });
    expect(model.requests[0]?.messages).toHaveLength(2);
  });
});

it('closes the tools for the rest of the turn when the tool calls run out', async () => {
  const toolCalls = ['a.ts', 'b.ts', 'a.ts'].map((path) => call('read_file', { path }));
  const model = new ScriptedModel({ toolCalls }, answer('x'));
  const result = await run(agentWith({ model, policy: upTo(1) }));
  expect(toolTexts(result.messages)).toEqual([
    'one\ntwo',
    'read_file was denied: all calls are used up',
    'not run: the tools are closed now.',
    'Thank you.',
  ]);
});

describe('repeated calls', () => {
  it('are warned at three and stopped at six of the last twelve, whatever the order of the arguments', async () => {
    const orders = ['{"path":"a.ts","side":null}', '{ "side": null, "path": "a.ts" }'];
    const repeated = [0, 1, 0, 1, 0, 1].map((order) => ({
      toolCalls: [{ name: 'read_file', arguments: orders[order] ?? '' }],
    }));
    const agent = agentWith({ model: new ScriptedModel(...repeated, answer('x')), limits: { maxSteps: 10 } });
    const result = await run(agent);
    expect(result).toMatchObject({ stop: { reason: 'repeated-calls' }, submitted: true });
    const warnings = toolTexts(result.messages).map(
      (text) => /\[the same call for the \w+ time|not run: .*/.exec(text)?.[0],
    );
    expect(warnings).toEqual([
      undefined,
      undefined,
      '[the same call for the 3rd time',
      '[the same call for the 4th time',
      '[the same call for the 5th time',
      'not run: this is the same call for the 6th time, and its result does not change.',
      undefined,
    ]);
    expect(result.metrics.tools).toMatchObject({ read_file: { calls: 5 }, submit: { calls: 1 } });
  });

  it('are forgotten after twelve calls', async () => {
    const steps = Array.from({ length: 30 }, (_, index) => read(index % 3 === 0 ? 'a.ts' : `${index}.ts`));
    const model = new ScriptedModel(...steps, answer('x'));
    expect((await run(agentWith({ model, limits: { maxSteps: 31 } }))).stop).toEqual({ reason: 'submitted' });
  });
});

it('starts nothing when the opening call and a last call do not fit', async () => {
  const clock = new FakeClock();
  const model = new ScriptedModel();
  const result = await run(agentWith({ model, clock, budget: budgetOf(clock, { maxTokens: 3_500 }) }));
  expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'tokens' }, metrics: { modelCalls: 0 } });
});

it('leaves out a result that would make the last call unpayable', async () => {
  const clock = new FakeClock();
  const model = new ScriptedModel(read('a.ts'), answer('without it'));
  const tools = [readFile(async () => 'x'.repeat(9_000))];
  const budget = budgetOf(clock, { maxTokens: 9_000 });
  const result = await run(agentWith({ model, clock, tools, budget }));
  expect(toolTexts(result.messages)[0]).toMatch(/^not shown: its 9000 characters do not fit the token budget\./);
  expect(result.submitted).toBe(true);
  expect(budget.spent).toBeLessThanOrEqual(9_000);
});
