import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Model, type ModelAnswer, ModelError, type ModelRequest } from '../../../src/core/agent/model.ts';
import { firstToken } from '../../../src/core/agent/waiting.ts';
import { unansweredCalls } from '../../fakes/loopback.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, eventsOf, readFile, run, toolTexts } from './agent-with.ts';

it('calls nobody when it was cancelled before', async () => {
  const result = await run(agentWith({ model: new ScriptedModel(), signal: AbortSignal.abort() }));
  expect(result).toMatchObject({ stop: { reason: 'cancelled' }, metrics: { modelCalls: 0 } });
});

it('gives up the call under way, counts its prompt, and makes no last call', async () => {
  const controller = new AbortController();
  const model = new ScriptedModel(() => {
    controller.abort();
    return new Promise(() => undefined);
  });
  const agent = agentWith({ model, signal: controller.signal });
  const result = await run(agent);
  expect(result).toMatchObject({ stop: { reason: 'cancelled' }, metrics: { modelCalls: 1, iterations: 0 } });
  expect(result.metrics.usage).toMatchObject({ estimated: true, output: 0 });
  expect(agent.budget.spent).toBe(result.metrics.usage.input);
  expect(agent.clock.now()).toBe(0);
});

it('is cancelled also when it was in its last call', async () => {
  const controller = new AbortController();
  const model = new ScriptedModel({ toolCalls: [call('read_file', { path: 'a.ts' })] }, () => {
    controller.abort();
    return new Promise(() => undefined);
  });
  const result = await run(agentWith({ model, limits: { maxSteps: 1 }, signal: controller.signal }));
  expect(result).toMatchObject({ stop: { reason: 'cancelled' }, submitted: false });
});

it('answers every call of the turn that it interrupts', async () => {
  const controller = new AbortController();
  const read = async (path: string) => {
    if (path === 'slow.ts') return new Promise<string>(() => undefined);
    controller.abort();
    return 'quick';
  };
  const paths = ['slow.ts', 'quick.ts', ...Array.from({ length: 10 }, (_, index) => `${index}.ts`)];
  const model = new ScriptedModel({ toolCalls: paths.map((path) => call('read_file', { path })) });
  const result = await run(agentWith({ model, tools: [readFile(read)], signal: controller.signal }));
  expect(result.stop).toEqual({ reason: 'cancelled' });
  expect(unansweredCalls(result.messages)).toEqual([]);
  expect(toolTexts(result.messages)[0]).toBe('given up: the run was cancelled.');
  expect(result.metrics.modelCalls).toBe(1);
});

it('stops waiting for another attempt', async () => {
  const controller = new AbortController();
  const model = new ScriptedModel(new ModelError('transient', 'busy', { retryAfter: 50_000 }));
  const agent = agentWith({ model, signal: controller.signal });
  void agent.clock.wait(10_000, new AbortController().signal).then(() => controller.abort());
  const result = await run(agent);
  expect(result.stop).toEqual({ reason: 'cancelled' });
  expect(agent.clock.now()).toBe(10_000);
});

it('gives up the call under way at the soft deadline, and makes the last one', async () => {
  const clock = new FakeClock();
  const hang = () => new Promise<never>(() => undefined);
  const model = new ScriptedModel(hang, { toolCalls: [call('submit', { answer: 'x' })] });
  const budget = budgetOf(clock, { softDeadline: 30_000, hardDeadline: 90_000 });
  const result = await run(agentWith({ model, clock, budget }));
  expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'time' }, submitted: true });
  expect(clock.now()).toBe(30_000);
});

it('gives up everything at the hard deadline', async () => {
  const clock = new FakeClock();
  const hang = () => new Promise<never>(() => undefined);
  const budget = budgetOf(clock, { softDeadline: 30_000, hardDeadline: 60_000 });
  const result = await run(agentWith({ model: new ScriptedModel(hang, hang), clock, budget }));
  expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'time' }, submitted: false });
  expect(clock.now()).toBe(60_000);
});

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
  it('that is reported after ten seconds and then every thirty', async () => {
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

  it('how much was written is shown too', async () => {
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

  it('nothing is shown of a quick one', async () => {
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

const request: ModelRequest = { messages: [], tools: [], toolChoice: 'auto', maxOutputTokens: 1 };
const answer: ModelAnswer = {
  message: { role: 'assistant', text: 'x', toolCalls: [], raw: null },
  end: 'end',
  usage: null,
};

it('opens with the first token, and not before', async () => {
  let finish = () => {};
  const model: Model = {
    answer: async ({ onProgress }) => {
      onProgress?.(1);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return answer;
    },
  };
  const watched = firstToken(model);
  let opened = false;
  void watched.first.then(() => {
    opened = true;
  });
  await Promise.resolve();
  expect(opened).toBe(false);
  const answering = watched.model.answer(request, new AbortController().signal);
  await watched.first;
  finish();
  expect(await answering).toBe(answer);
});

it('opens whatever becomes of the call', async () => {
  const ends = fc.constantFrom('answers', 'fails', 'is never made');
  await fc.assert(
    fc.asyncProperty(ends, async (end) => {
      const watched = firstToken({
        answer: async () => {
          if (end === 'fails') throw new Error('broken');
          return answer;
        },
      });
      if (end === 'is never made') watched.open();
      else await watched.model.answer(request, new AbortController().signal).catch(() => undefined);
      await watched.first;
    }),
  );
});
