import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import { type AddedRun, addedRuns, lineOf } from './added-runs.ts';
import type { FileMatcher, ScopedRule } from './line-matcher.ts';

export type Candidate = { readonly hunk: Hunk; readonly run: AddedRun; readonly scoped: ScopedRule };

/** The rules with the lines that they may match. */
export function* candidatesIn({ hunks }: ChangedFile, matcher: FileMatcher): Generator<Candidate> {
  for (const hunk of hunks) {
    for (const run of addedRuns(hunk)) {
      for (const [offset, text] of run.lines.entries()) {
        for (const scoped of matcher.ofLine(text)) yield { hunk, run: lineOf(run, offset), scoped };
      }
      if (matcher.multiLine.length === 0) continue;
      const whole = run.lines.join('\n');
      for (const scoped of matcher.multiLine.filter(({ mayMatch }) => mayMatch(whole))) yield { hunk, run, scoped };
    }
  }
}
