/** Writes the rules of rules/*.md, parsed, into src/core/rules/built-in-rules.ts: the bundle carries them and reads no files. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkExamples } from '../src/core/rules/load-rules.ts';
import { parseRule } from '../src/core/rules/parse-rule.ts';
import type { Rule } from '../src/core/rules/rule.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'src/core/rules/built-in-rules.ts');

const rules = readRules(join(root, 'rules'));
writeFileSync(output, render(rules));

function readRules(folder: string): readonly Rule[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => readRule(join(folder, name)));
}

function readRule(path: string): Rule {
  const parsed = parseRule({ path, text: readFileSync(path, 'utf8'), origin: 'built-in' });
  if (!parsed.ok) throw new Error(parsed.problem);
  const problems = checkExamples(parsed.rule);
  if (problems.length > 0) throw new Error(`${path}: ${problems.join('; ')}`);
  return parsed.rule;
}

function render(all: readonly Rule[]): string {
  return [
    '// @generated from rules/*.md by scripts/rules.ts: change those.',
    '// biome-ignore-all format: one rule a line keeps the file short.',
    '// biome-ignore-all lint/suspicious/noTemplateCurlyInString: examples of workflows hold expressions.',
    "import type { Rule } from './rule.ts';",
    '',
    'export const builtInRules: readonly Rule[] = [',
    ...all.map((rule) => `  ${JSON.stringify(rule)},`),
    '];',
    '',
  ].join('\n');
}
