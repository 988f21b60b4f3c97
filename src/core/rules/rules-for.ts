import { appliesTo } from './applies-to.ts';
import type { Rule } from './rule.ts';

/** The rules that are about at least one of these paths. */
export function rulesFor(rules: readonly Rule[], paths: readonly string[]): readonly Rule[] {
  return rules.filter((rule) => paths.some(appliesTo(rule)));
}
