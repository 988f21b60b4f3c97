import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import type { Rule } from '../../../src/core/rules/rule.ts';
import { secretsIn } from '../../../src/core/rules/secrets-in.ts';
import { addedFile } from '../../fakes/changed-files.ts';

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
    const many = addedFile(
      'a.env',
      Array.from({ length: 300 }, (_, index) => `A${index}_KEY=k3Jd8sLq0Zx7Vb${index}N`),
    );
    const last = addedFile('z.env', ['Z_KEY=p9Qw4rTy7Ui2Op5A']);
    const found = secretsIn(builtInRules, [many, last]);
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
