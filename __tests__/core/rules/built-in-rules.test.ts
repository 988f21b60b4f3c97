import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { checkExamples } from '../../../src/core/rules/check-examples.ts';
import { parseRule } from '../../../src/core/rules/parse-rule.ts';
import { requiredTexts } from '../../../src/core/rules/required-texts.ts';
import { isAboutSecrets } from '../../../src/core/rules/rule.ts';
import { runRules } from '../../../src/core/rules/run-rules.ts';
import { addedFile } from '../../fakes/changed-files.ts';
import { publishedChanges } from '../../fakes/innocent-lines.ts';
import { runRule } from '../../fakes/run-rule.ts';

const folder = fileURLToPath(new URL('../../../rules', import.meta.url));
const syntax = fileURLToPath(new URL('../../fixtures/syntax', import.meta.url));
const running = {
  nextId: () => 'f1',
  readHead: async () => null,
  commentFor: () => null,
  hide: (text: string) => text,
};
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

  it('find at most 2 things in 50 changes of published code, and nothing in samples of nine more languages', async () => {
    const found = async (changes: readonly ChangedFile[]) => {
      const { findings } = await runRules({ ...running, rules: builtInRules, files: changes });
      return findings.map(({ ruleId, path }) => `${ruleId} ${path}`);
    };
    const published = publishedChanges(50);
    const samples = readdirSync(syntax).filter((name) => name.endsWith('.txt'));
    const others = samples.map((name) =>
      addedFile(name.slice(0, -4), readFileSync(join(syntax, name), 'utf8').split('\n')),
    );
    expect([published.length, others.length > 9]).toEqual([50, true]);
    expect([(await found(published)).slice(2), await found(others)]).toEqual([[], []]);
  });
});
