import { costOrNull, count, exactly, type Infer } from '../schema.ts';
import { type Phase, phases } from './event.ts';
import { addCost, addUsage, noUsage, type Usage, usageSchema } from './model.ts';

const toolUseSchema = exactly({
  calls: count,
  milliseconds: count,
  cut: { ...count, description: 'Results that were too long.' },
});
export type ToolUse = Infer<typeof toolUseSchema>;

const phaseUseSchema = exactly({ modelCalls: count, usage: usageSchema, cost: costOrNull });
type PhaseUse = Infer<typeof phaseUseSchema>;

/** Of every tool: the name of a prototype must not be one. */
const toolNames = { pattern: '^[a-z]{1,20}(?:_[a-z]{1,20}){1,4}$' } as const;

export const metricsSchema = exactly({
  ...phaseUseSchema.properties,
  usage: { ...usageSchema, description: 'Summed over every attempt, failed and final ones included.' },
  modelCalls: { ...count, description: 'Attempts, retries included.' },
  iterations: { ...count, description: 'Model calls that offered a reading tool.' },
  toolCalls: { ...count, description: 'Calls that were run: neither unknown, malformed, denied nor skipped.' },
  tools: { type: 'object', propertyNames: toolNames, additionalProperties: toolUseSchema },
  phases: {
    type: 'object',
    propertyNames: { enum: phases },
    additionalProperties: phaseUseSchema,
    description: 'Only phases that made a call.',
  },
});
export type AgentMetrics = Infer<typeof metricsSchema>;

const noToolUse: ToolUse = { calls: 0, milliseconds: 0, cut: 0 };
const noPhaseUse: PhaseUse = { usage: noUsage, cost: null, modelCalls: 0 };
export const noMetrics: AgentMetrics = { ...noPhaseUse, iterations: 0, toolCalls: 0, tools: {}, phases: {} };

/** The metrics of two runs together. */
export function addMetrics(one: AgentMetrics, other: AgentMetrics): AgentMetrics {
  const names = [...new Set([...Object.keys(one.tools), ...Object.keys(other.tools)])].sort();
  const used = phases.filter((phase) => one.phases[phase] !== undefined || other.phases[phase] !== undefined);
  return {
    ...addPhaseUse(one, other),
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
    usage: addUsage(one.usage, other.usage),
    cost: addCost(one.cost, other.cost),
    modelCalls: one.modelCalls + other.modelCalls,
  };
}

/** The one place where use is summed: what is counted here is counted with `whole` too. */
export class Meter {
  #metrics: AgentMetrics;
  readonly #whole: Meter | null;

  constructor(whole: Meter | null = null, before: AgentMetrics = noMetrics) {
    this.#whole = whole;
    this.#metrics = before;
  }

  get metrics(): AgentMetrics {
    return this.#metrics;
  }

  /** Another one, counted with the same whole. */
  beside(): Meter {
    return new Meter(this.#whole);
  }

  countAttempt({ phase, usage, cost }: { phase: Phase; usage: Usage; cost: number | null }): void {
    this.#add({ usage, cost, modelCalls: 1, phases: { [phase]: { modelCalls: 1, usage, cost } } });
  }

  countIteration(): void {
    this.#add({ iterations: 1 });
  }

  countToolCall(name: string, { milliseconds, cut }: { milliseconds: number; cut: boolean }): void {
    this.#add({ toolCalls: 1, tools: { [name]: { calls: 1, milliseconds, cut: cut ? 1 : 0 } } });
  }

  #add(more: Partial<AgentMetrics>): void {
    this.#metrics = addMetrics(this.#metrics, { ...noMetrics, ...more });
    if (this.#whole !== null) this.#whole.#add(more);
  }
}
