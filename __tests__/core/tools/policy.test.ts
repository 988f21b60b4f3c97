import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { symbolIndex } from '../../../src/core/context/symbol-index.ts';
import { defaultPolicy, deniedIn } from '../../../src/core/tools/policy.ts';
import { readingTools } from '../../../src/core/tools/reading-tools.ts';
import { changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { indexOf, parser } from '../context/searching.ts';
import { callTool, emptySources, historyOf, ScriptedSearch } from './tools-over.ts';

const words = (text: string) => text.trim().split(/\s+/);

const denying = (...patterns: string[]) => deniedIn([], patterns);

describe('deniedIn', () => {
  it.each(
    words(`.env .env.production deep/.ENV.local .envs/production/django .envrc certificates/server.pem server.KEY .npmrc
      home/.netrc .ssh/id_rsa id_ed25519 backup/id_rsa.old id_deploy`),
  )('denies %s', (path) => {
    expect(denying()(path)).toBe(`${path} is denied: files of this kind hold secrets. Go on without it.`);
  });

  it.each(
    words(`.env.example src/env.ts environment.md keys.ts src/key/map.ts id_card.ts src/id_rsa_reader.go id_rsa.pub
      id_generator/main.go npmrc.md`),
  )('lets %s be read', (path) => {
    expect(denying()(path)).toBeNull();
  });

  it.each([
    ['*.tfvars', 'infra/prod.tfvars', true],
    ['*.TFVARS', 'prod.tfvars', true],
    ['secrets/', 'secrets/a/b.txt', true],
    ['secrets', 'deep/secrets/b.txt', true],
    ['config/private/**', 'config/private/.hidden', true],
    ['./config/private', 'config/private/a.ts', true],
    ['config/private', 'other/config/private/a.ts', false],
    ['!src', 'src/a.ts', false],
    ['', 'src/a.ts', false],
  ])('with the pattern %j denies %s: %s', (pattern, path, denied) => {
    expect(denying(pattern)(path) !== null).toBe(denied);
  });
});

describe('defaultPolicy', () => {
  const allowed = { allowed: true };

  it('allows what stays inside the repository', () => {
    const policy = defaultPolicy(denying());
    expect([policy('src/a.ts'), policy('./src/'), policy(''), policy(null)]).toEqual(Array(4).fill(allowed));
  });

  it.each([
    ['/etc/passwd', 'leave out the first slash'],
    ['/proc/self/environ', 'leave out the first slash'],
    ['src/../..', 'stay inside the repository'],
    ['./.git/config', "git's own folder"],
    ['deep//.env', 'files of this kind hold secrets'],
    ['internal/plan.md', 'denied by deny-paths (internal)'],
  ])('denies %s with a reason', (path, reason) => {
    const decision = defaultPolicy(denying('internal'))(path);
    expect(decision).toEqual({ allowed: false, because: 'path', reason: expect.stringContaining(reason) });
  });

  it.each(['renamed', 'copied'] as const)('denies a file of the change that was %s from a denied one', (status) => {
    const files = [
      changedFile('docs/settings.txt', { status, oldPath: 'deploy/.env' }),
      changedFile('docs/plan.md', { status, oldPath: 'internal/plan.md' }),
      changedFile('src/b.ts', { status, oldPath: 'src/a.ts' }),
    ];
    const policy = defaultPolicy(deniedIn(files, ['internal']));
    const decisions = files.map(({ path }) => policy(`./${path}`));
    const denied = { allowed: false, because: 'path' };
    const end = 'which may not be read. Go on without it.';
    expect(decisions).toEqual([
      { ...denied, reason: `docs/settings.txt is denied: it comes from deploy/.env, ${end}` },
      { ...denied, reason: `docs/plan.md is denied: it comes from internal/plan.md, ${end}` },
      allowed,
    ]);
  });

  it('denies every call after the last one allowed', () => {
    const policy = defaultPolicy(denying(), 2);
    expect([policy('a.ts'), policy(null), policy(null)]).toEqual([
      allowed,
      allowed,
      { allowed: false, because: 'calls', reason: 'This run has used its 2 tool calls: submit what you have.' },
    ]);
  });

  it('never allows a way to a secret file, however its path is written', () => {
    const policy = defaultPolicy(denying(), Number.POSITIVE_INFINITY);
    const noise = fc.array(fc.constantFrom('./', '/', 'a/', '././', '../', 'A/.//'), { maxLength: 4 });
    const secret = fc.constantFrom('.env', '.Env.local', 'x.PEM', '.git/config', 'id_rsa', '.npmrc/');
    fc.assert(
      fc.property(noise, secret, (parts, name) => {
        expect(policy(parts.join('') + name).allowed).toBe(false);
      }),
    );
  });
});

const search = new ScriptedSearch({ matches: [], incomplete: null });
const none = async () => null;
const syntax = {
  languageOf: (path: string) => (path.endsWith('.ts') ? 'ecmascript' : null),
  parse: none,
};
const everything = {
  ...emptySources,
  search,
  symbols: symbolIndex({ ...emptySources, search, syntax, now: () => 0 }),
  files: [changedFile('README.md'), changedFile('src/a.ts')],
  history: historyOf({}),
  offerDiff: true,
};

describe('readingTools', () => {
  const always = words('read_file read_file_lines list_files get_file_structure');
  const all =
    words(`read_file read_file_lines list_files search_text get_file_structure read_diff get_git_blame get_git_log
    find_symbol`);
  const unparsed = all.filter((name) => name !== 'find_symbol');
  const unsearched = unparsed.filter((name) => name !== 'search_text');

  it.each([
    ['all of them in a fixed order', all, everything],
    ['none that has nothing to read from', always, emptySources],
    [
      'no find_symbol when no changed file can be parsed',
      unparsed,
      { ...everything, files: [changedFile('README.md')] },
    ],
    ['neither find_symbol nor search_text without a search', unsearched, { ...everything, search: null }],
  ])('offers %s', (_what, names, sources) => {
    expect(readingTools(sources).map((tool) => tool.name)).toEqual(names);
  });

  it.each(readingTools(everything).map((tool) => [tool.name, tool.parameters] as const))(
    'describes %s strictly: every parameter is required, none may be added',
    (_name, parameters) => {
      expect(parameters.required).toEqual(Object.keys(parameters.properties ?? {}));
      expect(parameters.additionalProperties).toBe(false);
    },
  );

  it.each([
    ['read_file', { path: 'a.ts' }, 'a.ts'],
    ['read_file_lines', { path: 'a.ts', start_line: 1, end_line: 2 }, 'a.ts'],
    ['list_files', { directory: 'src', pattern: '../*' }, 'src'],
    ['list_files', { directory: null, pattern: null }, null],
    ['search_text', { pattern: '/etc/passwd', path: null, file_pattern: null, regex: null }, null],
    ['search_text', { pattern: 'x', path: 'src', file_pattern: null, regex: null }, 'src'],
    ['get_file_structure', { path: '' }, ''],
    ['read_diff', { path: 'a.ts' }, 'a.ts'],
    ['get_git_blame', { path: 'a.ts', start_line: 1, end_line: 2 }, 'a.ts'],
    ['get_git_log', { path: 'src', count: null }, 'src'],
    ['find_symbol', { name: '.env' }, null],
  ])('ask the policy about the path of %s %j', (name, given, path) => {
    const parsed = readingTools(everything)
      .find((tool) => tool.name === name)
      ?.parse(given);
    expect(parsed).toMatchObject({ ok: true, value: { path } });
  });

  it('costs the prompt less than 1,000 tokens', () => {
    expect(JSON.stringify(readingTools(everything)).length / 4).toBeLessThan(1_000);
  });
});

afterAll(() => parser.close());

const repository = new MemoryRepository({
  'README.md': '# Title\n\ntext\n',
  'src/a.ts': 'export class A {\n  run(): void {\n  }\n}\n\nexport const b = () => 1;\n',
  'src/core/c.ts': '',
  'src/core/d.ts': '',
  'data.bin': 'x\ny\n',
  'src/broken.ts': '%%% no code ((( }}} ???\n'.repeat(20),
  'src/e.ts': 'run();\n',
});
const filesOf = (count: number, pathOf: (index: number) => string) =>
  new MemoryRepository(Object.fromEntries(Array.from({ length: count }, (_file, index) => [pathOf(index), ''])));
const structure = (path: string, from = repository) =>
  callTool({ repository: from, symbols: indexOf(from) }, 'get_file_structure', { path });

const noOutline = 'no outline, because it is not parsed: use read_file, or search_text with this path.';

describe('get_file_structure', () => {
  it('shows the tree of a directory, folders first', async () => {
    const core = '    core/\n      c.ts\n      d.ts';
    const source = `  src/\n${core}\n    a.ts\n    broken.ts\n    e.ts`;
    expect(await structure('')).toBe(`the repository (7 files)\n${source}\n  README.md\n  data.bin`);
  });

  it('counts the files of folders that would make the tree too long', async () => {
    const many = filesOf(400, (index) => `pkg${index % 4}/deep/f${index}.ts`);
    const folders = [0, 1, 2, 3].map((number) => `  pkg${number}/\n    deep/ (100 files)`);
    expect(await structure('.', many)).toBe(['the repository (400 files)', ...folders].join('\n'));
    expect(await structure('pkg1/', many)).toMatch(/^pkg1 \(100 files\)\n {2}deep\/\n {4}f1\.ts\n/);
  });

  it('cuts a folder of more than 250 entries', async () => {
    const many = filesOf(300, (index) => `f${index}.ts`);
    const rows = (await structure('', many)).split('\n');
    expect([rows.length, rows.at(-1)]).toEqual([252, '… and 50 more entries: use list_files with a pattern.']);
  });

  it('shows what the parser found', async () => {
    const text = 'const enum A {\n  B,\n}\n\nexport const c = {\n  d() {\n    return 1;\n  },\n};\n';
    const from = new MemoryRepository({ 'a.ts': text });
    expect(await structure('a.ts', from)).toBe(
      'a.ts (9 lines)\n   1 | const enum A\n   5 | export const c =\n   6 |   d()',
    );
  });

  it('cuts an outline of more than 400 entries', async () => {
    const rows = (await structure('a.py', new MemoryRepository({ 'a.py': 'def f(): pass\n'.repeat(500) }))).split('\n');
    expect(rows.at(-1)).toBe('… and 100 more below line 400');
  });

  it.each([
    ['src/a.ts', 'src/a.ts (6 lines)\n   1 | export class A\n   2 |   run(): void\n   6 | export const b = () => 1;'],
    ['src/e.ts', 'src/e.ts has 1 line and no declarations that can be outlined: use read_file.'],
    ['README.md', `README.md has 3 lines and ${noOutline}`],
    ['src/broken.ts', `src/broken.ts has 20 lines and ${noOutline}`],
    ['nope', 'ToolError: There is no nope at the reviewed commit. list_files lists what there is.'],
  ])('answers for %s', async (path, text) => {
    expect(await structure(path)).toBe(text);
  });
});
