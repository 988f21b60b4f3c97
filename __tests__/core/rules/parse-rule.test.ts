import { describe, expect, it } from 'vitest';
import { checkExamples } from '../../../src/core/rules/check-examples.ts';
import { parseRule } from '../../../src/core/rules/parse-rule.ts';

const path = '.postil/rules/no-print.md';
const front = { id: 'no-print', title: 'Printing', severity: 'info', category: 'style' };

function parse(values: object, body = '') {
  const yaml = Object.entries(values).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return parseRule({ path, text: ['---', ...yaml, '---', body].join('\n'), origin: 'repository' });
}

describe('parseRule', () => {
  it('reads front matter, guidance and examples', () => {
    const body = [
      'Use the logger.',
      '',
      '## Good',
      '```py',
      'log(x)',
      '',
      'trace(x)',
      '```',
      '## Bad',
      '',
      '    print(x)',
      '## Why',
      'Noise.',
    ];
    expect(parse({ ...front, paths: ['*.py'], pattern: '\\bprint\\(' }, body.join('\n'))).toEqual({
      ok: true,
      rule: {
        ...front,
        paths: ['*.py'],
        pattern: '\\bprint\\(',
        guidance: 'Use the logger.\n## Why\nNoise.',
        good: ['log(x)', 'trace(x)'],
        bad: ['print(x)'],
        origin: 'repository',
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

  it.each([
    [{ ...front, severty: 'info' }, 'unknown key "severty"; did you mean severity?'],
    [{ ...front, xyz: 1 }, 'unknown key "xyz"; allowed are id, title, severity, category, paths, pattern, enabled'],
    [{ ...front, severity: 'high' }, 'severity must be one of critical, warning, info, nitpick'],
    [{ id: 'a', title: 'A', severity: 'info' }, "the value must have required property 'category'"],
    [{ ...front, paths: '*.py' }, 'paths must be array'],
    [{ ...front, id: 'No Print' }, 'its id must be lower-case letters, digits and hyphens'],
    [
      { ...front, pattern: '(?=x)' },
      'its pattern is not RE2 syntax: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
    [{ ...front, pattern: 'x*' }, 'its pattern matches an empty line, so it would match everywhere'],
    [{ ...front, pattern: 'x'.repeat(2_001) }, 'its pattern has more than 2000 characters'],
  ])('refuses %j and says why', (values, problem) => {
    expect(parse(values)).toEqual({ ok: false, problem: `The rule ${path} is ignored: ${problem}.` });
  });

  it.each([
    ['# No front matter', 'it has no front matter between two --- lines'],
    ['---\n- a\n---\n', 'its front matter is not a list of `key: value`'],
    [`---\nid: a\n---\n${'x'.repeat(70_000)}`, 'it has more than 65536 characters'],
  ])('refuses the text %j', (text, problem) => {
    expect(parseRule({ path, text, origin: 'repository' })).toEqual({
      ok: false,
      problem: `The rule ${path} is ignored: ${problem}.`,
    });
  });

  it('refuses what is not YAML', () => {
    expect(parseRule({ path, text: '---\nid: "a\n---\n', origin: 'repository' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('its front matter is not YAML: '),
    });
  });

  it('finds examples that speak against the pattern', () => {
    const parsed = parse(
      { ...front, pattern: 'print\\(' },
      '## Good\n```\npprint(x)\n```\n## Bad\n```\nprint (x)\n```\n',
    );
    expect(parsed.ok ? checkExamples(parsed.rule) : parsed.problem).toEqual([
      'the pattern misses the bad example "print (x)"',
      'the pattern matches the good example "pprint(x)"',
    ]);
  });
});
