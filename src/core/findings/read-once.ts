import type { GroundSources } from './ground-sources.ts';

/** Reads each side of a file once. A failure is not remembered: the next attempt may succeed. */
export function readOnce(read: GroundSources['read']): GroundSources['read'] {
  const readings = new Map<string, ReturnType<GroundSources['read']>>();
  return (path, side) => {
    const key = `${side} ${path}`;
    const known = readings.get(key);
    if (known !== undefined) return known;
    const reading = read(path, side);
    readings.set(key, reading);
    reading.catch(() => readings.delete(key));
    return reading;
  };
}
