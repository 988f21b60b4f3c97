import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configFaults } from '../../../src/core/settings/config-file.ts';
import { parsePricing, priceOf, secretValues } from '../../../src/core/settings/formats.ts';
import { type Layer, parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { costProblem } from '../../../src/core/settings/problems.ts';
import type { Settings } from '../../../src/core/settings/settings.ts';

const input = (values: Layer['values']): Layer => ({ where: 'input', trusted: true, values });
const environment = (values: Layer['values']): Layer => ({ where: 'environment', trusted: true, values });
const file = (values: Layer['values']): Layer => ({ where: '.postil/config.yml', trusted: false, values });

function settings(trusted: readonly Layer[], ...files: readonly Layer[]): Settings {
  return parseSettings(trusted, files).settings;
}

function problems(trusted: readonly Layer[], ...files: readonly Layer[]): string {
  try {
    parseSettings(trusted, files);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('settings', () => {
  it('have the defaults that docs/inputs.md names', () => {
    const page = readFileSync(new URL('../../../docs/inputs.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \| `(.+?)` \| /gm)];
    const written = Object.fromEntries(rows.map(([, name, text]) => [name, text?.replaceAll(', ', '\n')]));
    expect([rows.length > 30, settings([input(written)])]).toEqual([true, settings([])]);
  });

  it('have defaults that depend on the profile, or are nothing', () => {
    expect(settings([])).toMatchObject({
      ...{ maxIterations: 15, passes: 1, filesPerBatch: 30, verify: true },
      ...{ exclude: [], include: [], denyPaths: [], skipKinds: [], pathInstructions: [], pricing: {} },
      ...{ extraHeaders: {}, extraQuery: {}, extraBody: {} },
      ...{ maxCost: null, maxTokens: null, temperature: null, pullRequest: null, name: '', verifyModel: '' },
    });
  });

  it('are taken from inputs before the environment before the file', () => {
    const one = settings(
      [input({ 'max-comments': '3' }), environment({ 'max-comments': '4', language: 'German' })],
      file({ 'max-comments': 5, language: 'French', 'files-per-batch': 7 }),
    );
    expect([one.maxComments, one.language, one.filesPerBatch]).toEqual([3, 'German', 7]);
  });

  it('leave an empty input to the file and then to the default', () => {
    const one = settings([input({ 'max-comments': '', 'fail-on': ' ' })], file({ 'max-comments': 5 }));
    expect([one.maxComments, one.failOn]).toEqual([5, 'never']);
  });

  it('tell all problems at once, each with key, value, what is allowed and the nearest key', () => {
    const message = problems(
      [input({ profile: 'through', 'max-comments': '-1', 'dry-run': 'maybe' })],
      file({ 'max-coments': 3, 'base-url': 'https://evil.example' }),
    );
    expect(message).toMatchInlineSnapshot(`
      "The settings have 5 problems:
      - input: 'profile' is "through"; allowed: offline, follow-up, quick, balanced, thorough, deep.
      - input: 'max-comments' is "-1"; allowed: a whole number from 0 to 100.
      - input: 'dry-run' is "maybe"; allowed: true or false.
      - .postil/config.yml: 'max-coments' is not a setting; did you mean 'max-comments'?
      - .postil/config.yml: 'base-url' may be set by an input, a flag or the environment only, not by a file of the repository.
      "
    `);
  });

  it.each(['base-url', 'api', 'report-file', 'progress-file', 'pull-request', 'config', 'pricing'])(
    'let a file of the repository never set %s',
    (name) => {
      expect(problems([], file({ [name]: 'x' }))).toContain(`'${name}' may be set by an input`);
    },
  );

  it('let the file lower a limit and never raise it', () => {
    const limits = file({ 'max-total-tokens': 900_000, 'timeout-minutes': 5, concurrency: 2, 'max-tokens': 128_000 });
    const { settings: one, notes } = parseSettings([input({ concurrency: '3' })], [limits]);
    expect([one.maxTotalTokens, one.timeoutMinutes, one.concurrency, one.maxTokens]).toEqual([500_000, 5, 2, 16_384]);
    expect(notes).toEqual([
      ".postil/config.yml: 'max-tokens' 128000 is above the limit of the inputs; using 16384.",
      ".postil/config.yml: 'max-total-tokens' 900000 is above the limit of the inputs; using 500000.",
    ]);
  });

  it.each([
    ['a deeper profile', { profile: 'deep' }, 15],
    ['fewer iterations', { 'max-iterations': 4 }, 4],
  ])('hold the iterations of the inputs when the file asks for %s', (_, values, iterations) => {
    expect(settings([], file(values)).maxIterations).toBe(iterations);
  });

  it('read lists from lines and from YAML, and empty one by "none"', () => {
    const one = settings(
      [input({ include: 'src/**\n  lib/**  \n\n', 'skip-authors': 'none' })],
      file({ 'deny-paths': ['secrets/**'] }),
    );
    expect([one.include, one.skipAuthors, one.denyPaths]).toEqual([['src/**', 'lib/**'], [], ['secrets/**']]);
  });

  it.each([
    ['http://ollama:11434/v1', ''],
    ['https://gateway.example/v1', ''],
    ['http://models.example/v1', "'base-url' is"],
    ['not a url', 'which is not a URL'],
    ['https://user:pass@models.example/v1', "put the key into 'api-key'"],
  ])('judge the base URL %s', (url, expected) => {
    const message = problems([input({ 'base-url': url })]);
    expect(expected === '' ? message === '' : message.includes(expected)).toBe(true);
  });

  it('warn when the key would travel in plain text on a private network', () => {
    const { notes } = parseSettings([input({ 'base-url': 'http://ollama:11434/v1' })]);
    expect(notes).toEqual(["'base-url' is plain http on ollama: the key and the source travel unencrypted."]);
  });
});

it('no secret stands in a file of the repository, and none is quoted', () => {
  expect(problems([], file({ 'state-key': 'k3Jd8sLq0Zx7Vb2N' }))).toContain(
    ".postil/config.yml: 'state-key' is a secret, which no file of the repository may hold.",
  );
});

describe('verification', () => {
  it('let the repository say more than the file it shares, key by key, and raise no limit of that file', () => {
    const own = file({ 'max-cost': 50, 'max-iterations': 0, exclude: ['own/**'] });
    const shared: Layer = {
      ...{ where: 'acme/settings@v1:.postil/config.yml', trusted: false },
      values: { 'max-cost': 2, 'max-iterations': 5, exclude: ['shared/**'], language: 'German' },
    };
    const priced = input({ pricing: 'input=1,output=5' });
    const { settings: one, notes } = parseSettings([priced], [own, shared]);
    expect([one.maxCost, one.maxIterations, one.exclude, one.language]).toEqual([2, 5, ['own/**'], 'German']);
    expect(notes).toEqual([
      ".postil/config.yml: 'max-cost' 50 is above the limit of acme/settings@v1:.postil/config.yml; using 2.",
    ]);
    // Nearer files lower what is shared.
    expect(settings([priced], file({ 'max-cost': 1 }), shared).maxCost).toBe(1);
  });

  it.each([
    ['quick', {}, { verify: false, passes: 1 }],
    ['balanced', {}, { verify: true, passes: 1 }],
    ['thorough', {}, { verify: true, passes: 1 }],
    ['deep', {}, { verify: true, passes: 3 }],
    ['quick', { verify: 'true' }, { verify: true, passes: 1 }],
  ])('in profile %s with %o are %o', (profile, values, expected) => {
    expect(settings([input({ profile, ...values })])).toMatchObject(expected);
  });

  it('gets no more passes by the file than the inputs allow', () => {
    const { settings: one, notes } = parseSettings([], [file({ passes: 5 })]);
    expect(one.passes).toBe(1);
    expect(notes).toEqual(['.postil/config.yml: more than 1 passes must be set by an input; using 1.']);
    expect(settings([input({ profile: 'deep' })], file({ passes: 2 })).passes).toBe(2);
  });
});

describe('extra fields', () => {
  it('are read line by line', () => {
    const one = settings([
      input({
        'extra-headers': 'X-Title: Postil\nAuthorization: Bearer abcdefghijkl',
        'extra-query': 'api-version=2026-05-01\nempty=',
        'extra-body': '{"provider":{"sort":"price"}}',
      }),
    ]);
    expect([one.extraHeaders, one.extraQuery, one.extraBody]).toEqual([
      { 'X-Title': 'Postil', Authorization: 'Bearer abcdefghijkl' },
      { 'api-version': '2026-05-01', empty: '' },
      { provider: { sort: 'price' } },
    ]);
    expect(secretValues(one)).toEqual(['Bearer abcdefghijkl', '2026-05-01', 'abcdefghijkl']);
  });

  it.each([
    ['extra-headers', 'no colon secret-value-123', 'one header per line'],
    ['extra-headers', 'Host: evil.example', 'headers other than Host'],
    ['extra-body', '[1]', 'a JSON object'],
    ['extra-body', '{"messages":[]}', 'fields other than `messages`'],
    ['pricing', 'free', 'input=…'],
  ])('of %s that cannot be sent are refused, without a word of their values', (name, value, allowed) => {
    const problem = problems([input({ [name]: value })]);
    expect(problem).toContain(`input: '${name}' cannot be read; allowed: `);
    expect([problem.includes(allowed), problem.includes('secret-value')]).toEqual([true, false]);
  });
});

describe('a glob that would match nothing', () => {
  it.each([
    ['include', '*.ts\n['],
    ['deny-paths', '!secrets/**'],
    ['path-instructions', 'src/**: Look.\nsrc/[: Look.'],
  ])('is refused in %s, as in the config file', (name, written) => {
    const [wrong = ''] = written.split('\n').slice(-1)[0]?.split(': ') ?? [];
    const said = `cannot be read; allowed: globs such as \`src/**\`, which ${JSON.stringify(wrong)} is not: `;
    expect(problems([input({ [name]: written })])).toContain(`input: '${name}' ${said}`);
    expect(configFaults(`${name}: ${JSON.stringify(written.split('\n'))}`).map(({ text }) => text)).toEqual([
      expect.stringContaining(said),
    ]);
  });
});

describe('pricing', () => {
  it('is read for all models, and for one by its name, colons included', () => {
    const { pricing, problems } = parsePricing([
      'input=1.25, cached=0.125, output=$10',
      'llama3:8b: input=.1,output=.2',
    ]);
    expect(problems).toEqual([]);
    expect(priceOf(pricing, 'any')).toEqual({ input: 1.25, cached: 0.125, output: 10 });
    expect(priceOf(pricing, 'llama3:8b')).toEqual({ input: 0.1, cached: 0.1, output: 0.2 });
  });

  it.each([
    ['input=1', 'input=… and output=… are both needed'],
    ['input=1,output=2,chached=3', '"chached=3" is not input=…'],
    ['input=-1,output=2', '"input=-1" is not input=…'],
    ['cheap', '"" is not input=…'],
  ])('%j is refused with what is wrong', (line, problem) => {
    expect(parsePricing([line]).problems[0]).toContain(problem);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (lines) => {
        expect(parsePricing(lines).problems.length).toBeLessThanOrEqual(lines.length);
      }),
    );
  });
});

describe('a limit of cost', () => {
  const models = { model: 'm', verifyModel: '', embeddingsModel: '' };
  const limited = { ...models, maxCost: 1, pricing: {}, profile: 'thorough', verify: true } as const;
  const price = { input: 1, cached: 1, output: 1 };

  it('may be lowered by the file, never raised', () => {
    const costs = (own: Layer['values'], theirs: unknown) =>
      settings([input({ pricing: 'input=1,output=2', ...own })], file({ 'max-cost': theirs })).maxCost;
    expect([costs({ 'max-cost': '2' }, 1), costs({ 'max-cost': '2' }, 3), costs({}, 3)]).toEqual([1, 2, 3]);
  });

  it('needs a price, of the verifying model too', () => {
    expect(costProblem(limited)).toMatch(/'pricing' does not say what m costs/);
    expect(costProblem({ ...limited, pricing: { m: price }, verifyModel: 'v' })).toMatch(/what v costs/);
    expect(costProblem({ ...limited, pricing: { '*': price }, verifyModel: 'v' })).toBe(null);
  });

  it('needs a price of its own for a model of another kind', () => {
    const priced = { ...limited, pricing: { '*': price }, embeddingsModel: 'e' };
    expect(costProblem(priced)).toMatch(/no line of its own for e: add one such as 'e: input=0\.02,output=0'/);
    expect(costProblem({ ...priced, pricing: { '*': price, e: price } })).toBe(null);
  });

  it('needs none where no model is asked, or nothing is limited', () => {
    const unlimited = [{ ...limited, profile: 'offline' } as const, { ...limited, maxCost: null }];
    expect(unlimited.map(costProblem)).toEqual([null, null]);
  });
});
