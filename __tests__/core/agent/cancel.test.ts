import { describe, expect, it } from 'vitest';
import { type Model, type ModelAnswer, ModelError, type ModelRequest } from '../../../src/core/agent/model.ts';
import { firstToken } from '../../../src/core/agent/waiting.ts';
import { unansweredCalls } from '../../fakes/loopback.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, readFile, run, runOf, submits } from './agent-with.ts';

const hang = () => new Promise<never>(() => undefined);

/** A signal, and an answer that never comes because the run is cancelled meanwhile. */
function cancelling() {
  const controller = new AbortController();
  const cancel = () => {
    controller.abort();
    return hang();
  };
  return { signal: controller.signal, controller, cancel };
}

describe('a run that is cancelled', () => {
  it('gives up the call under way, counts its prompt, and makes no last call', async () => {
    const { signal, cancel } = cancelling();
    const { stop, metrics, agent } = await runOf([cancel], { signal });
    expect([stop, metrics.modelCalls, metrics.iterations]).toEqual([{ reason: 'cancelled' }, 1, 0]);
    expect(metrics.usage).toMatchObject({ estimated: true, output: 0 });
    expect([agent.budget.spent, agent.clock.now()]).toEqual([metrics.usage.input, 0]);
  });

  it('answers every call of the turn that it interrupts', async () => {
    const { signal, controller } = cancelling();
    const read = async (path: string) => {
      if (path === 'slow.ts') return hang();
      controller.abort();
      return 'quick';
    };
    const paths = ['slow.ts', 'quick.ts', ...Array.from({ length: 10 }, (_, index) => `${index}.ts`)];
    const toolCalls = paths.map((path) => call('read_file', { path }));
    const { stop, messages, texts, metrics } = await runOf([{ toolCalls }], { tools: [readFile(read)], signal });
    expect([stop, unansweredCalls(messages), metrics.modelCalls]).toEqual([{ reason: 'cancelled' }, [], 1]);
    expect(texts[0]).toBe('given up: the run was cancelled.');
  });

  it('stops waiting for another attempt', async () => {
    const { signal, controller } = cancelling();
    const clock = new FakeClock();
    void clock.wait(10_000, new AbortController().signal).then(() => controller.abort());
    const { stop } = await runOf([new ModelError('transient', 'busy', { retryAfter: 50_000 })], { clock, signal });
    expect([stop, clock.now()]).toEqual([{ reason: 'cancelled' }, 10_000]);
  });
});

it.each([
  ['the call under way at the soft deadline, and makes the last one', [hang, submits()], true, 30_000],
  ['everything at the hard deadline', [hang, hang], false, 60_000],
])('gives up %s', async (_what, script, submitted, end) => {
  const { result, agent } = await runOf(script, { within: { softDeadline: 30_000, hardDeadline: 60_000 } });
  expect(result).toMatchObject({ stop: { reason: 'limit', limit: 'time' }, submitted });
  expect(agent.clock.now()).toBe(end);
});

type Slow = { readonly takes: number; readonly writes?: readonly (readonly [at: number, characters: number])[] };

/** A run whose model answers after so long, and tells its progress at these times. */
async function slowRun({ takes, writes = [] }: Slow) {
  const clock = new FakeClock();
  const script = new ScriptedModel(submits(), submits(), submits(), submits(), submits());
  const answer: Model['answer'] = async (request, signal) => {
    const start = clock.now();
    for (const [at, characters] of writes) {
      await clock.wait(start + at - clock.now(), signal);
      if (!signal.aborted) request.onProgress?.(characters);
    }
    await clock.wait(start + takes - clock.now(), signal);
    return await script.answer(request, signal);
  };
  const agent = agentWith({ clock, model: { answer }, limits: { callMilliseconds: 300_000 } });
  const { submitted } = await run(agent);
  const waits = eventsOf(agent, 'call-wait').map(({ milliseconds, characters }) => `${milliseconds}: ${characters}`);
  return { submitted, waits, retries: eventsOf(agent, 'call-retry').map(({ reason }) => reason) };
}

const written = [
  [5_000, 12],
  [30_000, 4_000],
] as const;

it.each<readonly [string, Slow, string[]]>([
  ['after ten seconds and then every thirty', { takes: 75_000 }, ['10000: null', '40000: null', '70000: null']],
  ['with how much was written', { takes: 45_000, writes: written }, ['10000: 12', '40000: 4000']],
])('that an answer is awaited is reported %s', async (_what, slow, expected) => {
  expect((await slowRun(slow)).waits).toEqual(expected);
});

describe('an answer that stops in the middle', () => {
  it('is paid for: its prompt, and what was written', async () => {
    const silent = (request: ModelRequest) => {
      request.onProgress?.(400);
      return hang();
    };
    const price = { input: 1, cached: 1, output: 10 };
    const { metrics } = await runOf([silent, submits()], { price, limits: { callMilliseconds: 300_000 } });
    const { usage, modelCalls, cost } = metrics;
    expect([modelCalls, usage.output >= 100, usage.estimated, (cost ?? 0) > 0.001]).toEqual([2, true, true, true]);
  });

  it('is not taken for one while it has not begun: a model may think for long', async () => {
    expect(await slowRun({ takes: 250_000 })).toMatchObject({ submitted: true, retries: [] });
  });
});

describe('a gate for the first token', () => {
  const request: ModelRequest = { messages: [], tools: [], toolChoice: 'auto', maxOutputTokens: 1 };
  const message = { role: 'assistant', text: 'x', toolCalls: [], raw: null } as const;
  const answer: ModelAnswer = { message, end: 'end', usage: null };
  const { signal } = new AbortController();

  it.each<[string, Model['answer']]>([
    ['a call is answered without a word before', async () => answer],
    ['a call fails', () => Promise.reject(new Error('broken'))],
    ['no call is made', hang],
  ])('opens also when %s', async (_end, answer) => {
    const watched = firstToken({ answer });
    if (answer === hang) watched.open();
    else await watched.model.answer(request, signal).catch(() => undefined);
    expect(await watched.first).toBe(undefined);
  });
});
