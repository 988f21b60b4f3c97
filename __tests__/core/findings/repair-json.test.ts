import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRepairedJson } from '../../../src/core/findings/repair-json.ts';

describe('JSON as models write it', () => {
  it.each([
    ['a trailing comma', '{"a": [1, 2,], }', { a: [1, 2] }],
    ['a comma before a comment before a bracket', '[1, // last\n /* really */ ]', [1]],
    ['comments', '{ // one\n "a": /* two */ 1 }', { a: 1 }],
    ['a raw line break in a string', '{"a": "one\n\ttwo"}', { a: 'one\n\ttwo' }],
    ['comments and commas inside strings', '{"a": "// no, /* comment */ ,}",}', { a: '// no, /* comment */ ,}' }],
    ['an escaped quote', String.raw`["a \", ]",]`, ['a ", ]']],
  ])('is mended: %s', (_, text, value) => {
    expect(parseRepairedJson(text)).toEqual({ ok: true, value });
  });

  it.each(['{"a": }', '[1,,2]', '{a: 1}', '', '{"a": 1'])('is not guessed at: %s', (text) => {
    expect(parseRepairedJson(text).ok).toBe(false);
  });

  it('keeps the value of all valid JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseRepairedJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('gives the same value with commas and comments added where they mean nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (strings) => {
        const text = `[${strings.map((string) => `${JSON.stringify(string)}, // ,]\n`).join('')} /* } */ ]`;
        expect(parseRepairedJson(text)).toEqual({ ok: true, value: strings });
      }),
    );
  });
});
