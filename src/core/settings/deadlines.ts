/**
 * Milliseconds of the clock. At `soft` no new iteration starts and the last calls run; at `hard` everything stops, and the
 * rest of the time is for delivering, to other servers until `delivery` and to files until `end`. Soft is the timeout minus the larger of
 * 60 s and 15 %, or half of a very short one.
 */
export function deadlines(
  startedAt: number,
  timeoutMinutes: number,
): { readonly soft: number; readonly hard: number; readonly delivery: number; readonly end: number } {
  const whole = timeoutMinutes * 60_000;
  const end = startedAt + whole;
  const margin = Math.min(Math.max(60_000, whole * 0.15), whole / 2);
  return { soft: end - margin, hard: end - margin / 3, delivery: end - Math.min(5_000, margin / 10), end };
}
