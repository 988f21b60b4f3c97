import { describe, expect, it } from 'vitest';
import { secretValues } from '../../../src/core/settings/extra-fields.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';

const input = (values: Record<string, string>) => ({ where: 'input', trusted: true, values });
const file = (values: Record<string, unknown>) => ({ where: '.postil/config.yml', trusted: false, values });
const problemOf = (values: Record<string, string>) => {
  try {
    parseSettings([input(values)], null);
    return '';
  } catch (error) {
    return String(error);
  }
};

describe('verification', () => {
  it.each([
    ['quick', 'auto', false, 1],
    ['balanced', 'auto', true, 1],
    ['deep', 'auto', true, 3],
    ['deep', 'false', false, 3],
    ['quick', 'true', true, 1],
  ])('in profile %s with `verify: %s` is %s, with %d passes', (profile, verify, expected, passes) => {
    expect(parseSettings([input({ profile, verify })], null).settings).toMatchObject({ verify: expected, passes });
  });

  it('gets no more passes by the file than the inputs allow', () => {
    const { settings, notes } = parseSettings([input({})], file({ passes: 5 }));
    expect([settings.passes, notes]).toEqual([1, ['.postil/config.yml: more than 1 passes need an input; 1 hold.']]);
    expect(parseSettings([input({ profile: 'deep' })], file({ passes: 2 })).settings.passes).toBe(2);
  });
});

describe('a limit of cost', () => {
  const pricing = 'input=1,output=2';

  it('may be lowered by the file, never raised', () => {
    const costs = (own: Record<string, string>, theirs: unknown) =>
      parseSettings([input({ pricing, ...own })], file({ 'max-cost': theirs })).settings.maxCost;
    expect([costs({ 'max-cost': '2' }, 1), costs({ 'max-cost': '2' }, 3), costs({}, 3)]).toEqual([1, 2, 3]);
  });

  it('without a price is a usage error', () => {
    expect(problemOf({ 'max-cost': '2' })).toMatch(
      /'max-cost' is set, and 'pricing' does not say what gpt-6.1-terra costs/,
    );
  });

  it('is not for the file to undermine by prices', () => {
    expect(() => parseSettings([input({})], file({ pricing }))).toThrow(
      /'pricing' may be set by an input, a flag or the environment only/,
    );
  });
});

describe('extra fields', () => {
  it('are read line by line', () => {
    const { settings } = parseSettings(
      [
        input({
          'extra-headers': 'X-Title: Postil\nAuthorization: Bearer abcdefghijkl',
          'extra-query': 'api-version=2026-05-01\nempty=',
          'extra-body': '{"provider":{"sort":"price"}}',
        }),
      ],
      null,
    );
    expect([settings.extraHeaders, settings.extraQuery, settings.extraBody]).toEqual([
      { 'X-Title': 'Postil', Authorization: 'Bearer abcdefghijkl' },
      { 'api-version': '2026-05-01', empty: '' },
      { provider: { sort: 'price' } },
    ]);
    expect(secretValues(settings)).toEqual(['Bearer abcdefghijkl', '2026-05-01', 'abcdefghijkl']);
  });

  it.each([
    ['extra-headers', 'no colon secret-value-123', 'one header per line'],
    ['extra-headers', 'Host: evil.example', 'headers other than Host'],
    ['extra-query', 'nothing', 'one parameter per line'],
    ['extra-body', '[1]', 'a JSON object'],
    ['extra-body', '{"messages":[]}', 'fields other than `messages`'],
    ['pricing', 'free', 'input=…'],
  ])('of %s that cannot be sent are refused, without a word of their values', (name, value, allowed) => {
    const problem = problemOf({ [name]: value });
    expect(problem).toContain(`input: '${name}' cannot be read; allowed: `);
    expect([problem.includes(allowed), problem.includes('secret-value')]).toEqual([true, false]);
  });
});
