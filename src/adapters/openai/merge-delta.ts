import { isObject } from './json.ts';

/** Texts that are sent whole with every chunk. */
const constant: ReadonlySet<string> = new Set(['role', 'type', 'id', 'index', 'model', 'object', 'format']);

/**
 * Adds what a chunk brings to what the earlier ones did, unknown fields included: texts grow, lists and objects too, everything else is
 * replaced. The result goes back to the server verbatim.
 */
export function mergeDelta(held: unknown, delta: unknown, name = ''): unknown {
  if (delta === undefined || delta === null) return held ?? delta;
  if (typeof held === 'string' && typeof delta === 'string') return constant.has(name) ? delta || held : held + delta;
  // Grown in place, as it belongs to this answer alone: a copy for each chunk would take the square of their number.
  if (Array.isArray(held) && Array.isArray(delta)) {
    for (const item of delta) held.push(item);
    return held;
  }
  if (!isObject(held) || !isObject(delta)) return delta;
  const merged: { [key: string]: unknown } = { ...held };
  for (const [key, value] of Object.entries(delta)) merged[key] = mergeDelta(merged[key], value, key);
  return merged;
}
