import { describe, expect, it } from 'vitest';
import { linearGlob } from '../../../src/core/repository/path.ts';
import type { TextMatch, TextMatches } from '../../../src/core/repository/repository.ts';
import { deniedIn } from '../../../src/core/tools/policy.ts';
import { changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { callTool, ScriptedSearch } from './tools-over.ts';

describe('search_text', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B'.repeat(2)}\n-----END PRIVATE KEY-----\n`;
  const large = { kind: 'unreadable', reason: 'too-large', bytes: 90_000_000 } as const;
  const repository = new MemoryRepository({ 'src/a.ts': '', 'src/b.ts': '', 'key.txt': key, 'large.txt': large });
  const isDenied = deniedIn([], []);
  const anywhere = { path: null, file_pattern: null, regex: null };

  function search(found: readonly TextMatch[], incomplete: TextMatches['incomplete'] = null) {
    const scripted = new ScriptedSearch({ matches: found, incomplete });
    const call = (query: object) =>
      callTool({ repository, isDenied, search: scripted }, 'search_text', { pattern: 'x', ...anywhere, ...query });
    return { scripted, call };
  }

  const match = (path: string, line: number, text = 'const x = 1;'): TextMatch => ({ path, line, text });

  it('puts the matches below the path of their file', async () => {
    const { call } = search([match('src/a.ts', 3), match('src/a.ts', 120, '\tx\u200b'), match('src/b.ts', 7)]);
    expect(await call({})).toBe('src/a.ts\n   3 | const x = 1;\n 120 | \tx\\u{200B}\nsrc/b.ts\n   7 | const x = 1;');
  });

  it('asks for 400 matches of a fixed string anywhere, when nothing else is said', async () => {
    const { call, scripted } = search([]);
    await call({ pattern: 'a.b(' });
    const query = { pattern: 'a.b(', regex: false, path: '', filePattern: '', limit: 400 };
    expect(scripted.queries).toMatchObject([query]);
  });

  it('shows code before tests, and these before documents', async () => {
    const { call } = search([match('docs/x.md', 2), match('src/a.test.ts', 4), match('src/b.ts', 7)]);
    const order = (await call({})).split('\n').filter((row) => !row.startsWith(' '));
    expect(order).toEqual(['src/b.ts', 'src/a.test.ts', 'docs/x.md']);
  });

  it('shows 8 matches of a file where not all can be shown, and says how many more it has', async () => {
    const many = Array.from({ length: 101 }, (_, at) => match('src/a.ts', at + 1));
    const rows = (await search([...many, match('src/b.ts', 7)]).call({})).split('\n');
    expect(rows.slice(8)).toEqual([
      '   8 | const x = 1;',
      '     … 93 more matches in this file',
      'src/b.ts',
      '   7 | const x = 1;',
    ]);
    const few = (await search(many.slice(1)).call({})).split('\n');
    expect(few).toHaveLength(101);
  });

  it('leaves out what stands in denied files and says so', async () => {
    const { call } = search([match('.env', 1, 'KEY=x'), match('src/a.ts', 3), match('deep/id_rsa', 2)]);
    expect(await call({})).toBe('src/a.ts\n   3 | const x = 1;\n(2 matches in denied files left out)');
  });

  it('redacts a line from the middle of a private key', async () => {
    const { call } = search([match('key.txt', 2, key.split('\n')[1])]);
    expect(await call({ pattern: 'MIIE' })).toBe('key.txt\n   2 | [redacted: private key]');
  });

  it('shows a line that could be of a key as it stands where its file is too large to be read', async () => {
    const { call } = search([match('large.txt', 2, 'SGVsbG8gd29ybGQh')]);
    expect(await call({ pattern: 'SGVs' })).toBe('large.txt\n   2 | SGVsbG8gd29ybGQh');
  });

  it('cuts long lines around the match', async () => {
    const text = `${'y'.repeat(1_000)}x = 1${'y'.repeat(1_000)}`;
    const { call } = search([{ ...match('src/a.ts', 1, text), at: 1_000 }, match('src/b.ts', 1, 'y'.repeat(5_000))]);
    expect(await call({})).toBe(
      `src/a.ts\n   1 | …${'y'.repeat(100)}x = 1${'y'.repeat(295)}…\nsrc/b.ts\n   1 | ${'y'.repeat(400)}…`,
    );
  });

  it.each([
    ['', 50, 149],
    [',', 49, 149],
  ])(
    'cuts no character, and finds the place in what is shown of hidden ones and of secrets (%j)',
    async (odd, before, after) => {
      const token = `ghp_${'wqNc5bXz'.repeat(4)}aB3d`;
      const text = `${'\u200b'.repeat(500)}'${token}' ${'😀'.repeat(300)}${odd}x${'😀'.repeat(301)}`;
      const answer = await search([{ ...match('src/a.ts', 1, text), at: text.indexOf('x', 550) }]).call({});
      expect(answer).toBe(`src/a.ts\n   1 | …${'😀'.repeat(before)}${odd}x${'😀'.repeat(after)}…`);
    },
  );

  it.each([
    ['package-lock.json dist/index.js web/app.min.js vendor/a.go api/a.pb.go a/__snapshots__/b.ts', true],
    ['src/a.ts src/distance/a.ts vendor.ts lock.ts', false],
    // These are searched, to be counted among denied files.
    ['.env vendor/.env', false],
    // The pull request adds the first; of what it adds, lock files are left out all the same.
    ['vendor/new.go', false],
    ['vendor/old.go go.sum', true],
  ])('leaves out %s: %s', async (paths, expected) => {
    const files = [
      changedFile('vendor/new.go', { status: 'added' }),
      changedFile('vendor/old.go'),
      changedFile('go.sum', { status: 'added', lock: true }),
    ];
    const scripted = new ScriptedSearch({ matches: [], incomplete: null });
    await callTool({ files, isDenied, search: scripted }, 'search_text', { pattern: 'x', ...anywhere });
    const leaveOut = scripted.queries[0]?.leaveOut;
    expect(paths.split(' ').filter((path) => leaveOut?.(path) !== expected)).toEqual([]);
  });

  it.each([
    ...['package-lock.json', 'vendor', 'web/node_modules/a', 'dist/'].map((path) => ({ path })),
    ...['*.min.js', 'dist/**', '**/yarn.lock'].map((file_pattern) => ({ file_pattern })),
  ])('leaves nothing out of what %j names', async (query) => {
    const { call, scripted } = search([match('vendor/a.js', 1)]);
    await call(query);
    expect(scripted.queries[0]).not.toHaveProperty('leaveOut');
  });

  it.each([
    [1, ['dist/a.js'], null, '1 lock, built, generated or vendored file', 'dist/a.js'],
    [2, ['a.lock', 'b\n.js'], 'time', 'at least 2 lock, built, generated or vendored files', 'a.lock, b\\u{A}.js'],
    [9, ['a', 'b', 'c'], 'limit', 'at least 9 lock, built, generated or vendored files', 'a, b, c, …'],
  ] as const)('says that %i files are left out, and how to search them', async (files, paths, incomplete, ...said) => {
    const note = `(${said.join(' with matches left out: ')}; name one in path or file_pattern to search it)`;
    const found = (matches: readonly TextMatch[]) => ({ matches, incomplete, leftOut: { files, paths } });
    const answer = (matches: readonly TextMatch[]) =>
      callTool({ search: new ScriptedSearch(found(matches)) }, 'search_text', { pattern: 'x', ...anywhere });
    const answers = await Promise.all([answer([]), answer([match('src/a.ts', 3)])]);
    expect(answers.map((text) => text.split('\n').filter((row) => row === note))).toEqual([[note], [note]]);
  });

  it.each([
    ['limit', '(there are more than 1 match: narrow the search with path or file_pattern)'],
    ['time', '(the search ran out of time and may have missed matches: narrow the search with path or file_pattern)'],
  ] as const)('says that the list is incomplete for lack of %s', async (incomplete, note) => {
    const { call } = search([match('src/a.ts', 3)], incomplete);
    expect((await call({})).split('\n').at(-1)).toBe(note);
  });

  it.each([
    [{ path: 'src' }, 'No line matches the fixed string x in src.'],
    [{ file_pattern: '*.go' }, 'No line matches the fixed string x in files *.go.'],
    [{ pattern: 'a\\d+', regex: true }, 'No line matches the expression a\\d+.'],
    [{ pattern: '.*' }, 'No line matches the fixed string .*. If you meant a regular expression, set regex: true.'],
    [{ path: 'lib' }, 'ToolError: There is no lib at the reviewed commit. list_files lists what there is.'],
    [{ pattern: '' }, 'ToolError: The pattern is empty.'],
    [{ pattern: 'a\nb' }, 'ToolError: The search goes line by line: search for one line at a time.'],
    [{ pattern: 'x'.repeat(501) }, 'ToolError: The pattern has 501 characters; at most 500.'],
    [{ path: '../etc' }, 'ToolError: ../etc is refused: paths stay inside the repository: `..` is not allowed.'],
  ])('answers %j without matches', async (query, text) => {
    expect(await search([]).call(query)).toBe(text);
  });

  it('explains a pattern that RE2 does not know, before anything is searched', async () => {
    const { call, scripted } = search([]);
    expect(await call({ pattern: '(?<=a)b', regex: true })).toMatch(
      /^ToolError: The pattern is not RE2 syntax: .*RE2 has no lookaround and no backreferences; with regex: false/,
    );
    expect(scripted.queries).toEqual([]);
  });
});

describe('list_files', () => {
  const repository = new MemoryRepository({
    '.github/workflows/ci.yml': '',
    'README.md': '',
    'src/a.ts': '',
    'src/a.test.ts': '',
    'src/core/b.ts': '',
    'src/link': { kind: 'symlink', target: 'a.ts' },
  });
  const list = (directory: string | null, pattern: string | null, from = repository) =>
    callTool({ repository: from }, 'list_files', { directory, pattern });

  it.each([
    [null, null, '.github/workflows/ci.yml\nREADME.md\nsrc/a.test.ts\nsrc/a.ts\nsrc/core/b.ts\nsrc/link (symlink)'],
    ['src/', '*.ts', 'src/a.test.ts\nsrc/a.ts\nsrc/core/b.ts'],
    ['src', 'core/*.ts', 'src/core/b.ts'],
    ['src', 'src/core/**', 'src/core/b.ts'],
    [null, '*.{md,yml}', '.github/workflows/ci.yml\nREADME.md'],
    ['src', '*.go', 'No file matches *.go: none of the 4 files below src.'],
    ['src/a.ts', null, 'ToolError: src/a.ts is a file: use read_file.'],
    ['lib', null, 'ToolError: There is no lib at the reviewed commit. list_files lists what there is.'],
  ])('lists %j with the pattern %j', async (directory, pattern, text) => {
    expect(await list(directory, pattern)).toBe(text);
  });

  it('lists at most 500 files and says how many more there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 620 }, (_file, index) => [`f${index}.ts`, '']));
    const rows = (await list(null, null, new MemoryRepository(many))).split('\n');
    expect(rows).toHaveLength(501);
    expect(rows.at(-1)).toBe('… and 120 more: name a directory below, or a narrower pattern.');
  });

  it('says when there is no file at all', async () => {
    expect(await list(null, '*', new MemoryRepository({}))).toBe('The repository has no files.');
  });
});

it.each([
  ['*.ts', 'src/deep/a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/core/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/core/deep/a.ts', true],
  ['**/a.ts', 'a.ts', true],
  ['/src/?.ts', 'src/a.ts', true],
  ['src/[ab].ts', 'src/b.ts', true],
  ['src/[!ab].ts', 'src/b.ts', false],
  ['src/[a-c]*', 'src/bus', true],
  ['*.{ts,js}', 'a.js', true],
  ['*.{ts,{js,mjs}}', 'a.mjs', true],
  ['a,b.ts', 'a,b.ts', true],
  ['{a.ts', '{a.ts', true],
  ['a(1)+.ts', 'a(1)+.ts', true],
  ['[.ts', '[.ts', true],
  ['src/[\\w]', 'src/w', true],
])('the glob %j holds %j: %s', (glob, path, matches) => {
  expect(linearGlob(glob)(path)).toBe(matches);
});
