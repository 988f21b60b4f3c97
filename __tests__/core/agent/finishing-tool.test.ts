import { describe, expect, it } from 'vitest';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, run, submit, toolTexts } from './agent-with.ts';

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
