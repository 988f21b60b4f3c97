import fc from 'fast-check';
import { requestEstimator } from '../../../src/core/agent/estimate.ts';
import {
  type AnswerEnd,
  type Model,
  type ModelAnswer,
  ModelError,
  type ModelErrorKind,
  type ModelRequest,
} from '../../../src/core/agent/model.ts';
import { malformedCall } from '../../../src/core/agent/text-tool-calls.ts';
import type { FakeClock } from '../../fakes/memory-repository.ts';
import { type ScriptedAnswer, ScriptedModel, usage } from '../../fakes/scripted-model.ts';
import { quarter } from './agent-with.ts';

/** One thing that a model or its server does. */
type Deed = {
  readonly milliseconds: number;
  /** Reported prompt tokens in parts of the estimate; null: the server reports nothing. */
  readonly reported: number | null;
  /** Characters that it tells of before it does the rest; null: it does not stream. */
  readonly writes: number | null;
} & (
  | { readonly kind: 'answer'; readonly answer: ScriptedAnswer }
  | {
      readonly kind: 'error';
      readonly error: ModelErrorKind;
      readonly retryAfter: number | null;
      readonly billed: boolean;
    }
  | { readonly kind: 'hang' }
);

/** Does the deeds one after the other, and starts again when it is through. */
export function chaoticModel(given: { readonly deeds: readonly Deed[]; readonly clock: FakeClock }): ScriptedModel {
  const estimate = requestEstimator(quarter);
  const script = Array.from({ length: 200 }, (_, index) => given.deeds[index % given.deeds.length]);
  return new ScriptedModel(
    ...script.map((deed) => async (request: ModelRequest, signal: AbortSignal) => {
      if (deed === undefined) throw new Error('there is no deed');
      if (deed.writes !== null) request.onProgress?.(deed.writes);
      if (deed.kind === 'hang') return new Promise<never>(() => undefined);
      await given.clock.wait(deed.milliseconds, signal);
      if (deed.kind === 'error') {
        throw new ModelError(deed.error, 'broken', { retryAfter: deed.retryAfter, maybeBilled: deed.billed });
      }
      if (deed.reported === null) return deed.answer;
      return { ...deed.answer, usage: usage(Math.floor(estimate(request) * deed.reported), 300) };
    }),
  );
}

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

export const deeds: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc
    .record({
      milliseconds: fc.constantFrom(0, 1, 5_000, 100_000),
      writes: fc.option(fc.constantFrom(1, 4_000, 1_000_000)),
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

/** Notes what a model was asked, and when. */
export class WatchedModel implements Model {
  attempts = 0;
  /** Answers to requests that offered a reading tool. */
  iterations = 0;
  lastAttemptAt = -1;
  lastIterationAt = -1;
  readonly #model: Model;
  readonly #clock: FakeClock;

  constructor(model: Model, clock: FakeClock) {
    this.#model = model;
    this.#clock = clock;
  }

  async answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const offersReading = request.tools.length > 1;
    this.attempts += 1;
    this.lastAttemptAt = this.#clock.now();
    if (offersReading) this.lastIterationAt = this.#clock.now();
    const answer = await this.#model.answer(request, signal);
    if (offersReading && !signal.aborted) this.iterations += 1;
    return answer;
  }
}
