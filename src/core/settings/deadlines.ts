/**
 * Milliseconds of the clock. At `soft` no new iteration starts and the last calls run; at `hard` everything stops, and the
 * rest of the time is for delivering. Soft is the timeout minus the larger of 60 s and 15 %, or half of a very short one.
 */
export function deadlines(startedAt: number, timeoutMinutes: number): { readonly soft: number; readonly hard: number } {
  const whole = timeoutMinutes * 60_000;
  const margin = Math.min(Math.max(60_000, whole * 0.15), whole / 2);
  return { soft: startedAt + whole - margin, hard: startedAt + whole - margin / 3 };
}
