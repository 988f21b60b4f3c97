import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkExamples } from '../../../src/core/rules/load-rules.ts';
import { parseRule } from '../../../src/core/rules/parse-rule.ts';
import { ruleWith } from '../../fakes/memory-repository.ts';

const path = '.postil/rules/no-print.md';
const front = { id: 'no-print', title: 'Printing', severity: 'info', category: 'style' } as const;

const everyField = {
  ...{ paths: [], languages: [], pattern: '', 'multi-line': true, skip: [] },
  ...{ entropy: 1, 'min-length': 8, 'max-findings': 1, enabled: true },
};

function parse(values: object, body = '') {
  return parseRule({ path, text: fileOf(values, body), origin: 'repository' });
}

function fileOf(values: object, body: string): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const yaml = given.map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ['---', ...yaml, '---', body].join('\n');
}

describe('parseRule', () => {
  it('reads front matter, guidance and examples', () => {
    const good = ['## Good', '```py', 'log(x)', '', 'trace(x)', '```'];
    const body = ['Use the logger.', '', ...good, '## Bad', '', '    print(x)', '## Why', 'Noise.'];
    expect(parse({ ...front, paths: ['*.py'], pattern: '\\bprint\\(' }, body.join('\n'))).toEqual({
      ok: true,
      rule: {
        ...ruleWith(front),
        paths: ['*.py'],
        pattern: '\\bprint\\(',
        guidance: 'Use the logger.\n## Why\nNoise.',
        good: [
          { text: 'log(x)', language: 'py' },
          { text: 'trace(x)', language: 'py' },
        ],
        bad: [{ text: 'print(x)', language: null }],
      },
    });
  });

  it('reads a rule that is guidance only, with Windows line ends', () => {
    const text = '---\r\nid: a\r\ntitle: A\r\nseverity: warning\r\ncategory: bug\r\n---\r\nText.\r\n';
    expect(parseRule({ path, text, origin: 'repository' })).toMatchObject({
      ok: true,
      rule: { id: 'a', guidance: 'Text.', pattern: null, paths: [], good: [], bad: [] },
    });
  });

  const matchesAll = 'its pattern matches an empty line, so it would match everywhere';
  const noRe2 = 'its pattern is not RE2 syntax: error parsing regexp: invalid or unsupported Perl syntax: `(?=`';

  it.each<[object, string]>([
    [{ severty: 'info' }, 'unknown key "severty"; did you mean severity?'],
    [{ category: undefined }, "the value must have required property 'category'"],
    [{ paths: '*.py' }, 'paths must be array'],
    [
      { paths: ['*.py', '!a/[', '{b'] },
      'its path "!a/[" is not a glob: a `[` is not closed; the character itself is `[[]`; its path "{b" is not a glob: its braces do not match',
    ],
    [{ id: 'No Print' }, 'its id must be lower-case letters, digits and hyphens'],
    [{ pattern: '(?=x)' }, noRe2],
    [{ pattern: 'x*' }, matchesAll],
    [{ pattern: 'x'.repeat(2_001) }, 'its pattern has more than 2000 characters'],
    [{ pattern: 'x', languages: ['pyton'] }, 'unknown language "pyton"; did you mean python?'],
    [{ pattern: 'x', skip: ['comment'] }, 'skip.0 must be one of comments, strings, fences'],
    [{ pattern: 'x', 'max-findings': 0 }, 'max-findings must be >= 1'],
    [{ pattern: 'x', 'min-length': 12 }, 'its min-length needs an entropy'],
    [{ skip: ['comments'] }, 'its skip needs a pattern'],
    [{ 'multi-line': true, pattern: '^$' }, matchesAll],
  ])('refuses a rule with %j and says why', (values, problem) => {
    expect(parse({ ...front, ...values })).toMatchObject({
      ok: false,
      problem: `The rule ${path} is ignored: ${problem}.`,
    });
  });

  it.each([
    ['# No front matter', 'it has no front matter between two --- lines'],
    ['---\n- a\n---\n', 'its front matter is not a list of `key: value`'],
    [`---\nid: a\n---\n${'x'.repeat(70_000)}`, 'it has more than 65536 characters'],
    ['---\nid: "a\n---\n', 'its front matter is not YAML: Missing closing "quote'],
  ])('refuses the text %j', (text, problem) => {
    expect(parseRule({ path, text, origin: 'repository' })).toMatchObject({
      ok: false,
      problem: `The rule ${path} is ignored: ${problem}.`,
    });
  });

  it('reads every field, and languages by their other names', () => {
    const more = { 'multi-line': true, skip: ['comments'], entropy: 3.5, 'min-length': 16, 'max-findings': 3 };
    const read = { multiLine: true, skip: ['comments'], entropy: 3.5, minLength: 16, maxFindings: 3 };
    const body = '## Bad\n```ts\ntry {\n\n}\n```\n';
    expect(parse({ ...front, pattern: 'x', languages: ['ts', 'C++', 'golang'], ...more }, body)).toMatchObject({
      ok: true,
      rule: { ...read, languages: ['typescript', 'cpp', 'go'], bad: [{ text: 'try {\n\n}', language: 'ts' }] },
    });
  });

  it('never throws, whatever the text', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    const fields = fc.dictionary(fc.constantFrom(...Object.keys({ ...front, ...everyField }), 'other'), value);
    const text = fc.oneof(
      fc.string(),
      fields.map((given) => fileOf({ ...front, ...given }, '## Bad\n```\nx\n```')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const parsed = parseRule({ path, text: given, origin: 'repository' });
        if (parsed.ok) checkExamples(parsed.rule);
        else expect(parsed.problem).toContain(path);
      }),
      { numRuns: 500 },
    );
  });

  it('finds examples that speak against the pattern', () => {
    const examples = '## Good\n```\npprint(x)\n```\n## Bad\n```\nprint (x)\n```\n';
    const parsed = parse({ ...front, pattern: 'print\\(' }, examples);
    expect(parsed.ok ? checkExamples(parsed.rule) : parsed.problem).toEqual([
      'the pattern misses the bad example "print (x)"',
      'the pattern matches the good example "pprint(x)"',
    ]);
  });
});
