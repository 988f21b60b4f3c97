import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../../src/core/repository/redact.ts';

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
    learning.learn([
      anywhere('ab3$'.repeat(500_000)),
      ...Array.from({ length: 2_000 }, (_, index) => anywhere(`${'k7_'.repeat(30)}${index}`)),
    ]);
    learning.learn([anywhere('late-but-Sh0rt-9xQ')]);
    expect(learning(`${secret} ${'ab3$'.repeat(8)}`)).toBe('[redacted: secret] [redacted: secret]');
  });

  it('never lets 12 characters of a known value through, wherever they stand', () => {
    const value = fc
      .string({ unit: 'grapheme-ascii', minLength: 12, maxLength: 40 })
      .filter((text) => text.trim() === text);
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
