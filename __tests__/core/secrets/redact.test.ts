import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shown } from '../../../src/core/repository/shown.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { secretsIn } from '../../../src/core/rules/find-secrets.ts';
import type { Rule } from '../../../src/core/rules/rule.ts';
import { createRedactor, hideValues } from '../../../src/core/secrets/redact.ts';
import { addedFile } from '../../fakes/memory-repository.ts';

const secret = 'q7/Rt+9"zKm&4Lw2=Xb';
const redact = createRedactor([secret]);
const anywhere = (value: string) => ({ value, line: null });

describe('createRedactor', () => {
  it.each([
    ['as it is', secret],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded in lower case', encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
    ['JSON-escaped', JSON.stringify(secret).slice(1, -1)],
    ['in hexadecimal', [...secret].map((letter) => letter.charCodeAt(0).toString(16)).join('')],
    ['cut behind', secret.slice(0, 12)],
    ['without its first characters', secret.slice(4)],
    ['cut on both sides', secret.slice(3, 16)],
  ])('redacts a known value %s', (_form, text) => {
    expect(redact(`before ${text} after`)).toBe('before [redacted: secret] after');
  });

  it.each(['', 'x', 'xy', 'user:'])('redacts a known value in base64 behind %j', (prefix) => {
    const header = redact(`Basic ${btoa(`${prefix}${secret}!`)}`);
    expect(header).toMatch(/^Basic [\w+/]{0,8}\[redacted: secret\][\w+/]{0,4}=*$/);
  });

  it('redacts well-known kinds of credentials that nobody named', () => {
    expect(redact(`token ghp_${'aB3dE6gH9j'.repeat(4)}`)).toBe('token [redacted: github token]');
  });

  it('redacts private keys over several lines', () => {
    const text = 'a\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----\nb';
    expect(redact(text)).toBe('a\n-----BEGIN PRIVATE KEY-----\n[redacted: private key]\n-----END PRIVATE KEY-----\nb');
  });

  it('ignores values that are too short to be told from text', () => {
    expect(createRedactor(['true', ''])('true story')).toBe('true story');
  });

  it('learns no more of a diff than can be looked for', () => {
    const learning = createRedactor([secret]);
    const many = Array.from({ length: 2_000 }, (_, index) => anywhere(`${'k7_'.repeat(30)}${index}`));
    learning.learn([anywhere('ab3$'.repeat(500_000)), ...many]);
    learning.learn([anywhere('late-but-Sh0rt-9xQ')]);
    expect(learning(`${secret} ${'ab3$'.repeat(8)}`)).toBe('[redacted: secret] [redacted: secret]');
  });

  it('never lets 12 characters of a known value through, wherever they stand', () => {
    const text = fc.string({ unit: 'grapheme-ascii', minLength: 12, maxLength: 40 });
    const value = text.filter((some) => some.trim() === some);
    fc.assert(
      fc.property(value, fc.string(), fc.string(), fc.nat(), (known, before, after, cut) => {
        const from = cut % (known.length - 11);
        const leaked = known.slice(from);
        fc.pre(!'[redacted: secret][redacted: password]'.includes(known.slice(from, from + 12)));
        expect(createRedactor([known])(before + leaked + after)).not.toContain(leaked);
      }),
    );
  });
});

describe('hideValues', () => {
  it('takes every value out, the longer where two begin at one place', () => {
    const hide = hideValues(['acme-k3jd8', 'acme-k3jd8-slq0', 'short']);
    expect(hide('a acme-k3jd8-slq0 b acme-k3jd8 short')).toBe('a [redacted: secret] b [redacted: secret] short');
  });

  it('leaves no value in any text, and texts without one as they are', () => {
    const value = fc.string({ minLength: 8, maxLength: 20, unit: fc.constantFrom('a', 'b', 'c') });
    const values = fc.array(value, { maxLength: 5 });
    const text = fc.array(fc.oneof(value, fc.string()), { maxLength: 6 }).map((parts) => parts.join('|'));
    fc.assert(
      fc.property(values, text, (hidden, given) => {
        const result = hideValues(hidden)(given);
        for (const one of hidden) expect(result.includes(one)).toBe(false);
        if (!hidden.some((one) => given.includes(one))) expect(result).toBe(given);
      }),
    );
  });

  it('hides a thousand values in a megabyte', () => {
    const hide = hideValues(Array.from({ length: 1_000 }, (_value, index) => `acme-key-${index}-x`));
    expect(hide('acme-key-0 acme-key-999-x '.repeat(40_000)).includes('999-x')).toBe(false);
  });

  it('marks a line, so that nothing is suggested for it', () => {
    const line = { text: 'key = [redacted: secret]', redacted: true };
    expect(shown([hideValues(['acme-k3jd8'])('key = acme-k3jd8')])).toEqual([line]);
  });
});

describe('a redactor', () => {
  it('learns of a value that is bound to its line nothing that stands beside it', () => {
    const redact = createRedactor([]);
    redact.learn([{ value: 'correct-horse', line: 'export const bot = "correct-horse"' }]);
    const others = ['export const bot = "another-one"', 'the correct-horse elsewhere'];
    expect(others.map(redact)).toEqual(others);
    expect(redact('export const bot = "correct-horse"')).toBe('export const bot = "[redacted: secret]"');
    expect(redact(JSON.stringify('export const bot = "correct-horse"'))).toContain('\\"[redacted: secret]\\"');
  });

  it('takes out what it learns from then on', () => {
    const redact = createRedactor([]);
    const before = redact('acme-k3jd8slq0zx7');
    redact.learn([anywhere('acme-k3jd8slq0zx7'), anywhere('short')]);
    expect([before, redact('acme-k3jd8slq0zx7, short'), redact('k3jd8slq0zx7!')]).toEqual([
      'acme-k3jd8slq0zx7',
      '[redacted: secret], short',
      '[redacted: secret]!',
    ]);
  });
});

function secretsOf(...lines: readonly string[]) {
  return secretsIn(builtInRules, [addedFile('config/live.env', lines)]);
}

describe('the credentials of a diff', () => {
  it('are hidden wherever they stand', () => {
    expect(secretsOf('A_KEY=k3Jd8sLq0Zx7Vb2N')).toEqual([{ value: 'k3Jd8sLq0Zx7Vb2N', line: null }]);
  });

  it.each([
    ['code', 'A_KEY=if(user.name===req.query.backdoor)return(grantAdmin(user));'],
    ['a path', 'A_KEY=src/total.ts'],
    ['words', 'DB_PASSWORD=correct-horse-battery'],
  ])('that might be %s are hidden in their own line alone, so that nobody hides what is reviewed', (_, line) => {
    expect(secretsOf(line)).toEqual([{ value: line.slice(line.indexOf('=') + 1), line }]);
  });

  it.each([
    ['a word', ['  password = "Administrator12"']],
    ['a name that the change uses', ['  api_key = "grantAdm1nR0le"', 'function grantAdm1nR0le(user) {']],
    ['a name that the change calls', ['  api_key = "grantAdm1nR0le"', 'return grantAdm1nR0le(user);']],
  ])('that are %s are hidden in their own line alone: nobody hides a function by calling it a password', (_, lines) => {
    expect(secretsOf(...lines).filter(({ line }) => line === null)).toEqual([]);
  });

  it('are the value alone, never what stands beside it', () => {
    const token = `xoxb-${'123456789012-'.repeat(2)}abcdefghijklmnopqrstuvwx`;
    expect(secretsOf(`export const bot = "${token}"`)).toEqual([{ value: token, line: null }]);
  });

  it.each([[['db_password = (', '    "tR4mv9zKq7Lw"', ')']], [['const apiKey =', "  'tR4mv9zKq7Lw';"]]])(
    'are known by the name in the line above, too: %j',
    (lines) => {
      expect(secretsOf(...lines)).toEqual([{ value: 'tR4mv9zKq7Lw', line: null }]);
    },
  );

  it('are never shorter than 8 characters, and never a word that is hidden elsewhere', () => {
    const name = fc.constantFrom('password = ', 'A_KEY=', 'token: ', 'secret = (\n', '-----BEGIN PRIVATE KEY-----\n');
    const value = fc.oneof(fc.string({ unit: 'grapheme-ascii', maxLength: 7 }), fc.stringMatching(/^[a-z]{8,20}$/));
    fc.assert(
      fc.property(fc.tuple(name, value, fc.constantFrom('', '"', "'")), ([before, text, quote]) => {
        const found = secretsOf(...`${before}${quote}${text}${quote}`.split('\n'));
        return found.every(({ value: hidden, line }) => hidden.length >= 8 && line !== null);
      }),
      { numRuns: 300 },
    );
  });

  it('are looked for once in a change that is read twice, by the same rules', () => {
    let reads = 0;
    const added = addedFile('a.ts', [`const t = "ghp_${'wqNc5bXz'.repeat(4)}aB3d";`]);
    const file = {
      ...added,
      get hunks() {
        reads += 1;
        return added.hunks;
      },
    };
    const read = (rules: readonly Rule[]) => {
      const before = reads;
      const { length } = secretsIn(rules, [file]);
      return [length, reads > before];
    };
    expect([read(builtInRules), read([...builtInRules]), read([]), read(builtInRules)]).toEqual([
      [1, true],
      [1, false],
      [0, true],
      [1, true],
    ]);
  });

  it('are 100 of a file at most, so that one file leaves room for the others', () => {
    const many = Array.from({ length: 300 }, (_, index) => `A${index}_KEY=k3Jd8sLq0Zx7Vb${index}N`);
    const files = [addedFile('a.env', many), addedFile('z.env', ['Z_KEY=p9Qw4rTy7Ui2Op5A'])];
    const found = secretsIn(builtInRules, files);
    expect([found.length, found.some(({ value }) => value === 'p9Qw4rTy7Ui2Op5A')]).toEqual([101, true]);
  });

  it('never hold code, however it is called', () => {
    const code = fc.constantFrom('if(a)', 'x=>y', 'f();', 'a&&b', '{}', 'a[0]', 'x<y', 'return(1)');
    fc.assert(
      fc.property(fc.array(code, { minLength: 2, maxLength: 8 }), (parts) => {
        const line = `A_KEY=${parts.join('')}`;
        return secretsOf(line).every((secret) => secret.line === line);
      }),
    );
  });
});
