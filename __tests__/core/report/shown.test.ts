import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberedLines, shown, splitLines } from '../../../src/core/repository/shown.ts';

describe('splitLines', () => {
  it.each([
    ['', []],
    ['a\n', ['a']],
    ['a\n\n', ['a', '']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['a\rb\n', ['a\rb']],
    ['a\u2028b\u2029c\u0085d\n', ['a\u2028b\u2029c\u0085d']],
    ['a\nb\r', ['a', 'b\r']],
  ])('splits %j as git does', (text, lines) => {
    expect(splitLines(text)).toEqual(lines);
  });
});

describe('shown', () => {
  it.each([
    ['\u001b[31mred', '\\u{1B}[31mred'],
    ['if (a\u202e) {\u2066', 'if (a\\u{202E}) {\\u{2066}'],
    ['\ttab stays', '\ttab stays'],
    ['naïve 日本語 ⚠️ 😀', 'naïve 日本語 ⚠️ 😀'],
  ])('writes %j visibly', (line, text) => {
    expect(shown([line])).toEqual([{ text, redacted: false }]);
  });

  it('renders a line of a CRLF file alike, read from the file or from the diff', () => {
    expect(shown(['code\r'])).toEqual(shown(splitLines('code\r\n')));
  });

  const named = ["if (text.includes('-----BEGIN PRIVATE KEY-----')) {", '  refuseTheWholeUpload', '}'];
  it.each([
    [
      'redacts each line inside a private key and keeps its borders',
      ['-----BEGIN RSA PRIVATE KEY-----', 'MIIEowIBAAKCAQEAr3x', 'q1ZtUw==', '-----END RSA PRIVATE KEY-----', 'next()'],
      [1, 2],
    ],
    [
      'redacts the end of a private key whose beginning was cut off',
      ['import a', 'MIIEowIBAAKCAQEAr3x+'.repeat(3), 'qZtUw1MIIEow', 'AA==', '-----END PRIVATE KEY-----'],
      [1, 2, 3],
    ],
    [
      'redacts a private key that is written as a string over several lines',
      [
        "= '-----BEGIN EC PRIVATE KEY-----\\n' +",
        "  'MHcCAQEEIIrYSSNQFaA2Hwf1d\\n' +",
        "  '-----END EC PRIVATE KEY-----'",
      ],
      [1],
    ],
    ['leaves code alone that only names a private key', named, []],
  ])('%s', (_, lines, redacted) => {
    const expected = lines.map((text) => ({ text, redacted: false }));
    for (const at of redacted) expected[at] = { text: '[redacted: private key]', redacted: true };
    expect(shown(lines)).toEqual(expected);
  });

  it('gives one line for one line, without any control character', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (lines) => {
        const result = shown(lines);
        expect(result).toHaveLength(lines.length);
        for (const { text } of result) expect(text).not.toMatch(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });
});

it.each([
  ['puts the number of each line in a gutter', ['a', '', '\tb'], 9, '   9 | a\n  10 | \n  11 | \tb'],
  ['widens the gutter for large files', ['a', 'b'], 99_999, ' 99999 | a\n100000 | b'],
])('numbered lines: %s', (_, lines, first, text) => {
  expect(numberedLines(shown(lines), first)).toBe(text);
});
