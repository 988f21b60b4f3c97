import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideValues } from '../../../src/core/repository/hide-values.ts';
import { createRedactor } from '../../../src/core/repository/redact.ts';
import { shown } from '../../../src/core/repository/shown.ts';

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
    expect(shown([hideValues(['acme-k3jd8'])('key = acme-k3jd8')])).toEqual([
      { text: 'key = [redacted: secret]', redacted: true },
    ]);
  });
});

const anywhere = (value: string) => ({ value, line: null });

describe('a redactor', () => {
  it('learns of a value that is bound to its line nothing that stands beside it', () => {
    const redact = createRedactor([]);
    redact.learn([{ value: 'correct-horse', line: 'export const bot = "correct-horse"' }]);
    const texts = [
      'export const bot = "correct-horse"',
      'export const bot = "another-one"',
      'the correct-horse elsewhere',
      JSON.stringify({ text: 'export const bot = "correct-horse"' }),
    ];
    expect(texts.map(redact)).toEqual([
      'export const bot = "[redacted: secret]"',
      'export const bot = "another-one"',
      'the correct-horse elsewhere',
      '{"text":"export const bot = \\"[redacted: secret]\\""}',
    ]);
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
