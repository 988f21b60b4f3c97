import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileContent, Repository } from '../../../src/core/repository/repository.ts';
import { configFileSchema, readConfigFile } from '../../../src/core/settings/config-file.ts';
import { pathInstructionsProblem, readPathInstructions, secretValues } from '../../../src/core/settings/formats.ts';
import { parseSettings, previewSettings } from '../../../src/core/settings/parse-settings.ts';
import { modeProblems } from '../../../src/core/settings/problems.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

function repositoryWith(content: FileContent): Repository {
  return {
    readFile: async (_, at) => (at === 'base' ? content : { kind: 'unreadable', reason: 'missing', bytes: null }),
    listFiles: async () => [],
  };
}

const text = (value: string) => repositoryWith({ kind: 'text', text: value, bytes: value.length });

async function problem(repository: Repository): Promise<string> {
  try {
    await readConfigFile(repository, '.postil/config.yml');
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('the config file', () => {
  it('is read at the base commit', async () => {
    const layer = await readConfigFile(text('max-comments: 3\nexclude:\n  - docs/**\n'), '.postil/config.yml');
    expect(layer).toEqual({
      where: '.postil/config.yml',
      trusted: false,
      values: { 'max-comments': 3, exclude: ['docs/**'] },
    });
  });

  it('must be there when somebody named it, but for the change that adds it', async () => {
    const named = (head: Readonly<Record<string, string>>) =>
      readConfigFile(new MemoryRepository(head, { base: {} }), 'postil.yml', true);
    await expect(named({})).rejects.toThrow('The config file postil.yml does not exist at the base commit.');
    expect(await named({ 'postil.yml': 'profile: quick' })).toBe(null);
  });

  it.each([
    ['max-comments: 3\nexclude:\n  - *.ts\n', 'Unresolved alias *.ts at line 3, column 5.'],
    ['profile: "quick\nmodel: x\n', 'Missing closing "quote at line 1, column 10.'],
    ['a: 1\nb: c: d\n', 'Nested mappings are not allowed in compact mappings at line 2, column 4.'],
  ])('that is no YAML (%j) names line and column', async (content, expected) => {
    expect(await problem(text(content))).toContain(expected);
  });

  it('may be missing, or empty', async () => {
    const missing = repositoryWith({ kind: 'unreadable', reason: 'missing', bytes: null });
    expect(await readConfigFile(missing, '.postil/config.yml')).toBe(null);
    expect((await readConfigFile(text('# nothing yet\n'), 'c'))?.values).toEqual({});
  });

  it.each([
    ['a list', '- one\n- two\n', 'must be a mapping'],
    ['broken YAML', 'a: [1, 2\nb: 3', 'line'],
    ['a key given twice', 'model: a\nmodel: b\n', 'unique'],
    ['nested too deep', `exclude: ${'['.repeat(30_000)}${']'.repeat(30_000)}`, 't is nested too deeply'],
    ['too long', `model: "${'x'.repeat(70_000)}"`, 't has 70,009 characters; the maximum is 65,536'],
    ['an alias bomb', `a: &a [x]\n${bomb()}`, 'alias'],
  ])('is refused with a reason when it is %s', async (_, content, expected) => {
    const message = await problem(text(content));
    expect(message.startsWith('.postil/config.yml:') || message.includes('- .postil/config.yml:')).toBe(true);
    expect(message.toLowerCase()).toContain(expected);
  });

  it('is refused when it is a symbolic link', async () => {
    expect(await problem(repositoryWith({ kind: 'symlink', target: '/etc/passwd' }))).toContain('symbolic link');
  });

  it('has a JSON Schema that takes good files and refuses locked and misspelled keys', () => {
    const validate = new Ajv({ strict: false }).compile(configFileSchema());
    const judge = (value: unknown) => validate(value);
    expect([
      judge({ profile: 'quick', 'max-comments': 5, exclude: ['docs/**'], 'review-drafts': true }),
      judge({ 'base-url': 'https://evil.example' }),
      judge({ 'max-coments': 5 }),
      judge({ profile: 'fast' }),
    ]).toEqual([true, false, false, false]);
  });
});

function bomb(): string {
  const levels = ['b', 'c', 'd', 'e', 'f', 'g'];
  return levels
    .map(
      (name, i) =>
        `${name}: &${name} [*${i === 0 ? 'a' : levels[i - 1]}${`, *${i === 0 ? 'a' : levels[i - 1]}`.repeat(9)}]`,
    )
    .join('\n');
}

function problemsOf(values: Readonly<Record<string, string>>, withKey = false): readonly string[] {
  return modeProblems(previewSettings([{ where: 'input', trusted: true, values }]), { withKey });
}

const file = { 'review-file': 'review.json' };

describe('the mode', () => {
  it.each([
    ['by default', {}, true],
    ['that reviews, with its file and its key', { mode: 'review', ...file }, true],
    ['that reviews without a key', { mode: 'review', ...file }, false],
    [
      'that posts, with its file',
      { mode: 'post', ...file, 'review-event': 'request-changes', 'fail-on': 'warning' },
      false,
    ],
  ] as const)('%s is fine', (_, values, withKey) => {
    expect(problemsOf(values, withKey)).toEqual([]);
  });

  it.each([
    [{ mode: 'review' }, false, "'mode: review' needs 'review-file', the file that the review is written to."],
    [{ mode: 'post' }, false, "'mode: post' needs 'review-file', the file that the review is read from."],
    [file, false, "'review-file' is for two jobs: set 'mode' to review in one and to post in the other."],
    [
      { mode: 'post', ...file },
      true,
      "'api-key' is set in 'mode: post': the job that may write asks no model and must not hold the key.",
    ],
    [
      { mode: 'review', ...file, 'review-event': 'approve' },
      true,
      "'review-event' is set in 'mode: review', which posts nothing: set it in the job with 'mode: post'.",
    ],
    [
      { mode: 'review', ...file, 'report-file': 'review.json' },
      true,
      "'review-file' and 'report-file' name the same file.",
    ],
  ] as const)('%o (with a key: %s) is reported: %s', (values, withKey, problem) => {
    expect(problemsOf(values, withKey)).toEqual([problem]);
  });
});

const path = '.postil/config.yml';
async function written(yaml: string) {
  const file = await readConfigFile(new MemoryRepository({ [path]: `path-instructions:${yaml}` }), path);
  return parseSettings([], file).settings.pathInstructions;
}
const session = { glob: 'src/api/**', instruction: 'Check the session.' };

describe('path instructions', () => {
  it.each([
    ['in quotes', '\n  - "src/api/**: Check the session."\n'],
    ['without quotes', '\n  - src/api/**: Check the session.\n'],
    ['as a mapping', '\n  src/api/**: Check the session.\n'],
    ['as text', ' |\n  src/api/**: Check the session.\n'],
  ])('are read %s', async (_how, yaml) => {
    expect(await written(yaml)).toEqual([session]);
  });

  it('are read with several globs in one item', async () => {
    expect(await written('\n  - src/api/**: Check the session.\n    "*.sql": Runs twice.\n')).toEqual([
      session,
      { glob: '*.sql', instruction: 'Runs twice.' },
    ]);
  });

  it('may have spaces in a glob', () => {
    expect(readPathInstructions(['my docs/**: Be brief.'])).toEqual([{ glob: 'my docs/**', instruction: 'Be brief.' }]);
  });

  it('that cannot be read are named', async () => {
    await expect(written('\n  - "src/**: Fine."\n  - "Remember this: be kind."\n')).rejects.toThrow(
      `${path}: 'path-instructions' cannot be read; allowed: a glob, a colon and what to look at, such as \`src/api/**: Check the session.\`, which "Remember this: be kind." is not.`,
    );
  });

  it.each([['**/*.sql: Runs twice.'], ['src/**: Note: be kind.']])(
    'that YAML cannot read without quotes ask for them: %s',
    async (item) => {
      await expect(written(`\n  - ${item}\n`)).rejects.toThrow(
        'Put an item that begins with `*` or holds a colon into quotes.',
      );
    },
  );

  it('that are neither text nor a mapping of texts are refused', async () => {
    await expect(written('\n  - src/**: [a, b]\n')).rejects.toThrow('quote those that hold a colon');
  });

  it('are read or refused, and nothing between', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readPathInstructions([text]).length === 1).toBe(pathInstructionsProblem([text]) === null);
      }),
    );
  });
});

describe('model settings', () => {
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

    it.each([
      ['balanced', 'auto', false],
      ['thorough', 'auto', true],
      ['deep', 'false', false],
      ['quick', 'true', true],
    ])('in profile %s with `second-look: %s` comes after a second look: %s', (profile, secondLook, expected) => {
      const { settings } = parseSettings([input({ profile, 'second-look': secondLook })], null);
      expect(settings.secondLook).toBe(expected);
    });

    it('gets no more passes by the file than the inputs allow', () => {
      const { settings, notes } = parseSettings([input({})], file({ passes: 5 }));
      expect([settings.passes, notes]).toEqual([
        1,
        ['.postil/config.yml: more than 1 passes must be set by an input; using 1.'],
      ]);
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
});
