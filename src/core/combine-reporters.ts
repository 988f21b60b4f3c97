import type { Reporter } from './reporter.ts';

/** One reporter that tells all of them. It never throws: what one cannot write must not stop the review or the others. */
export function combineReporters(...reporters: readonly Reporter[]): Reporter {
  return (event) => {
    for (const report of reporters) tell(report, event);
  };
}

function tell(report: Reporter, event: Parameters<Reporter>[0]): void {
  try {
    report(event);
  } catch {
    // A reporter promises not to throw, and a review is worth more than its log.
  }
}
