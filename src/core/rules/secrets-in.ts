import type { ChangedFile } from '../pull-request/changed-file.ts';
import { candidatesIn } from './candidates.ts';
import { lineMatcher } from './line-matcher.ts';
import { matchRun } from './match-run.ts';
import type { Rule } from './rule.ts';

// Each of them is looked for in every text from then on.
const maxSecrets = 1_000;

/** The credentials that rules with an entropy find in added lines, in comments too: at most 1,000. */
export function secretsIn(rules: readonly Rule[], files: readonly ChangedFile[]): readonly string[] {
  const matcherFor = lineMatcher(rules.filter(({ entropy }) => entropy !== null));
  const secrets = new Set<string>();
  for (const file of files) {
    const matcher = matcherFor(file.path);
    if (matcher === null) continue;
    for (const { run, scoped } of candidatesIn(file, matcher)) {
      for (const match of matchRun(run, scoped, null)) for (const secret of match.secrets) secrets.add(secret);
      if (secrets.size >= maxSecrets) return [...secrets].slice(0, maxSecrets);
    }
  }
  return [...secrets];
}
