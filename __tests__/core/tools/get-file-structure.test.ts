import { afterAll, describe, expect, it } from 'vitest';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { indexOf, parser } from '../context/chain-of.ts';
import { callTool } from './tools-over.ts';

afterAll(() => parser.close());

const repository = new MemoryRepository({
  'README.md': '# Title\n\ntext\n## Use\n```sh\n# no heading\n```\n### Deep\n# Second\n',
  'src/a.ts': 'export class A {\n  run(): void {\n  }\n}\n\nexport const b = () => 1;\n',
  'src/core/c.ts': '',
  'src/core/d.ts': '',
  'data.bin': 'x\ny\n',
});
const structure = (path: string, from = repository) => callTool({ repository: from }, 'get_file_structure', { path });

describe('get_file_structure', () => {
  it('shows the tree of a directory, folders first', async () => {
    expect(await structure('')).toBe(
      [
        'the repository (5 files)',
        '  src/',
        '    core/',
        '      c.ts',
        '      d.ts',
        '    a.ts',
        '  README.md',
        '  data.bin',
      ].join('\n'),
    );
  });

  it('counts the files of folders that would make the tree too long', async () => {
    const paths = Array.from({ length: 400 }, (_file, index) => `pkg${index % 4}/deep/f${index}.ts`);
    const many = new MemoryRepository(Object.fromEntries(paths.map((path) => [path, ''])));
    expect(await structure('.', many)).toBe(
      ['the repository (400 files)', ...[0, 1, 2, 3].flatMap((n) => [`  pkg${n}/`, '    deep/ (100 files)'])].join(
        '\n',
      ),
    );
    expect(await structure('pkg1/', many)).toMatch(/^pkg1 \(100 files\)\n {2}deep\/\n {4}f1\.ts\n/);
  });

  it('cuts a folder of more than 250 entries', async () => {
    const paths = Array.from({ length: 300 }, (_file, index) => `f${index}.ts`);
    const flat = new MemoryRepository(Object.fromEntries(paths.map((path) => [path, ''])));
    expect((await structure('', flat)).split('\n').at(-1)).toBe(
      '… and 50 more entries: use list_files with a pattern.',
    );
  });

  it('shows the declarations of a source file', async () => {
    expect(await structure('src/a.ts')).toBe(
      'src/a.ts (6 lines)\n   1 | export class A\n   2 |   run(): void\n   6 | export const b = () => 1;',
    );
  });

  it('shows what the parser found, where there is one', async () => {
    const text = 'const enum A {\n  B,\n}\n\nexport const c = {\n  d() {\n    return 1;\n  },\n};\n';
    const from = new MemoryRepository({ 'a.ts': text });
    const answer = await callTool({ repository: from, symbols: indexOf(from) }, 'get_file_structure', { path: 'a.ts' });
    expect(answer).toBe('a.ts (9 lines)\n   1 | const enum A\n   5 | export const c =\n   6 |   d()');
  });

  it('shows the headings of a Markdown file', async () => {
    expect(await structure('README.md')).toBe(
      'README.md (9 lines)\n   1 | # Title\n   4 |   ## Use\n   8 |     ### Deep\n   9 | # Second',
    );
  });

  it('cuts an outline of more than 400 entries', async () => {
    const text = Array.from({ length: 500 }, (_line, index) => `def f${index}():\n`).join('');
    const rows = (await structure('a.py', new MemoryRepository({ 'a.py': text }))).split('\n');
    expect(rows.at(-1)).toBe('… and 100 more below line 400');
  });

  it.each([
    ['data.bin', 'data.bin has 2 lines and no declarations that can be outlined: use read_file.'],
    ['nope', 'ToolError: There is no nope at the reviewed commit. list_files lists what there is.'],
  ])('answers for %s', async (path, text) => {
    expect(await structure(path)).toBe(text);
  });
});
