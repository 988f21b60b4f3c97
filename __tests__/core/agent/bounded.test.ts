import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ask } from '../../../src/core/agent/ask.ts';
import { shrinkHistory } from '../../../src/core/agent/conversation.ts';
import { requestEstimator } from '../../../src/core/agent/estimate.ts';
import type { Message } from '../../../src/core/agent/message.ts';
import { type AnswerEnd, type Model, ModelError, type ModelRequest } from '../../../src/core/agent/model.ts';
import { type Agent, runAgent } from '../../../src/core/agent/run-agent.ts';
import { shareOut } from '../../../src/core/agent/shares.ts';
import { malformedCall } from '../../../src/core/agent/text-tool-calls.ts';
import { unansweredCalls } from '../../fakes/loopback.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { type ScriptedAnswer, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { agentWith, budgetOf, opening, quarter, submit, type TestAgent, toolTexts } from './agent-with.ts';

const toolCall = fc.record(
  {
    name: fc.constantFrom('read_file', 'read_file', 'submit', 'nothing', malformedCall, ''),
    arguments: fc.constantFrom(
      '{"path":"a.ts"}',
      '{"path":"b.ts"}',
      '{"path":"c.ts"}',
      '{"answer":"good"}',
      '{"answer":"bad"}',
      '{}',
      '',
      '{"path"',
      '[[[',
    ),
    id: fc.constantFrom('same', 'other'),
  },
  { requiredKeys: ['name', 'arguments'] },
);

const answer: fc.Arbitrary<ScriptedAnswer> = fc.record(
  {
    text: fc.constantFrom('', ' ', 'Let me check', 'The answer.', '<think>Well'),
    toolCalls: fc.array(toolCall, { maxLength: 4 }),
    end: fc.constantFrom<AnswerEnd>('end', 'tool-calls', 'tool-calls', 'length', 'refusal', 'content-filter'),
  },
  { requiredKeys: [] },
);

const errors = ['transient', 'transient', 'transient', 'context-overflow', 'quota', 'aborted'] as const;

/** What a model or its server does, one thing after the other. */
const deeds = fc.array(
  fc
    .record({
      milliseconds: fc.constantFrom(0, 1, 5_000, 100_000),
      /** Characters that it tells of before it does the rest; null: it does not stream. */
      writes: fc.option(fc.constantFrom(1, 4_000, 1_000_000)),
      /** Reported prompt tokens in parts of the estimate; null: the server reports nothing. */
      reported: fc.option(fc.double({ min: 0.5, max: 1.15, noNaN: true })),
      deed: fc.oneof(
        { weight: 8, arbitrary: fc.record({ kind: fc.constant('answer' as const), answer }) },
        {
          weight: 2,
          arbitrary: fc.record({
            kind: fc.constant('error' as const),
            error: fc.constantFrom(...errors),
            retryAfter: fc.option(fc.constantFrom(0, 100, 30_000, 1_000_000)),
            billed: fc.boolean(),
          }),
        },
        { weight: 1, arbitrary: fc.constant({ kind: 'hang' as const }) },
      ),
    })
    .map(({ deed, ...rest }) => ({ ...rest, ...deed })),
  { minLength: 1, maxLength: 12 },
);

type Deeds = typeof deeds extends fc.Arbitrary<infer T> ? T : never;

/** Does the deeds one after the other, and starts again when it is through. */
function chaoticModel(deeds: Deeds, clock: FakeClock): ScriptedModel {
  const estimate = requestEstimator(quarter);
  const script = Array.from({ length: 200 }, (_, index) => deeds[index % deeds.length]);
  return new ScriptedModel(
    ...script.map((deed) => async (request: ModelRequest, signal: AbortSignal) => {
      if (deed === undefined) throw new Error('there is no deed');
      if (deed.writes !== null) request.onProgress?.(deed.writes);
      if (deed.kind === 'hang') return new Promise<never>(() => undefined);
      await clock.wait(deed.milliseconds, signal);
      if (deed.kind === 'error') {
        throw new ModelError(deed.error, 'broken', { retryAfter: deed.retryAfter, maybeBilled: deed.billed });
      }
      if (deed.reported === null) return deed.answer;
      return { ...deed.answer, usage: usage(Math.floor(estimate(request) * deed.reported), 300) };
    }),
  );
}

/** Notes what a model was asked, and when; `iterations` are answers to requests that offered a reading tool. */
function watched(model: Model, clock: FakeClock) {
  const seen = { attempts: 0, iterations: 0, lastAttemptAt: -1, lastIterationAt: -1 };
  const answer: Model['answer'] = async (request, signal) => {
    const offersReading = request.tools.length > 1;
    seen.attempts += 1;
    seen.lastAttemptAt = clock.now();
    if (offersReading) seen.lastIterationAt = clock.now();
    const answered = await model.answer(request, signal);
    if (offersReading && !signal.aborted) seen.iterations += 1;
    return answered;
  };
  return { seen, answer };
}

const stub = '[result of read_file removed to fit the context; call it again if needed]';
const softDeadline = 300_000;
const hardDeadline = 400_000;
const price = { input: 5, cached: 0.5, output: 20 };
const verifyPrice = { input: 40, cached: 4, output: 160 };

const world = fc.record({
  scripts: fc.array(deeds, { minLength: 1, maxLength: 3 }),
  maxSteps: fc.integer({ min: 0, max: 6 }),
  maxTokens: fc.integer({ min: 2_000, max: 60_000 }),
  maxCost: fc.option(fc.integer({ min: 1, max: 60 }).map((cents) => cents / 100)),
  cancelAt: fc.option(fc.integer({ min: 0, max: hardDeadline })),
  /** Each batch takes a share first, or all draw on the whole. */
  shared: fc.boolean(),
});

const need = { least: { input: 300, output: 3_000 }, usual: { input: 2_000, output: 5_000 } };

it('whatever models do, runs end within their limits and leave no call unanswered', async () => {
  const stops = new Set<string>();
  await fc.assert(
    fc.asyncProperty(world, async ({ scripts, maxSteps, maxTokens, maxCost, cancelAt, shared }) => {
      const clock = new FakeClock();
      const costs = maxCost === null ? {} : { maxCost };
      const budget = budgetOf(clock, { maxTokens, ...costs, softDeadline, hardDeadline });
      const controller = new AbortController();
      if (cancelAt !== null) void clock.wait(cancelAt, new AbortController().signal).then(() => controller.abort());
      const models = scripts.map((script) => watched(chaoticModel(script, clock), clock));
      const agents = models.map((model) =>
        agentWith({
          model,
          clock,
          budget,
          price,
          limits: { maxSteps, callMilliseconds: 150_000 },
          signal: controller.signal,
          finish: { ...submit(['bad']), takeCut: async (text) => (text === '{"path"' ? 'Taken.' : null) },
          isUnfinished: (text) => text.startsWith('Let me'),
          estimateTokens: quarter,
        }),
      );
      const shares = shareOut(budget, { needs: scripts.map(() => need), price });
      const inShare = async (agent: TestAgent) => {
        const share = await shares.next();
        return share.granted ? runAndVerify({ ...agent, budget: share }).finally(share.close) : [];
      };
      const batches = await clock.drive(Promise.all(agents.map(shared ? inShare : runAndVerify)));
      const lastAttempt = Math.min(hardDeadline - 1, cancelAt ?? hardDeadline);
      for (const [index, { seen }] of models.entries()) {
        const metrics = batches[index]?.map((run) => run.metrics) ?? [];
        const counted = (of: 'modelCalls' | 'iterations') => metrics.reduce((sum, one) => sum + one[of], 0);
        expect([seen.attempts, seen.iterations]).toEqual([counted('modelCalls'), counted('iterations')]);
        expect(seen.iterations).toBeLessThanOrEqual(maxSteps);
        expect(seen.lastIterationAt).toBeLessThan(softDeadline);
        expect(seen.lastAttemptAt).toBeLessThanOrEqual(lastAttempt);
      }
      const runs = batches.flat();
      expect(runs.flatMap((run) => unansweredCalls(run.messages))).toEqual([]);
      const used = runs.reduce((sum, { metrics }) => sum + metrics.usage.input + metrics.usage.output, 0);
      expect(used).toBe(budget.spent);
      expect(budget.spent).toBeLessThanOrEqual(maxTokens);
      // Nothing stays set aside: what was not spent can be had.
      const rest = { input: 0, output: maxTokens - budget.spent };
      const inTime = clock.now() < hardDeadline;
      expect(budget.enter({ opening: null, lastCall: rest, price: null }).granted).toBe(inTime);
      const paid = runs.reduce((sum, { metrics }) => sum + (metrics.cost ?? 0), 0);
      expect(paid).toBeCloseTo(budget.spentCost, 8);
      expect(budget.spentCost).toBeLessThanOrEqual((maxCost ?? Number.POSITIVE_INFINITY) + 1e-6);
      expect(clock.now()).toBeLessThanOrEqual(hardDeadline);
      expect(clock.waiting).toBe(cancelAt !== null && !controller.signal.aborted ? 1 : 0);
      for (const { stop } of runs) stops.add(stop.reason === 'limit' ? stop.limit : stop.reason);
    }),
    { numRuns: 250 },
  );
  // The chaos has to reach every way to end, or the promise above says little.
  expect(stops.size).toBeGreaterThanOrEqual(10);
});

/** What a batch does: a run, then a fresh conversation with a dearer model, while the other batches go on. */
async function runAndVerify(agent: Agent) {
  const run = await runAgent(agent, opening);
  const question = { phase: 'verification', tool: agent.finish, opening } as const;
  const verification = await ask({ ...agent, price: verifyPrice }, question);
  return [run, verification];
}

/** What is left of the results of turns that had these sizes; null where nothing was taken out. */
function shrunk(turns: readonly (readonly number[])[]) {
  const messages = turns.flatMap((sizes): readonly Message[] => {
    const results = sizes.map((size, index) => ({
      callId: `call_${index}`,
      name: 'read_file',
      text: 'x'.repeat(size),
    }));
    const toolCalls = results.map(({ callId, name }) => ({ id: callId, name, arguments: '{}' }));
    const told = results.map((result) => ({ role: 'tool', ...result }) as const);
    return [
      { role: 'assistant', text: 'y'.repeat(100), toolCalls, raw: null },
      ...told,
      { role: 'user', text: 'Go on.' },
    ];
  });
  const left = shrinkHistory([...opening, ...messages], ({ text }) => text.length);
  expect(unansweredCalls(left ?? [])).toEqual([]);
  return left && toolTexts(left).map((text) => (text === stub ? 'stub' : text.length));
}

it.each<[string, number[][], (number | 'stub')[] | null]>([
  ['the oldest results until it is half as large', [[500, 500], [500], [500]], ['stub', 'stub', 'stub', 500]],
  ['no more of them than it takes', [[1_513], [500], [500]], ['stub', 500, 500]],
  ['none that is shorter than the words in its place', [[73, 72], [500, 74], [900]], [73, 72, 'stub', 'stub', 900]],
  ['none of its last turn', [[500], [5_000]], ['stub', 5_000]],
  ['nothing where there is no other', [[5_000]], null],
])('a history loses %s', (_what, turns, expected) => {
  expect(shrunk(turns)).toEqual(expected);
});
