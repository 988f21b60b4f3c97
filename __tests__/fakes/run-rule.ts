import type { ChangedFile } from '../../src/core/pull-request/changed-file.ts';
import { hideSecrets } from '../../src/core/repository/hide-values.ts';
import type { Rule } from '../../src/core/rules/rule.ts';
import { runRules } from '../../src/core/rules/run-rules.ts';
import { secretsIn } from '../../src/core/rules/secrets-in.ts';
import { ruleWith } from './rule-with.ts';

/** One rule over these files, whose text at head is the given one; null where it cannot be read. */
export async function runRule(rule: Partial<Rule>, files: readonly ChangedFile[], head: string | null = null) {
  let count = 0;
  const readHead = async () => head;
  const rules = [ruleWith(rule)];
  const found = secretsIn(rules, files);
  const secrets = found.map(({ value }) => value);
  const { findings } = await runRules({
    rules,
    files,
    nextId: () => `f${++count}`,
    readHead,
    commentFor: () => null,
    hide: hideSecrets(found),
  });
  const anchors = findings.flatMap(({ anchor }) => (anchor.kind === 'lines' ? [anchor] : []));
  const lines = anchors.map(({ startLine, endLine }) =>
    startLine === endLine ? startLine : `${startLine}-${endLine}`,
  );
  return {
    findings,
    secrets,
    lines,
    quotes: anchors.map(({ quote }) => quote),
    paths: findings.map(({ path }) => path),
  };
}
