import type { AgentMetrics, PhaseUse, ToolUse } from './agent.ts';
import { type Phase, phases } from './event.ts';
import { addCost, addUsage, noUsage, type Usage } from './usage.ts';

export const noMetrics: AgentMetrics = {
  usage: noUsage,
  cost: null,
  modelCalls: 0,
  iterations: 0,
  toolCalls: 0,
  tools: {},
  phases: {},
};

const noToolUse: ToolUse = { calls: 0, milliseconds: 0, cut: 0 };
const noPhaseUse: PhaseUse = { modelCalls: 0, usage: noUsage, cost: null };

/** The metrics of two runs together. */
export function addMetrics(one: AgentMetrics, other: AgentMetrics): AgentMetrics {
  const names = [...new Set([...Object.keys(one.tools), ...Object.keys(other.tools)])].sort();
  const used = phases.filter((phase) => one.phases[phase] !== undefined || other.phases[phase] !== undefined);
  return {
    usage: addUsage(one.usage, other.usage),
    cost: addCost(one.cost, other.cost),
    modelCalls: one.modelCalls + other.modelCalls,
    iterations: one.iterations + other.iterations,
    toolCalls: one.toolCalls + other.toolCalls,
    tools: Object.fromEntries(
      names.map((name) => [name, addToolUse(one.tools[name] ?? noToolUse, other.tools[name] ?? noToolUse)]),
    ),
    phases: Object.fromEntries(
      used.map((phase) => [phase, addPhaseUse(one.phases[phase] ?? noPhaseUse, other.phases[phase] ?? noPhaseUse)]),
    ),
  };
}

function addToolUse(one: ToolUse, other: ToolUse): ToolUse {
  return {
    calls: one.calls + other.calls,
    milliseconds: one.milliseconds + other.milliseconds,
    cut: one.cut + other.cut,
  };
}

function addPhaseUse(one: PhaseUse, other: PhaseUse): PhaseUse {
  return {
    modelCalls: one.modelCalls + other.modelCalls,
    usage: addUsage(one.usage, other.usage),
    cost: addCost(one.cost, other.cost),
  };
}

/** Counts what a run does, on top of what it did before. */
export class Meter {
  #usage: Usage;
  #cost: number | null;
  #modelCalls: number;
  #iterations: number;
  readonly #tools: Map<string, ToolUse>;
  readonly #phases: Map<Phase, PhaseUse>;

  constructor(before: AgentMetrics) {
    this.#usage = before.usage;
    this.#cost = before.cost;
    this.#modelCalls = before.modelCalls;
    this.#iterations = before.iterations;
    this.#tools = new Map(Object.entries(before.tools));
    this.#phases = new Map(phases.flatMap((phase) => entryOf(phase, before.phases[phase])));
  }

  get iterations(): number {
    return this.#iterations;
  }

  countAttempt({ phase, usage, cost }: { phase: Phase; usage: Usage; cost: number | null }): void {
    this.#modelCalls += 1;
    this.#usage = addUsage(this.#usage, usage);
    this.#cost = addCost(this.#cost, cost);
    this.#phases.set(phase, addPhaseUse(this.#phases.get(phase) ?? noPhaseUse, { modelCalls: 1, usage, cost }));
  }

  countIteration(): void {
    this.#iterations += 1;
  }

  countToolCall(name: string): void {
    this.#addTool(name, { calls: 1, milliseconds: 0, cut: 0 });
  }

  /** How a counted call went. */
  noteToolResult(name: string, { milliseconds, cut }: { milliseconds: number; cut: boolean }): void {
    this.#addTool(name, { calls: 0, milliseconds, cut: cut ? 1 : 0 });
  }

  metrics(): AgentMetrics {
    return {
      usage: this.#usage,
      cost: this.#cost,
      modelCalls: this.#modelCalls,
      iterations: this.#iterations,
      toolCalls: [...this.#tools.values()].reduce((sum, { calls }) => sum + calls, 0),
      tools: Object.fromEntries(this.#tools),
      phases: Object.fromEntries(this.#phases),
    };
  }

  #addTool(name: string, use: ToolUse): void {
    this.#tools.set(name, addToolUse(this.#tools.get(name) ?? noToolUse, use));
  }
}

function entryOf(phase: Phase, use: PhaseUse | undefined): [Phase, PhaseUse][] {
  return use === undefined ? [] : [[phase, use]];
}
