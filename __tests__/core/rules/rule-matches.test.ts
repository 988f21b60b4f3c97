// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to secrets, as source holds them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
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
    const added = addedFile('a.ts', ['open', ...Array.from({ length: 500 }, () => 'x'), 'close']);
    expect((await runRule({ multiLine: true, pattern: '(?s)open.*close' }, [added])).lines).toEqual(['1-20']);
  });

  it('of a hundred thousand matching lines takes seconds at most', async () => {
    const added = addedFile(
      'a.ts',
      Array.from({ length: 100_000 }, () => 'bad(x,'),
    );
    const start = performance.now();
    const { findings } = await runRule({ multiLine: true, pattern: 'bad\\(\\w,\\n' }, [added]);
    expect([findings.length, performance.now() - start < 8_000]).toEqual([10, true]);
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

  it('learns a credential over several lines of which the change touches one', async () => {
    const pem = { entropy: 0, multiLine: true, pattern: '(?s)BEGIN\\n(.*?)\\nEND' };
    const file = changedFile('a.ts', { lines: [' BEGIN', '-MIIEvQIBADAN', '+Bgkqhkiwtgb9w', ' END'] });
    expect((await runRule(pem, [file])).secrets).toEqual(['Bgkqhkiwtgb9w', 'MIIEvQIBADAN']);
  });

  it('hides every line of a credential over several', async () => {
    const pem = { entropy: 0, multiLine: true, pattern: '(?s)BEGIN\\n(.*?)\\nEND' };
    const { quotes } = await runRule(pem, [addedFile('a.ts', ['BEGIN', 'MIIEvQIBADAN', '  Bgkqhkiwtgb9w', 'END'])]);
    expect(quotes).toEqual(['BEGIN\n[redacted: secret]\n  [redacted: secret]\nEND']);
  });
});

describe('max-findings', () => {
  it('is held, and the last finding counts the others', async () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 150 }));
    await fc.assert(
      fc.asyncProperty(sizes, async ([maxFindings, count]) => {
        const { findings } = await runRule({ maxFindings }, [
          addedFile(
            'a.ts',
            Array.from({ length: count }, () => 'bad'),
          ),
        ]);
        const others = findings.flatMap(({ alsoAt }) => alsoAt);
        const more = others.map((text) => (text.startsWith('and ') ? Number.parseInt(text.slice(4), 10) : 1));
        expect(findings).toHaveLength(Math.min(maxFindings, count));
        expect(findings.length + more.reduce((sum, one) => sum + one, 0)).toBe(count);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the rule engine', () => {
  const line = fc.tuple(
    fc.constantFrom('+', '-', ' '),
    fc.oneof(fc.string(), fc.constantFrom('bad', '/* bad', '*/ bad')),
  );
  const lines = fc.array(
    line.map(([sign, text]) => sign + text.replaceAll('\n', ' ')),
    { maxLength: 30 },
  );
  const fields = fc.record({
    multiLine: fc.boolean(),
    skip: fc.subarray(['comments', 'strings', 'fences'] as const),
    entropy: fc.constantFrom(null, 0, 2),
    maxFindings: fc.integer({ min: 1, max: 5 }),
    pattern: fc.constantFrom('bad', '(?s)b.*d', '\\bb', '.', '$', '[^x]+'),
  });
  const file = fc.constantFrom('a.ts', 'a.py', 'a.md', 'a');
  const head = fc.oneof(fc.constant(null), fc.string());

  it('points at added lines alone, never throws, and counts within max-findings', async () => {
    await fc.assert(
      fc.asyncProperty(fields, file, fc.array(lines, { maxLength: 3 }), head, async (rule, path, hunks, text) => {
        const placed = hunks.map((one, index) => hunkOf(one, { newStart: 1 + index * 100, oldStart: 1 + index * 100 }));
        const { findings } = await runRule(rule, [changedFile(path, { hunks: placed })], text);
        expect(findings.length).toBeLessThanOrEqual(rule.maxFindings);
        const added = new Set(placed.flatMap(addedLines));
        for (const { anchor } of findings) {
          if (anchor.kind === 'file') throw new Error('A rule is about lines.');
          for (let at = anchor.startLine; at <= anchor.endLine; at++) expect([at, added.has(at)]).toEqual([at, true]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes any pattern that compiles over any text', async () => {
    const piece = fc.constantFrom('a', 'b', '.', '*', '+', '(', ')', '|', '^', '$', '\\b', '\\n', '[ab]', '(?i)');
    const pattern = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(pattern, fc.boolean(), fc.array(fc.string()), async (source, multiLine, texts) => {
        if (!compiles(source)) return;
        const rule = { pattern: source, multiLine, entropy: 0 };
        const { findings } = await runRule(rule, [
          addedFile(
            'a.ts',
            texts.map((text) => text.replaceAll('\n', ' ')),
          ),
        ]);
        expect(findings.length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 300 },
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

function addedLines({ lines, newStart }: { readonly lines: readonly string[]; readonly newStart: number }): number[] {
  const numbers: number[] = [];
  let next = newStart;
  for (const line of lines) {
    if (line.startsWith('+')) numbers.push(next);
    if (line.startsWith('+') || line.startsWith(' ')) next += 1;
  }
  return numbers;
}

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
