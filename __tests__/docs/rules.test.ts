import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkExamples } from '../../src/core/rules/check-examples.ts';
import { parseRule, ruleFields } from '../../src/core/rules/parse-rule.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

/** The rule files that a page shows. */
function rulesIn(path: string) {
  const blocks = [...read(path).matchAll(/^````markdown\n(---\n[\s\S]*?)\n````$/gm)].map((block) => block[1] ?? '');
  return blocks.map((text) => parseRule({ path, text, origin: 'repository' }));
}

describe('the rules that docs/rules.md shows', () => {
  it('are rules, and their examples hold', () => {
    const rules = rulesIn('docs/rules.md');
    expect(rules.map((parsed) => (parsed.ok ? checkExamples(parsed.rule) : parsed.problem))).toEqual([[], [], []]);
  });

  it('come with every field there is', () => {
    const table = read('docs/rules.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .join('\n');
    expect(ruleFields.filter((field) => !table.includes(`\`${field}\``))).toEqual([]);
  });
});
