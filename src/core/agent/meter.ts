import type { AgentMetrics } from './agent.ts';
import { addUsage, noUsage, type Usage } from './usage.ts';

export const noMetrics: AgentMetrics = {
  usage: noUsage,
  modelCalls: 0,
  iterations: 0,
  toolCalls: 0,
  toolCallsByName: {},
};

/** Counts what a run does, on top of what it did before. */
export class Meter {
  #usage: Usage;
  #modelCalls: number;
  #iterations: number;
  readonly #toolCalls: Map<string, number>;

  constructor(before: AgentMetrics) {
    this.#usage = before.usage;
    this.#modelCalls = before.modelCalls;
    this.#iterations = before.iterations;
    this.#toolCalls = new Map(Object.entries(before.toolCallsByName));
  }

  get iterations(): number {
    return this.#iterations;
  }

  countAttempt(usage: Usage): void {
    this.#modelCalls += 1;
    this.#usage = addUsage(this.#usage, usage);
  }

  countIteration(): void {
    this.#iterations += 1;
  }

  countToolCall(name: string): void {
    this.#toolCalls.set(name, (this.#toolCalls.get(name) ?? 0) + 1);
  }

  metrics(): AgentMetrics {
    return {
      usage: this.#usage,
      modelCalls: this.#modelCalls,
      iterations: this.#iterations,
      toolCalls: [...this.#toolCalls.values()].reduce((sum, calls) => sum + calls, 0),
      toolCallsByName: Object.fromEntries(this.#toolCalls),
    };
  }
}
