import { addUsage, noUsage } from '../agent/usage.ts';
import type { Metrics } from './review.ts';

export const noMetrics: Metrics = { usage: noUsage, modelCalls: 0, iterations: 0, toolCalls: 0, toolCallsByName: {} };

export function addMetrics(one: Metrics, other: Metrics): Metrics {
  const names = new Set([...Object.keys(one.toolCallsByName), ...Object.keys(other.toolCallsByName)]);
  return {
    usage: addUsage(one.usage, other.usage),
    modelCalls: one.modelCalls + other.modelCalls,
    iterations: one.iterations + other.iterations,
    toolCalls: one.toolCalls + other.toolCalls,
    toolCallsByName: Object.fromEntries(
      [...names].sort().map((name) => [name, (one.toolCallsByName[name] ?? 0) + (other.toolCallsByName[name] ?? 0)]),
    ),
  };
}
