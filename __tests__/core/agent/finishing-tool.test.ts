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
