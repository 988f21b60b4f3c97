import { describe, expect, it } from 'vitest';
import { type Model, ModelError } from '../../../src/core/agent/model.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, run } from './agent-with.ts';

const submitted = { toolCalls: [call('submit', { answer: 'x' })] };

/** Answers after so long, and tells its progress at these times. */
function slowModel(
  clock: FakeClock,
  { takes, writes = [] }: { takes: number; writes?: readonly [number, number][] },
): Model {
  const model = new ScriptedModel(submitted, submitted, submitted, submitted, submitted);
  return {
    answer: async (request, signal) => {
      const start = clock.now();
      for (const [at, characters] of writes) {
        await clock.wait(start + at - clock.now(), signal);
        if (!signal.aborted) request.onProgress?.(characters);
      }
      await clock.wait(start + takes - clock.now(), signal);
      return await model.answer(request, signal);
    },
  };
}

describe('while an answer is awaited', () => {
  it('that is told after ten seconds and then every thirty', async () => {
    const clock = new FakeClock();
    const agent = agentWith({
      clock,
      model: slowModel(clock, { takes: 75_000 }),
      limits: { callMilliseconds: 300_000 },
    });
    await run(agent);
    expect(eventsOf(agent, 'call-wait').map(({ milliseconds, characters }) => [milliseconds, characters])).toEqual([
      [10_000, null],
      [40_000, null],
      [70_000, null],
    ]);
  });

  it('how much was written is told too', async () => {
    const clock = new FakeClock();
    const model = slowModel(clock, {
      takes: 45_000,
      writes: [
        [5_000, 12],
        [30_000, 4_000],
      ],
    });
    const agent = agentWith({ clock, model });
    await run(agent);
    expect(eventsOf(agent, 'call-wait').map(({ characters }) => characters)).toEqual([12, 4_000]);
  });

  it('nothing is told of a quick one', async () => {
    const agent = agentWith({ model: new ScriptedModel(submitted) });
    await run(agent);
    expect(eventsOf(agent, 'call-wait')).toEqual([]);
  });
});

it('no timer is left when an attempt has ended, however it ended', async () => {
  const clock = new FakeClock();
  const busy = new ModelError('transient', 'busy');
  const script = new ScriptedModel(busy, () => new Promise<never>(() => undefined), {}, submitted);
  const waiting: number[] = [];
  const answer: Model['answer'] = (request, signal) => {
    waiting.push(clock.waiting);
    request.onProgress?.(1);
    return script.answer(request, signal);
  };
  await run(agentWith({ clock, model: { answer }, limits: { callMilliseconds: 300_000 } }));
  // While an attempt starts: the heartbeat and the watch over silence, its own and no earlier one's.
  expect(waiting).toEqual([2, 2, 2, 2]);
  expect(clock.waiting).toBe(0);
});

describe('an answer that stops in the middle', () => {
  it('is given up after two minutes of silence, and asked for again', async () => {
    const clock = new FakeClock();
    const model = slowModel(clock, { takes: 500_000, writes: [[1_000, 4_000]] });
    const agent = agentWith({ clock, model, limits: { callMilliseconds: 300_000 } });
    await run(agent);
    const [retry] = eventsOf(agent, 'call-retry');
    expect(retry?.reason).toBe('The answer stopped in the middle: nothing came for 120 seconds.');
  });

  it('is paid for: its prompt, and what was written', async () => {
    const clock = new FakeClock();
    let calls = 0;
    const agent = agentWith({
      clock,
      price: { input: 1, cached: 1, output: 10 },
      limits: { callMilliseconds: 300_000 },
      model: {
        answer: async (request, signal) => {
          calls += 1;
          if (calls > 1) return new ScriptedModel(submitted).answer(request, signal);
          request.onProgress?.(400);
          return await new Promise(() => undefined);
        },
      },
    });
    const { metrics } = await run(agent);
    expect([
      metrics.modelCalls,
      metrics.usage.output >= 100,
      metrics.usage.estimated,
      (metrics.cost ?? 0) > 0.001,
    ]).toEqual([2, true, true, true]);
  });

  it('is not taken for one while it has not begun: a model may think for long', async () => {
    const clock = new FakeClock();
    const agent = agentWith({
      clock,
      model: slowModel(clock, { takes: 250_000 }),
      limits: { callMilliseconds: 300_000 },
    });
    expect(await run(agent)).toMatchObject({ submitted: true });
    expect(eventsOf(agent, 'call-retry')).toEqual([]);
  });
});
