import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileContent } from '../../../src/core/repository/repository.ts';
import { configFileSchema, readConfigFiles } from '../../../src/core/settings/config-file.ts';
import { pathInstructionsProblem, readPathInstructions } from '../../../src/core/settings/formats.ts';
import { parseSettings, previewSettings } from '../../../src/core/settings/parse-settings.ts';
import { modeProblems } from '../../../src/core/settings/problems.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

const path = '.postil/config.yml';
const holding = (content: string | FileContent) => new MemoryRepository({}, { base: { [path]: content } });
const problem = (content: string | FileContent) => readConfigFiles(holding(content), path).then(() => '', String);

/** Each level holds the one before ten times. */
const bomb = ['ab', 'bc', 'cd', 'de', 'ef', 'fg']
  .map(([below, name]) => `${name}: &${name} [${`*${below}, `.repeat(10)}]`)
  .join('\n');

describe('the config file', () => {
  it('is read at the base commit', async () => {
    const layers = await readConfigFiles(holding('max-comments: 3\nexclude:\n  - docs/**\n'), path);
    expect(layers).toEqual([{ where: path, trusted: false, values: { 'max-comments': 3, exclude: ['docs/**'] } }]);
  });

  it('must be there when somebody named it, but for the change that adds it', async () => {
    const named = (head: Readonly<Record<string, string>>) =>
      readConfigFiles(new MemoryRepository(head, { base: {} }), 'postil.yml', true);
    await expect(named({})).rejects.toThrow('The config file postil.yml does not exist at the base commit.');
    expect(await named({ 'postil.yml': 'profile: quick' })).toEqual([]);
  });

  it('may be missing, or empty', async () => {
    expect(await readConfigFiles(new MemoryRepository({}), path)).toEqual([]);
    expect((await readConfigFiles(holding('# nothing yet\n'), path))[0]?.values).toEqual({});
  });

  it.each([
    ['a list', '- one\n- two\n', 'must be a mapping'],
    ['a star without quotes', 'max-comments: 3\nexclude:\n  - *.ts\n', 'Unresolved alias *.ts at line 3, column 5.'],
    ['a quote without end', 'profile: "quick\nmodel: x\n', 'Missing closing "quote at line 1, column 10.'],
    ['a mapping in a line', 'a: 1\nb: c: d\n', 'mappings are not allowed in compact mappings at line 2, column 4.'],
    ['a key given twice', 'model: a\nmodel: b\n', 'unique'],
    ['nested too deep', `exclude: ${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'is nested too deeply'],
    ['too long', `model: "${'x'.repeat(70_000)}"`, 'has 70,009 characters; the maximum is 65,536'],
    ['an alias bomb', `a: &a [x]\n${bomb}`, 'alias'],
  ])('is refused with a reason when it is %s', async (_, content, expected) => {
    const message = await problem(content);
    expect(message).toMatch(/^UserError: (?:.*\n- )?\.postil\/config\.yml:/);
    expect(message).toContain(expected);
  });

  it('is refused when it is a symbolic link', async () => {
    expect(await problem({ kind: 'symlink', target: '/etc/passwd' })).toContain('symbolic link');
  });

  it('has a JSON Schema that takes good files and refuses locked and misspelled keys', () => {
    const validate = new Ajv({ strict: false }).compile(configFileSchema());
    const good = { profile: 'quick', 'max-comments': 5, exclude: ['docs/**'], 'review-drafts': true };
    const bad = [{ 'base-url': 'https://evil.example' }, { 'max-coments': 5 }, { profile: 'fast' }];
    expect([good, ...bad].map((value) => validate(value))).toEqual([true, false, false, false]);
  });
});

function problemsOf(values: Readonly<Record<string, string>>, withKey = false): readonly string[] {
  return modeProblems(previewSettings([{ where: 'input', trusted: true, values }]), { withKey });
}

const file = { 'review-file': 'review.json' };
const review = { mode: 'review', ...file };
const post = { mode: 'post', ...file };
const plan = { mode: 'plan', 'plan-file': 'plan.json' };
const shard = { ...review, 'plan-file': 'plan.json', shard: '1/2' };

describe('the mode', () => {
  it.each([
    ['by default', {}, true],
    ['that reviews, with its file and its key', review, true],
    ['that reviews without a key', review, false],
    ['that plans, without a key', plan, false],
    ['that reviews a shard', shard, true],
    ['that posts a review in shards', { ...post, 'plan-file': 'plan.json' }, false],
    ['that posts, with its file', { ...post, 'review-event': 'request-changes', 'fail-on': 'warning' }, false],
  ] as const)('%s is fine', (_, values, withKey) => {
    expect(problemsOf(values, withKey)).toEqual([]);
  });

  it.each([
    [{ mode: 'review' }, false, "'mode: review' needs 'review-file', the file that the review is written to."],
    [{ mode: 'post' }, false, "'mode: post' needs 'review-file', the file that the review is read from."],
    [file, false, "'review-file' is for two jobs: set 'mode' to review in one and to post in the other."],
    [post, true, "'api-key' is set in 'mode: post': this job asks no model and must not hold the key."],
    [plan, true, "'api-key' is set in 'mode: plan': this job asks no model and must not hold the key."],
    [{ mode: 'plan' }, false, "'mode: plan' needs 'plan-file', the file that the plan is written to."],
    [{ ...plan, ...file }, false, "'review-file' is set in 'mode: plan', which reviews nothing."],
    [
      { ...plan, shard: '1/2' },
      false,
      "'shard' is set in 'mode: plan': it says what a job with 'mode: review' reviews.",
    ],
    [{ ...review, shard: '1/2' }, true, "'shard' needs 'plan-file', the file that 'mode: plan' wrote."],
    [{ ...shard, shard: '3/2' }, true, "'shard' is not such as '3/8', an item of the output 'shards': 3/2"],
    [
      { ...review, 'plan-file': 'plan.json' },
      true,
      "'plan-file' is set in 'mode: review' without 'shard': it is for a review in shards.",
    ],
    [{ ...shard, 'plan-file': 'review.json' }, true, "'review-file' and 'plan-file' name the same file."],
    [
      { ...review, 'review-event': 'approve' },
      true,
      "'review-event' is set in 'mode: review', which posts nothing: set it in the job with 'mode: post'.",
    ],
    [{ ...review, 'report-file': 'review.json' }, true, "'review-file' and 'report-file' name the same file."],
  ] as const)('%o (with a key: %s) is reported: %s', (values, withKey, problem) => {
    expect(problemsOf(values, withKey)).toEqual([problem]);
  });
});

async function written(yaml: string) {
  const files = await readConfigFiles(new MemoryRepository({ [path]: `path-instructions:${yaml}` }), path);
  return parseSettings([], files).settings.pathInstructions;
}
const session = { glob: 'src/api/**', instruction: 'Check the session.' };
const twice = { glob: '*.sql', instruction: 'Runs twice.' };

describe('path instructions', () => {
  it.each([
    ['in quotes', '\n  - "src/api/**: Check the session."\n', []],
    ['as a mapping', '\n  src/api/**: Check the session.\n', []],
    ['with several globs in one item', '\n  - src/api/**: Check the session.\n    "*.sql": Runs twice.\n', [twice]],
  ])('are read %s', async (_how, yaml, more) => {
    expect(await written(yaml)).toEqual([session, ...more]);
  });

  it('that cannot be read are named', async () => {
    await expect(written('\n  - "src/**: Fine."\n  - "Remember this: be kind."\n')).rejects.toThrow(
      `${path}: 'path-instructions' cannot be read; allowed: a glob, a colon and what to look at, such as \`src/api/**: Check the session.\`, which "Remember this: be kind." is not.`,
    );
  });

  it.each([
    ['**/*.sql: Runs twice.', 'Put an item that begins with `*` or holds a colon into quotes.'],
    ['src/**: [a, b]', 'quote those that hold a colon'],
  ])('that YAML cannot read without quotes ask for them: %s', async (item, words) => {
    await expect(written(`\n  - ${item}\n`)).rejects.toThrow(words);
  });

  it('are read or refused, and nothing between', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readPathInstructions([text]).length === 1).toBe(pathInstructionsProblem([text]) === null);
      }),
    );
  });
});
