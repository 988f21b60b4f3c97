import { phases } from '../agent/event.ts';
import type { Infer } from '../schema.ts';
import { cost, count, exactly, listOf, time } from './exact-schema.ts';
import type { Metrics } from './review.ts';

const usage = exactly({
  input: count,
  cached: count,
  output: count,
  thinking: count,
  estimated: { type: 'boolean' },
});

const toolNames = '^[a-z]{1,20}(?:_[a-z]{1,20}){1,4}$';

/** How metrics stand in a review file. Lists: names as keys of an object could be those of its prototype. */
export const metricsSchema = exactly({
  usage,
  cost,
  modelCalls: count,
  iterations: count,
  toolCalls: count,
  tools: listOf(
    exactly({ name: { type: 'string', pattern: toolNames }, calls: count, milliseconds: time, cut: count }),
    100,
  ),
  phases: listOf(exactly({ phase: { enum: phases }, modelCalls: count, usage, cost }), phases.length),
});

export type MetricsOnWire = Infer<typeof metricsSchema>;

/** Names that no tool of ours has are left out; their calls are in the total. */
export function metricsOnWire({ tools, phases: byPhase, ...metrics }: Metrics): MetricsOnWire {
  const isOurs = new RegExp(toolNames);
  const named = Object.entries(tools).filter(([name]) => isOurs.test(name));
  return {
    ...metrics,
    tools: named.slice(0, 100).map(([name, use]) => ({ name, ...use })),
    phases: phases.flatMap((phase) => {
      const use = byPhase[phase];
      return use === undefined ? [] : [{ phase, ...use }];
    }),
  };
}

export function metricsFrom({ tools, phases: byPhase, ...metrics }: MetricsOnWire): Metrics {
  return {
    ...metrics,
    tools: Object.fromEntries(tools.map(({ name, ...use }) => [name, use])),
    phases: Object.fromEntries(byPhase.map(({ phase, ...use }) => [phase, use])),
  };
}
