import type { Model, ModelAnswer, ModelRequest } from '../../../src/core/agent/model.ts';
import type { FakeClock } from '../../fakes/fake-clock.ts';

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
