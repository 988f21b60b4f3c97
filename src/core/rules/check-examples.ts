import { RE2JS } from 're2js';
import type { Rule } from './rule.ts';

/** What a rule's own examples say against it: bad lines that its pattern misses, good ones that it matches. */
export function checkExamples(rule: Rule): readonly string[] {
  if (rule.pattern === null) return [];
  const pattern = RE2JS.compile(rule.pattern);
  return [
    ...rule.bad
      .filter((line) => !pattern.test(line))
      .map((line) => `the pattern misses the bad example ${quoted(line)}`),
    ...rule.good
      .filter((line) => pattern.test(line))
      .map((line) => `the pattern matches the good example ${quoted(line)}`),
  ];
}

function quoted(line: string): string {
  return JSON.stringify(line.trim());
}
