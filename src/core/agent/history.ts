import type { RequestEstimator } from './estimate.ts';
import type { Message } from './message.ts';
import { shrinkHistory } from './shrink.ts';

/** The messages of a run: append-only, apart from one shrinking when the context overflows. */
export class History {
  readonly #estimate: RequestEstimator;
  #messages: readonly Message[];
  #shrunk = false;

  constructor(messages: readonly Message[], estimate: RequestEstimator) {
    this.#messages = messages;
    this.#estimate = estimate;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  append(...messages: readonly Message[]): void {
    this.#messages = [...this.#messages, ...messages];
  }

  /** False when it was shrunk before, or when there is nothing to take out. */
  shrink(): boolean {
    if (this.#shrunk) return false;
    const shrunk = shrinkHistory(this.#messages, (message) => this.#estimate({ messages: [message], tools: [] }));
    if (shrunk === null) return false;
    this.#messages = shrunk;
    this.#shrunk = true;
    return true;
  }
}
