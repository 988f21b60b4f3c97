import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { checkExamples } from '../../../src/core/rules/check-examples.ts';
import { parseRule } from '../../../src/core/rules/parse-rule.ts';
import { requiredTexts } from '../../../src/core/rules/required-texts.ts';
import { isAboutSecrets } from '../../../src/core/rules/rule.ts';
import { addedFile } from '../../fakes/changed-files.ts';
import { runRule } from '../../fakes/run-rule.ts';

const folder = fileURLToPath(new URL('../../../rules', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.md'));

describe('the built-in rules', () => {
  it('are those of rules/*.md: run scripts/rules.ts after a change', () => {
    const parsed = files.sort().map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return parseRule({ path: `rules/${name}`, text, origin: 'built-in' });
    });
    expect(parsed).toEqual(builtInRules.map((rule) => ({ ok: true, rule })));
  });

  it('stand in files named after their ids', () => {
    expect(builtInRules.map((rule) => `${rule.id}.md`)).toEqual(files.sort());
  });

  it.each(builtInRules.map((rule) => [rule.id, rule] as const))(
    '%s finds its bad examples and no good one',
    (_id, rule) => {
      expect(checkExamples(rule)).toEqual([]);
      expect(rule.bad.length).toBeGreaterThan(0);
      expect(rule.good.length).toBeGreaterThan(1);
      expect(rule.guidance.length).toBeGreaterThan(50);
    },
  );

  it.each(builtInRules.filter(isAboutSecrets).map((rule) => [rule.id, rule] as const))(
    '%s shows no credential that it finds',
    async (_id, rule) => {
      const files = [
        addedFile(
          'a.ts',
          rule.bad.map(({ text }) => text),
        ),
      ];
      const { secrets, quotes } = await runRule({ ...rule, paths: [], languages: [] }, files);
      expect([secrets.length > 0, quotes.length]).toEqual([true, rule.bad.length]);
      expect(quotes.filter((quote) => secrets.some((secret) => quote.includes(secret)))).toEqual([]);
    },
  );

  it.each(builtInRules.flatMap(({ id, pattern }) => (pattern === null ? [] : [[id, pattern] as const])))(
    '%s is quick: it needs a fixed text',
    (_id, pattern) => {
      expect(requiredTexts(pattern)).not.toBeNull();
    },
  );
});
