import type { Rule } from '../../src/core/rules/rule.ts';

/** A rule of the repository that finds `bad` everywhere, but for what is given. */
export function ruleWith(changes: Partial<Rule> = {}): Rule {
  return {
    id: 'no-bad',
    title: 'Bad',
    severity: 'info',
    category: 'style',
    paths: [],
    languages: [],
    pattern: 'bad',
    secrets: null,
    oncePerFile: false,
    multiLine: false,
    skip: [],
    entropy: null,
    minLength: 8,
    maxFindings: 10,
    guidance: 'Do better.',
    good: [],
    bad: [],
    origin: 'repository',
    ...changes,
  };
}
