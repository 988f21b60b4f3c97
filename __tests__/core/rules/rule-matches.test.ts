// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to secrets, as source holds them.
import { describe, expect, it } from 'vitest';
import { addedFile, changedFile } from '../../fakes/changed-files.ts';
import { runRule } from '../../fakes/run-rule.ts';

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
