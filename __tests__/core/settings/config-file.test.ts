import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { FileContent, Repository } from '../../../src/core/repository/repository.ts';
import { configFileSchema, readConfigFile } from '../../../src/core/settings/config-file.ts';
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
    ['nested too deep', `exclude: ${'['.repeat(30_000)}${']'.repeat(30_000)}`, 't is nested too deep'],
    ['too long', `model: "${'x'.repeat(70_000)}"`, '70,009 characters are too many, 65,536 are read'],
    ['an alias bomb', `a: &a [x]\n${bomb()}`, 'alias'],
  ])('is refused with a reason when it is %s', async (_, content, expected) => {
    const message = await problem(text(content));
    expect(message.startsWith('.postil/config.yml:') || message.includes('- .postil/config.yml:')).toBe(true);
    expect(message.toLowerCase()).toContain(expected);
  });

  it('is refused when it is a symbolic link', async () => {
    expect(await problem(repositoryWith({ kind: 'symlink', target: '/etc/passwd' }))).toContain('symbolic link');
  });

  it('has a JSON Schema that takes good files and refuses locked and misspelt keys', () => {
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
