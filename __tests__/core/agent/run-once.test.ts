import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/agent/model.ts';
import { runOnce } from '../../../src/core/agent/run-agent.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, eventsOf, opening, run, submit, type TestAgent, toolTexts } from './agent-with.ts';

const submitted = { toolCalls: [call('submit', { answer: 'x' })], usage: usage(100, 10) };
const refused = { toolCalls: [call('submit', { answer: 'bad' })], usage: usage(100, 10) };

function once(agent: TestAgent) {
  return agent.clock.drive(runOnce(agent, { opening, phase: 'verification' }));
}

describe('one call in a fresh conversation', () => {
  it('offers the finishing tool alone and counts for its own phase', async () => {
    const model = new ScriptedModel(submitted);
    const agent = agentWith({ model, price: { input: 1_000, cached: 0, output: 10_000 } });
    const result = await once(agent);
    expect(result).toMatchObject({ stop: { reason: 'submitted' }, submitted: true });
    expect(model.requests[0]).toMatchObject({
      messages: opening,
      toolChoice: { tool: 'submit' },
      maxOutputTokens: 2_000,
    });
    expect(model.requests[0]?.tools.map((tool) => tool.name)).toEqual(['submit']);
    expect(result.metrics).toMatchObject({
      iterations: 0,
      modelCalls: 1,
      phases: { verification: { modelCalls: 1, usage: usage(100, 10), cost: 0.2 } },
    });
    expect(eventsOf(agent, 'step-end')).toMatchObject([{ phase: 'verification', step: 0, cost: 0.2 }]);
  });

  it('gives back what it did not use', async () => {
    const clock = new FakeClock();
    const budget = budgetOf(clock, { maxTokens: 5_000 });
    await once(agentWith({ model: new ScriptedModel(submitted), clock, budget }));
    const rest = { input: 0, output: 5_000 - 110 };
    expect(budget.enter({ opening: null, lastCall: rest, price: null }).granted).toBe(true);
  });

  it('is made three times when the finishing tool refuses', async () => {
    const agent = agentWith({ model: new ScriptedModel(refused, refused, refused), finish: submit(['bad']) });
    expect(await once(agent)).toMatchObject({
      stop: { reason: 'limit', limit: 'iterations' },
      submitted: false,
      metrics: { modelCalls: 3 },
    });
  });

  it('ends with text when the model answers with text', async () => {
    const result = await once(agentWith({ model: new ScriptedModel({ text: 'All are right.' }) }));
    expect(result).toMatchObject({ stop: { reason: 'answered' }, submitted: false, text: 'All are right.' });
  });

  it('says why the model failed', async () => {
    const model = new ScriptedModel(new ModelError('quota', 'no credit left'));
    expect((await once(agentWith({ model }))).stop).toEqual({
      reason: 'model-failed',
      message: 'no credit left.',
      hint: '',
    });
  });

  it.each([
    ['before the soft deadline', 0, true],
    ['between the deadlines', 650_000, true],
    ['after the hard deadline', 700_000, false],
  ])('%s', async (_when, time, expected) => {
    const clock = new FakeClock();
    await clock.drive(clock.wait(time, new AbortController().signal));
    const result = await once(agentWith({ model: new ScriptedModel(submitted), clock }));
    expect([result.submitted, result.metrics.modelCalls]).toEqual([expected, expected ? 1 : 0]);
    if (!expected) expect(result.stop).toEqual({ reason: 'limit', limit: 'time' });
  });

  it('is given up at the hard deadline', async () => {
    const clock = new FakeClock();
    const model = new ScriptedModel(() => new Promise(() => undefined));
    const budget = budgetOf(clock, { softDeadline: 10_000, hardDeadline: 30_000 });
    expect((await once(agentWith({ model, clock, budget }))).stop).toEqual({ reason: 'limit', limit: 'time' });
    expect(clock.now()).toBe(30_000);
  });

  it.each([
    ['tokens', { maxTokens: 2_000 }],
    ['cost', { maxCost: 1.9 }],
  ] as const)('does not start when the %s do not suffice, and keeps nothing', async (limit, limits) => {
    const clock = new FakeClock();
    const budget = budgetOf(clock, limits);
    const agent = agentWith({
      model: new ScriptedModel(),
      clock,
      budget,
      price: { input: 0, cached: 0, output: 1_000 },
    });
    const result = await once(agent);
    expect(result).toMatchObject({ stop: { reason: 'limit', limit }, messages: opening, metrics: { modelCalls: 0 } });
    const rest = { input: 0, output: 1_900 };
    expect(budget.enter({ opening: null, lastCall: rest, price: agent.price }).granted).toBe(true);
  });
});

describe('take answer', () => {
  const read = { toolCalls: [call('read_file', { path: 'a.ts' })] };
  const submitted = { toolCalls: [call('submit', { answer: 'x' })] };

  describe('an empty answer', () => {
    it('is asked for again', async () => {
      const model = new ScriptedModel({}, { text: ' \n' }, submitted);
      const agent = agentWith({ model });
      expect(await run(agent)).toMatchObject({ submitted: true, metrics: { iterations: 3 } });
      expect(eventsOf(agent, 'answer-empty').map((event) => event.attempt)).toEqual([1, 2]);
      expect(model.requests[2]).toEqual(model.requests[0]);
    });

    it('ends the run at the third in a row', async () => {
      const model = new ScriptedModel({}, read, {}, {}, {});
      const result = await run(agentWith({ model, limits: { maxSteps: 6 } }));
      expect(model.requests).toHaveLength(5);
      expect(result).toMatchObject({ stop: { reason: 'empty-answers' }, text: null });
    });

    it('leads to the last call when the iterations are used up', async () => {
      const result = await run(agentWith({ model: new ScriptedModel({}, {}, submitted), limits: { maxSteps: 2 } }));
      expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: true });
    });
  });

  describe('an answer that reached the output limit', () => {
    it('is continued once, and its parts are joined', async () => {
      const model = new ScriptedModel({ text: 'One and', end: 'length' }, { text: ' two.' });
      const agent = agentWith({ model });
      expect(await run(agent)).toMatchObject({ stop: { reason: 'answered' }, text: 'One and two.' });
      expect(model.requests[1]?.messages.at(-1)?.text).toMatch(/Continue exactly where it stopped/);
      expect(eventsOf(agent, 'answer-truncated')).toHaveLength(1);
    });

    it('is not continued twice', async () => {
      const cut = { text: 'and so on ', end: 'length' } as const;
      const result = await run(agentWith({ model: new ScriptedModel(cut, cut) }));
      expect(result).toMatchObject({ stop: { reason: 'truncated' }, text: 'and so on and so on ' });
    });

    it('leads to the last call when the iterations are used up', async () => {
      const model = new ScriptedModel({ text: 'One and', end: 'length' }, submitted);
      const result = await run(agentWith({ model, limits: { maxSteps: 1 } }));
      expect(result).toMatchObject({ stop: { reason: 'limit' }, submitted: true, text: 'One and' });
      expect(model.requests[1]?.messages.map((message) => message.role)).toEqual([
        'system',
        'user',
        'assistant',
        'user',
      ]);
    });

    it('has its whole calls run, and the cut one named', async () => {
      const half = { name: 'read_file', arguments: '{"path": "b.' };
      const model = new ScriptedModel({ toolCalls: [...read.toolCalls, half], end: 'length' }, submitted);
      const result = await run(agentWith({ model }));
      const [whole, cut] = toolTexts(result.messages);
      expect(whole).toBe('one\ntwo');
      expect(cut).toMatch(/^your call was cut: read_file reached the output limit\. Call it again, shorter\./);
      expect(result.submitted).toBe(true);
    });

    it('may submit again after a submission that was cut', async () => {
      const half = { name: 'submit', arguments: '{"answer": "on' };
      const model = new ScriptedModel(read, { toolCalls: [half], end: 'length' }, submitted);
      const result = await run(agentWith({ model, limits: { maxSteps: 1 } }));
      expect(result.submitted).toBe(true);
      expect(toolTexts(result.messages)[1]).toMatch(/^your call was cut: submit/);
    });
  });

  it.each([
    ['refusal', { reason: 'refused', by: 'model' }],
    ['content-filter', { reason: 'refused', by: 'content-filter' }],
  ] as const)('ends at a %s, and keeps no call of it', async (end, stop) => {
    const result = await run(agentWith({ model: new ScriptedModel({ text: 'No.', ...read, end }) }));
    expect(result).toMatchObject({ stop, text: null, submitted: false });
    expect(result.messages).toHaveLength(2);
  });

  describe('an announcement of work', () => {
    const isUnfinished = (text: string) => text.startsWith('Let me');

    it('is answered once with the request to do it', async () => {
      const model = new ScriptedModel({ text: 'Let me check a.ts…' }, read, submitted);
      expect((await run(agentWith({ model, isUnfinished }))).submitted).toBe(true);
      expect(model.requests[1]?.messages.at(-1)?.text).toMatch(/^That announces work/);
    });

    it('ends the run the second time', async () => {
      const model = new ScriptedModel({ text: 'Let me check a.ts…' }, { text: 'Let me see…' });
      expect((await run(agentWith({ model, isUnfinished }))).stop).toEqual({ reason: 'answered' });
    });

    it('leads to the last call when the iterations are used up', async () => {
      const model = new ScriptedModel({ text: 'Let me check a.ts…' }, submitted);
      const result = await run(agentWith({ model, isUnfinished, limits: { maxSteps: 1 } }));
      expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'iterations' }, submitted: true });
    });
  });
});

describe('the finishing tool', () => {
  it('is asked to come alone when other calls are beside it', async () => {
    const model = new ScriptedModel(
      { toolCalls: [call('submit', { answer: 'early' }), call('read_file', { path: 'b.ts' })] },
      { toolCalls: [call('submit', { answer: 'three' })] },
    );
    const finish = submit();
    const result = await run(agentWith({ model, finish }));
    expect(finish.accepted).toEqual(['three']);
    expect(toolTexts(result.messages)).toMatchInlineSnapshot(`
      [
        "not run: call submit alone, after you have read the other results.",
        "three

      [budget: 4 of 5 iterations left, about 999,000 tokens, 10 minutes]",
        "Thank you.",
      ]
    `);
  });

  it('counts once a turn', async () => {
    const model = new ScriptedModel({ toolCalls: [call('submit', { answer: 'a' }), call('submit', { answer: 'b' })] });
    const finish = submit();
    const result = await run(agentWith({ model, finish }));
    expect(finish.accepted).toEqual(['a']);
    expect(toolTexts(result.messages)).toEqual([
      'Thank you.',
      'not run: submit counts once a turn, and the first call was taken.',
    ]);
  });

  it('takes the second call of a turn when the first is malformed', async () => {
    const model = new ScriptedModel({ toolCalls: [call('submit', { reply: 'a' }), call('submit', { answer: 'b' })] });
    const finish = submit();
    await run(agentWith({ model, finish }));
    expect(finish.accepted).toEqual(['b']);
  });

  it('hands its text back when it does not accept, and the loop goes on', async () => {
    const model = new ScriptedModel(
      { toolCalls: [call('submit', { answer: 'bad' })] },
      { toolCalls: [call('submit', { answer: 'good' })] },
    );
    const finish = submit(['bad']);
    const result = await run(agentWith({ model, finish }));
    expect(finish.accepted).toEqual(['good']);
    expect(result.stop).toEqual({ reason: 'submitted' });
    expect(toolTexts(result.messages)[0]).toContain('"bad" is no answer.');
  });
});

describe('a submission that was cut at the output limit', () => {
  const half = { toolCalls: [{ name: 'submit', arguments: '{"answer": "on' }], end: 'length' } as const;
  const rest = { toolCalls: [call('submit', { answer: 'two' })] };

  /** A finishing tool that takes what is there with `take`. */
  function taking(take: (text: string) => Promise<string | null>) {
    const taken: string[] = [];
    const takeCut = (text: string) => {
      taken.push(text);
      return take(text);
    };
    return { finish: { ...submit(), takeCut }, taken };
  }

  it('is taken as far as it goes, and the rest is asked for', async () => {
    const { finish, taken } = taking(async () => 'Taken: one. Send the rest.');
    const result = await run(agentWith({ model: new ScriptedModel(half, rest), finish }));
    expect(taken).toEqual(['{"answer": "on']);
    expect(result).toMatchObject({ stop: { reason: 'submitted' }, metrics: { tools: { submit: { calls: 1 } } } });
    expect(toolTexts(result.messages)[0]).toMatch(/^Taken: one\. Send the rest\.\n\n\[budget: /);
  });

  it('is taken in the last call too, which then follows once more', async () => {
    const { finish } = taking(async () => 'Taken: one. Send the rest.');
    const result = await run(agentWith({ model: new ScriptedModel(half, rest), finish, limits: { maxSteps: 0 } }));
    expect(result).toMatchObject({ submitted: true, metrics: { modelCalls: 2, iterations: 0 } });
    expect(toolTexts(result.messages)).toEqual(['Taken: one. Send the rest.', 'Thank you.']);
  });

  it.each<[what: string, take: () => Promise<string | null>, expected: RegExp]>([
    ['nothing in it is complete', async () => null, /^your call was cut: submit reached the output limit\./],
    ['it cannot be taken', () => Promise.reject(new Error('no source')), /^submit failed: no source\./],
  ])('is asked for again when %s', async (_what, take, expected) => {
    const { finish } = taking(take);
    const result = await run(agentWith({ model: new ScriptedModel(half, rest), finish }));
    expect(toolTexts(result.messages)[0]).toMatch(expected);
    expect(result.metrics).toMatchObject({ toolCalls: 1, tools: { submit: { calls: 1 } } });
  });

  it('is finished as usual when only what follows it was cut', async () => {
    const { finish, taken } = taking(async () => 'never');
    const result = await run(agentWith({ model: new ScriptedModel({ ...rest, end: 'length' }), finish }));
    expect([result.submitted, taken]).toEqual([true, []]);
  });
});
