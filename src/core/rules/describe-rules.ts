import type { LoadedRules } from './load-rules.ts';
import { hasPattern, type Rule } from './rule.ts';

/** What `postil rules` prints: a line a rule, and what is wrong with those of the folder. `oneLine` makes their words harmless. */
export function describeRules({ rules, problems }: LoadedRules, oneLine: (text: string) => string): string {
  const width = Math.max(...rules.map(({ id }) => id.length));
  const lines = rules.map(
    (rule) => `${rule.id.padEnd(width)}  ${rule.severity.padEnd(8)}  ${kindOf(rule)}  ${oneLine(rule.title)}`,
  );
  const examples = rules.reduce((sum, { good, bad }) => sum + good.length + bad.length, 0);
  const result =
    problems.length === 0
      ? `${examples} examples hold.`
      : problems.map((problem) => `Problem: ${oneLine(problem)}`).join('\n');
  return `${lines.join('\n')}\n\n${rules.length} rules.${problems.length === 0 ? ' ' : '\n'}${result}\n`;
}

function kindOf(rule: Rule): string {
  return `${rule.origin === 'repository' ? 'yours   ' : 'built-in'}  ${hasPattern(rule) ? 'pattern ' : 'guidance'}`;
}
