import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, it } from 'vitest';
import { secretGroups, secretKinds } from '../../../src/core/repository/secret-kinds.ts';
import { findSecrets, redactSecrets } from '../../../src/core/repository/secrets.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { runRules } from '../../../src/core/rules/run-rules.ts';
import { addedFile } from '../../fakes/changed-files.ts';
import { lookAlikes, publishedLines } from '../../fakes/innocent-lines.ts';
import { fill, forms, passwords, places, random } from '../../fakes/secret-forms.ts';

const planted = [
  ...forms.flatMap(([kind, form]) => places.slice(0, 3).map((place) => [kind, place.replace('<>', form)] as const)),
  ...passwords,
].map(([kind, line], index) => ({ kind, line: fill(line, random(index + 1)) }));

const running = {
  nextId: () => 'f1',
  readHead: async () => null,
  commentFor: () => null,
  hide: (text: string) => text,
};
const found = (line: string) => secretGroups.flatMap((group) => findSecrets(line, group));

describe('the table of credentials', () => {
  it('has a form for every kind, so that each is tried', () => {
    const tried = new Set([...forms, ...passwords].map(([kind]) => kind));
    expect(secretKinds.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });

  it('knows at least 95 of 100 that are planted', () => {
    const missed = planted.filter(({ line }) => found(line).length === 0);
    expect(planted.length).toBeGreaterThanOrEqual(200);
    expect({ missed: missed.map(({ kind }) => kind), enough: missed.length <= planted.length * 0.05 }).toEqual({
      missed: [],
      enough: true,
    });
  });

  it('is what the rules report: whatever is hidden in an added line is a finding', async () => {
    const silent: string[] = [];
    for (const { kind, line } of planted) {
      if (redactSecrets(line) === line) continue;
      const files = [addedFile('docs/notes.md', [line])];
      const { findings } = await runRules({ ...running, rules: builtInRules, files });
      if (findings.length !== 1) silent.push(`${kind}: ${findings.length} findings`);
    }
    expect(silent).toEqual([]);
  });

  it('knows whatever the rules that secretlint recommends know', async () => {
    const text = planted.map(({ line }) => line).join('\n');
    const theirs = await linesOfSecretlint(text);
    expect(theirs.size).toBeGreaterThan(60);
    expect([...theirs].filter((index) => found(planted[index]?.line ?? '').length === 0)).toEqual([]);
  });

  it('takes the credential and nothing that stands beside it', () => {
    const line = fill('export const bot = "xoxb-<d:12>-<d:12>-<a:24>";', random(7));
    expect(redactSecrets(line)).toBe('export const bot = "[redacted: slack token]";');
  });

  it('is wrong about at most 5 of 1,000 innocent lines', () => {
    const innocent = [...publishedLines(1_800), ...lookAlikes()];
    const wrong = innocent.filter((line) => found(line).length > 0);
    expect(innocent.length).toBeGreaterThanOrEqual(2_000);
    expect({ wrong, few: wrong.length <= innocent.length * 0.005 }).toEqual({ wrong: [], few: true });
  });
});

async function linesOfSecretlint(content: string): Promise<ReadonlySet<number>> {
  const rules = [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }];
  const source = { filePath: 'a.txt', content, contentType: 'text', ext: '.txt' } as const;
  const { messages } = await lintSource({ source, options: { config: { rules }, noPhysicFilePath: true } });
  return new Set(messages.map(({ range: [start] }) => content.slice(0, start).split('\n').length - 1));
}
