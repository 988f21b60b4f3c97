// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to secrets, as source holds them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChangedFile, hunkLines } from '../../../src/core/pull-request/changed-file.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { checkExamples } from '../../../src/core/rules/load-rules.ts';
import { parseRule } from '../../../src/core/rules/parse-rule.ts';
import { compile, requiredTexts } from '../../../src/core/rules/pattern.ts';
import { isAboutSecrets } from '../../../src/core/rules/rule.ts';
import { runRules } from '../../../src/core/rules/run-rules.ts';
import { addedFile, changedFile, hunkOf, runRule } from '../../fakes/memory-repository.ts';
import { publishedChanges } from '../../fakes/secrets.ts';

describe('a rule over several lines', () => {
  const rule = { multiLine: true, pattern: '^\\s*try \\{$\\n\\s*\\}$' };

  it('matches added lines that follow each other, and points at all of them', async () => {
    const { lines, quotes, findings } = await runRule(rule, [addedFile('a.ts', ['a', '  try {\r', '  }\r', 'b'])]);
    expect([lines, quotes]).toEqual([['2-3'], ['  try {\n  }']]);
    expect(findings[0]?.evidence).toContain('The added lines a.ts:2-3 match the pattern');
  });

  it('matches across a removed line, and never across one that stood there before', async () => {
    const removed = changedFile('a.ts', { lines: ['+try {', '-x', '+}'] });
    const context = changedFile('a.ts', { lines: ['+try {', ' x', '+}', ' try {', '+}', '+try {', ' }'] });
    expect([(await runRule(rule, [removed])).lines, (await runRule(rule, [context])).lines]).toEqual([['1-2'], []]);
  });

  it('does not see the comments that it skips', async () => {
    const added = addedFile('a.ts', ['try { // why', '}', 'try {', '// bad', '}']);
    expect((await runRule({ ...rule, pattern: 'try \\{\\s*\\}', skip: ['comments'] }, [added])).lines).toEqual([
      '1-2',
      '3-5',
    ]);
  });

  it('points at the first 20 lines of a longer match', async () => {
    const added = addedFile('a.ts', ['open', ...Array(500).fill('x'), 'close']);
    expect((await runRule({ multiLine: true, pattern: '(?s)open.*close' }, [added])).lines).toEqual(['1-20']);
  });
});

describe('a rule with an entropy', () => {
  const rule = { entropy: 3, minLength: 12, pattern: '(?:token|key) ?[=:] ?["\']?([^"\'\\s]+)' };

  it.each([
    ['token = "k3Jd8sLq0Zx7Vb2N"', true],
    ["key: 'tR4mv9zKqW2x'", true],
    ['token = "k3Jd8sLq"', false],
    ['token = "aaaaaaaaaaaaaaaa"', false],
    ['token = "changeme-changeme"', false],
    ['token = "example-k3Jd8sLq0Zx"', false],
    ['token = "${VAULT_TOKEN_K3Jd8}"', false],
    ['token = process.env.K3Jd8sLq0Zx7', false],
    ['token = <K3Jd8sLq0Zx7Vb2N>', false],
    ['token = ghp_0123456789abcdefghijABCDEFGHIJ012345', true],
    ['token = my-test-token-for-the-local-stack', false],
    ['token = changeme; key = k3Jd8sLq0Zx7Vb2N', true],
  ])('of %j says %s', async (line, found) => {
    expect((await runRule(rule, [addedFile('a.ts', [line])])).findings.length > 0).toBe(found);
  });

  it('shows the credential nowhere,', async () => {
    const lines = ['token = acme-k3jd8slq0zx7 and key: acme-b2n9w4e6r8t0', 'token = "acme-m5n7b9v1c3x5"'];
    const { findings, secrets, quotes } = await runRule({ ...rule, maxFindings: 1 }, [addedFile('a.ts', lines)]);
    expect(quotes).toEqual(['token = [redacted: secret] and key: [redacted: secret]']);
    expect(secrets).toEqual(['acme-k3jd8slq0zx7', 'acme-b2n9w4e6r8t0', 'acme-m5n7b9v1c3x5']);
    expect(JSON.stringify(findings)).not.toContain('acme-');
  });

  it('learns the credentials of removed lines and of those around a change, and raises only the added ones', async () => {
    const file = changedFile('b.txt', {
      oldPath: 'a.ts',
      status: 'renamed',
      lines: [' key: acme-k3jd8slq0zx7', '-token = "acme-b2n9w4e6r8t0"\r', '+token = "acme-m5n7b9v1c3x5"'],
    });
    const { secrets, lines } = await runRule({ ...rule, paths: ['*.ts'] }, [file]);
    expect(secrets).toEqual(['acme-k3jd8slq0zx7', 'acme-b2n9w4e6r8t0', 'acme-m5n7b9v1c3x5']);
    expect([lines, (await runRule(rule, [file])).lines]).toEqual([[], [2]]);
  });

  const pem = { entropy: 0, multiLine: true, pattern: '(?s)BEGIN\\n(.*?)\\nEND' };

  it('learns a credential over several lines of which the change touches one', async () => {
    const file = changedFile('a.ts', { lines: [' BEGIN', '-MIIEvQIBADAN', '+Bgkqhkiwtgb9w', ' END'] });
    expect((await runRule(pem, [file])).secrets).toEqual(['Bgkqhkiwtgb9w', 'MIIEvQIBADAN']);
  });

  it('hides every line of a credential over several', async () => {
    const { quotes } = await runRule(pem, [addedFile('a.ts', ['BEGIN', 'MIIEvQIBADAN', '  Bgkqhkiwtgb9w', 'END'])]);
    expect(quotes).toEqual(['BEGIN\n[redacted: secret]\n  [redacted: secret]\nEND']);
  });
});

describe('the rule engine', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('bad', '/* bad', '*/ bad'));
  const line = fc.tuple(fc.constantFrom('+', '-', ' '), text).map(([sign, rest]) => sign + rest.replaceAll('\n', ' '));
  const piece = fc.constantFrom('a', 'b', '.', '*', '+', '(', ')', '|', '^', '$', '\\b', '\\n', '[ab]', '(?i)', '(?s)');
  const anyPattern = fc
    .array(piece, { maxLength: 8 })
    .map((pieces) => pieces.join(''))
    .filter(compiles);
  const fields = fc.record({
    multiLine: fc.boolean(),
    skip: fc.subarray(['comments', 'strings', 'fences'] as const),
    entropy: fc.constantFrom(null, 0, 2),
    maxFindings: fc.integer({ min: 1, max: 5 }),
    pattern: fc.oneof(fc.constantFrom('bad', '(?s)b.*d', '\\bb', '.', '$', '[^x]+'), anyPattern),
  });
  const file = fc.constantFrom('a.ts', 'a.py', 'a.md', 'a');
  const head = fc.oneof(fc.constant(null), fc.string());
  const hunks = fc.array(fc.array(line, { maxLength: 30 }), { maxLength: 3 });

  it('points at added lines alone, takes any pattern over any text, and counts within max-findings', async () => {
    await fc.assert(
      fc.asyncProperty(fields, file, hunks, head, async (rule, path, given, text) => {
        const placed = given.map((one, index) => hunkOf(one, { newStart: 1 + index * 100, oldStart: 1 + index * 100 }));
        const { findings } = await runRule(rule, [changedFile(path, { hunks: placed })], text);
        expect(findings.length).toBeLessThanOrEqual(rule.maxFindings);
        const all = placed.flatMap((hunk) => [...hunkLines(hunk)]);
        const added = new Set(all.map(({ kind, newLine }) => (kind === 'added' ? newLine : null)));
        for (const { anchor } of findings) {
          if (anchor.kind === 'file') throw new Error('A rule is about lines.');
          for (let at = anchor.startLine; at <= anchor.endLine; at++) expect([at, added.has(at)]).toEqual([at, true]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

function compiles(pattern: string): boolean {
  try {
    return compile({ pattern, multiLine: false }).groupCount() >= 0;
  } catch {
    return false;
  }
}

const folder = fileURLToPath(new URL('../../../rules', import.meta.url));
const syntax = fileURLToPath(new URL('../../fixtures/syntax', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.md'));

describe('the built-in rules', () => {
  it('are those of rules/*.md, in files named after their ids: run scripts/rules.ts after a change', () => {
    const parsed = files.sort().map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return [name, parseRule({ path: `rules/${name}`, text, origin: 'built-in' })];
    });
    expect(parsed).toEqual(builtInRules.map((rule) => [`${rule.id}.md`, { ok: true, rule }]));
  });

  it('have titles that are true of what is staged or untracked as well', () => {
    expect(builtInRules.map(({ title }) => title).filter((title) => /commit/i.test(title))).toEqual([]);
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
      const lines = rule.bad.map(({ text }) => text);
      const { secrets, quotes } = await runRule({ ...rule, paths: [], languages: [] }, [addedFile('a.ts', lines)]);
      expect([secrets.length > 0, quotes.length]).toEqual([true, rule.bad.length]);
      expect(quotes.filter((quote) => secrets.some((secret) => quote.includes(secret)))).toEqual([]);
    },
  );

  it.each(builtInRules.flatMap(({ id, pattern, bad }) => (pattern === null ? [] : [[id, pattern, bad] as const])))(
    '%s is quick: it needs a fixed text, which its bad examples have',
    (_id, pattern, bad) => {
      const texts = requiredTexts(pattern) ?? [];
      const without = bad.filter(({ text }) => !texts.some((each) => text.toLowerCase().includes(each.toLowerCase())));
      expect([bad.length > 0, without]).toEqual([true, []]);
    },
  );

  it('find at most 2 things in 50 changes of published code, and nothing in samples of nine more languages', async () => {
    const found = async (changes: readonly ChangedFile[]) => {
      const seams = { nextId: () => 'f1', readHead: async () => null, commentFor: () => null, hide: String };
      const { findings } = await runRules({ ...seams, rules: builtInRules, files: changes });
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
