import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import { requiredTexts } from '../../../src/core/rules/required-texts.ts';

describe('requiredTexts', () => {
  it.each([
    ['debugger', ['debugger']],
    ['\\bdebugger\\b', ['debugger']],
    ['^\\s*eval\\(', ['eval(']],
    ['colou?r', ['colo']],
    ['ab+c', ['ab']],
    ['<{7} \\S', ['<<<<<<<']],
    ['x{0,3}end', ['end']],
    ['one|two', ['one', 'two']],
    ['(?:one|two)\\s+longer', ['longer']],
    ['(?i)(?:one|two)\\d', ['one', 'two']],
    ['(?P<name>one)*two', ['two']],
    ['a[]b]cc', ['cc']],
    ['a[^\\]b]cc', ['cc']],
    ['a[[:alpha:]]cc', ['cc']],
    ['one|', null],
    ['one|\\w+', null],
    ['.*', null],
    ['a', null],
    ['\\Qone\\E', null],
    ['\\x41BC', null],
    ['(?:one)?', null],
  ])('of %s are %j', (pattern, texts) => {
    expect(requiredTexts(pattern)).toEqual(texts);
  });

  it('never miss a line that the pattern matches', () => {
    const pieces = builtInRules
      .flatMap((rule) => [...rule.bad, ...rule.good])
      .flatMap(({ text }) => text.split(/(?<=\W)/));
    const line = fc.array(
      fc.constantFrom(...pieces, ...builtInRules.flatMap((rule) => rule.bad).map(({ text }) => text)),
      { maxLength: 12 },
    );
    const rules = builtInRules.flatMap(({ id, pattern }) =>
      pattern === null
        ? []
        : [{ id, pattern: RE2JS.compile(pattern, RE2JS.MULTILINE), texts: requiredTexts(pattern) ?? [] }],
    );
    fc.assert(
      fc.property(line, fc.boolean(), (parts, upper) => {
        const text = upper ? parts.join('').toUpperCase() : parts.join('');
        for (const { id, pattern, texts } of rules) {
          if (!pattern.test(text)) continue;
          const lower = text.toLowerCase();
          expect([id, texts.some((each) => lower.includes(each.toLowerCase()))]).toEqual([id, true]);
        }
      }),
    );
  });

  it('never miss a match of patterns that are put together at random', () => {
    const atom = fc.constantFrom(
      'ab',
      'c',
      '.',
      '\\w',
      '[a-c]',
      '(?:ab|cc)',
      '(?:a|bb)',
      '\\bab',
      '(?i)',
      '(?:b{2})',
      '\\.',
    );
    const quantifier = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{0,2}');
    const pattern = fc.array(fc.oneof(fc.tuple(atom, quantifier), fc.constant(['|', ''] as const)), {
      minLength: 1,
      maxLength: 6,
    });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', ' '), maxLength: 12 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 8 }), (parts, lines) => {
        const source = parts.map(([first, second]) => (first === '(?i)' ? first : first + second)).join('');
        const texts = requiredTexts(source);
        if (texts === null) return;
        const compiled = RE2JS.compile(source);
        for (const line of lines.filter((each) => compiled.test(each))) {
          expect([line, texts.some((each) => line.includes(each))]).toEqual([line, true]);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
