import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { runRules } from '../../../src/core/rules/run-rules.ts';
import { secretGroups, secretKinds } from '../../../src/core/secrets/kinds.ts';
import { findSecrets, formsOf, redactSecrets } from '../../../src/core/secrets/values.ts';
import { addedFile } from '../../fakes/memory-repository.ts';
import { fill, forms, lookAlikes, passwords, places, publishedLines, random } from '../../fakes/secrets.ts';

const planted = [
  ...forms.flatMap(([kind, form]) => places.slice(0, 3).map((place) => [kind, place.replace('<>', form)] as const)),
  ...passwords,
].map(([kind, line], index) => ({ kind, line: fill(line, random(index + 1)) }));

const running = { nextId: () => 'f1', readHead: async () => null, commentFor: () => null, hide: String };
const found = (line: string) => secretGroups.flatMap((group) => findSecrets(line, group));

describe('the table of credentials', () => {
  it('has a form for every kind, so that each is tried', () => {
    const tried = new Set([...forms, ...passwords].map(([kind]) => kind));
    expect(secretKinds.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });

  it('knows all that are planted', () => {
    const missed = planted.filter(({ line }) => found(line).length === 0);
    expect([planted.length >= 200, missed.map(({ kind }) => kind)]).toEqual([true, []]);
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

  it('is wrong about no innocent line', () => {
    const innocent = [...publishedLines(1_800), ...lookAlikes()];
    const wrong = innocent.filter((line) => found(line).length > 0);
    expect([innocent.length >= 2_000, wrong]).toEqual([true, []]);
  });
});

async function linesOfSecretlint(content: string): Promise<ReadonlySet<number>> {
  const rules = [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }];
  const source = { filePath: 'a.txt', content, contentType: 'text', ext: '.txt' } as const;
  const { messages } = await lintSource({ source, options: { config: { rules }, noPhysicFilePath: true } });
  return new Set(messages.map(({ range: [start] }) => content.slice(0, start).split('\n').length - 1));
}

// Joined here, so that no scanner takes this file for a leak.
const body = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6kL9n';
const join = (prefix: string, rest = body): string => prefix + rest;
const begin = '-----BEGIN PRIVATE KEY-----';

describe('redactSecrets', () => {
  it.each([
    ['github token', join('ghp_')],
    ['github token', join('ghs_')],
    ['github token', join('github_pat_', `11ABCDE${body}`)],
    ['gitlab token', join('glpat-', body.slice(0, 20))],
    ['slack token', join('xoxb-', `123456789012-${body.slice(0, 24)}`)],
    ['anthropic key', join('sk-ant-', `api03-${body}`)],
    ['openai key', join('sk-', body)],
    ['openai key', join('sk-proj-', body)],
    ['google key', join('AIza', body.slice(0, 35))],
    ['stripe key', join('sk_live_', body.slice(0, 24))],
    ['npm token', join('npm_', body.slice(0, 36))],
    ['aws access key id', join('AKIA', 'Q3EGRIJ5KLMNOP2R')],
    ['jwt', `${join('eyJ')}.${join('eyJ')}.${body}`],
  ])('redacts a %s inside a line', (name, token) => {
    expect(redactSecrets(`call("${token}");`)).toBe(`call("[redacted: ${name}]");`);
  });

  it.each([
    ['password = "tR4!mv9zKq"', 'password = "[redacted: password]"'],
    ["  'api_key': 'k3Jd8sLq0Zx7Vb2N',", "  'api_key': '[redacted: password]',"],
    [`key: "${begin}\\nMIIEvQIBADANBgkqhki\\n-----"`, `key: "${begin}\\n[redacted: private key]-----"`],
    ['DB_PASSWORD=gT5-kP2_wQ9x', 'DB_PASSWORD=[redacted: password]'],
    ['export AWS_SECRET_ACCESS_KEY=wJa1rXUt2nFEMI3K7MD9ENGb', 'export AWS_SECRET_ACCESS_KEY=[redacted: password]'],
    ['postgres://app:tR4vm9zKq7Lw@db/x', 'postgres://app:[redacted: password]@db/x'],
    ['postgres://app:EObEeWYLBfEIMGgi@db/x', 'postgres://app:[redacted: password]@db/x'],
  ])('redacts the literal of %s', (line, redacted) => {
    expect(redactSecrets(line)).toBe(redacted);
  });

  it.each([
    'password = "changeme"',
    'password = "your-password-1"',
    'const password = process.env.DB_PASSWORD;',
    `password: "$\{{ secrets.PASSWORD }}"`,
    'token = "xxxxxxxxxxxxxxxxxxxxxxxx"',
    "secret: 'auth.secret.rotationFailed'",
    'apiKey: "/api/v2/Keys/rotate"',
    "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) throw new Error(text)",
    'aws_key = "AKIAIOSFODNN7EXAMPLE"',
    'const token = parseToken(text1, Limit2);',
    '<div class="sk-folding-cube-large-variant-two">',
    'the task-sk-runner and the risk-assessment',
    'https://user:pass@localhost/',
    'PASSWORD=$(cat /run/secrets/password)',
    'integrity: sha512-9Zy1AbcDefGhiJklMnoPqrStuVwxYz012345678==',
  ])('leaves %s alone', (line) => {
    expect(redactSecrets(line)).toBe(line);
  });

  it('leaves nothing to redact, and never grows tired', () => {
    const parts = fc.array(fc.constantFrom('eyJ', '.', 'ghp_', body, 'password="', '"', '://a:', '@', 'sk-', ' '));
    fc.assert(
      fc.property(parts, (some) => {
        const once = redactSecrets(some.join(''));
        expect(redactSecrets(once)).toBe(once);
      }),
    );
  });

  it.each(['eyJ', '-eyJ', 'password="', 'ghp_', '://a:', 'SECRET', 'eyJaaaaaaaaaaaaa.', '-----BEGIN PRIVATE KEY-----'])(
    'comes to an end with a megabyte of %s, which only linear time does',
    (part) => {
      expect(redactSecrets(part.repeat(1_000_000 / part.length))).not.toBe('');
    },
  );

  it.each(secretKinds.map(({ id, pattern, hint }) => [id, pattern, hint.source] as const))(
    '%s is looked for in linear time: by RE2, behind a hint that repeats nothing without end',
    (_id, pattern, hint) => {
      expect([RE2JS.compile(pattern).groupCount(), /[*+]|,\}/.test(hint)]).toEqual([1, false]);
    },
  );
});

describe('a line of a batch', () => {
  // What minified code is made of, with the words that credentials are looked for by.
  const code = fc.constantFrom(
    'function(e,t){return e.key===t.token&&"secret"!==e}',
    'var a={key:"value",token:n.token,password:i},',
    '--tw-ring:0 0;<a href="https://docs.internal/">x</a>',
    'eyJhbGciOi.sk-.AKIA.xox.ghp_.SK12ab.dapi.hf_.npm_',
    ';',
    '"'.repeat(40),
    'x'.repeat(900),
    'q7Zk2Lw9Xr'.repeat(450),
  );
  const planted = fc
    .tuple(fc.constantFrom(...forms, ...passwords), fc.constantFrom(...places, '<>', '<>'), fc.integer({ min: 1 }))
    .map(([[, form], place, seed]) => fill(place.replace('<>', form), random(seed)));
  const lines = fc
    .array(fc.oneof({ weight: 5, arbitrary: code }, { weight: 2, arbitrary: planted }), {
      minLength: 12,
      maxLength: 60,
    })
    .map((parts) => parts.join(''))
    .filter(({ length }) => length > 4_096);

  it('holds the same credentials whether it is searched whole or around its hints', () => {
    fc.assert(
      fc.property(lines, (line) => {
        for (const kind of secretKinds) {
          const whole = wholeFormsOf(line, kind.pattern);
          if (kind.hint.test(line)) expect([kind.id, formsOf(line, kind)]).toEqual([kind.id, whole]);
          else expect([kind.id, whole]).toEqual([kind.id, []]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('hides two tokens that one character keeps apart', () => {
    const [one, other] = [fill('AKIA<u:16>', random(1)), fill('AKIA<u:16>', random(2))];
    expect(redactSecrets(`${one},${other}`)).toBe('[redacted: aws access key id],[redacted: aws access key id]');
  });
});

function wholeFormsOf(line: string, pattern: string): readonly { readonly start: number; readonly end: number }[] {
  const matcher = RE2JS.compile(pattern).matcher(line);
  const found = [];
  for (let from = 0; matcher.find(from); from = matcher.end(1))
    found.push({ start: matcher.start(1), end: matcher.end(1) });
  return found;
}
