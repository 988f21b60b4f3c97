import { describe, expect, it } from 'vitest';
import type { TextMatch, TextMatches } from '../../../src/core/repository/repository.ts';
import { isDeniedPath } from '../../../src/core/tools/default-policy.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { callTool, ScriptedSearch } from './tools-over.ts';

const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B'.repeat(2)}\n-----END PRIVATE KEY-----\n`;
const repository = new MemoryRepository({ 'src/a.ts': '', 'src/b.ts': '', 'key.txt': key });
const isDenied = (path: string) => isDeniedPath(path, []);
const anywhere = { path: null, file_pattern: null, regex: null };

function search(found: readonly TextMatch[], incomplete: TextMatches['incomplete'] = null) {
  const scripted = new ScriptedSearch({ matches: found, incomplete });
  const call = (query: object) =>
    callTool({ repository, isDenied, search: scripted }, 'search_text', { pattern: 'x', ...anywhere, ...query });
  return { scripted, call };
}

const match = (path: string, line: number, text = 'const x = 1;'): TextMatch => ({ path, line, text });

describe('search_text', () => {
  it('puts the matches below the path of their file', async () => {
    const { call } = search([match('src/a.ts', 3), match('src/a.ts', 120, '\tx\u200b'), match('src/b.ts', 7)]);
    expect(await call({})).toBe('src/a.ts\n   3 | const x = 1;\n 120 | \tx\\u{200B}\nsrc/b.ts\n   7 | const x = 1;');
  });

  it('asks for 100 matches of a fixed string anywhere, when nothing else is said', async () => {
    const { call, scripted } = search([]);
    await call({ pattern: 'a.b(' });
    expect(scripted.queries).toEqual([{ pattern: 'a.b(', regex: false, path: '', filePattern: '', limit: 100 }]);
  });

  it('leaves out what stands in denied files and says so', async () => {
    const { call } = search([match('.env', 1, 'KEY=x'), match('src/a.ts', 3), match('deep/id_rsa', 2)]);
    expect(await call({})).toBe('src/a.ts\n   3 | const x = 1;\n(2 matches in denied files left out)');
  });

  it('redacts a line from the middle of a private key', async () => {
    const { call } = search([match('key.txt', 2, key.split('\n')[1])]);
    expect(await call({ pattern: 'MIIE' })).toBe('key.txt\n   2 | [redacted: private key]');
  });

  it('cuts long lines', async () => {
    const { call } = search([match('src/a.ts', 1, 'y'.repeat(5_000))]);
    expect(await call({})).toBe(`src/a.ts\n   1 | ${'y'.repeat(400)} … (cut: 400 of 5,000 characters)`);
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
    [{ pattern: 'a.*b' }, 'No line matches the fixed string a.*b. If you meant a regular expression, set regex: true.'],
    [{ path: 'lib' }, 'ToolError: There is no lib at the reviewed commit. list_files lists what there is.'],
    [{ pattern: '' }, 'ToolError: The pattern is empty.'],
    [{ pattern: 'a\nb' }, 'ToolError: The search goes line by line: search for one line at a time.'],
    [{ pattern: 'x'.repeat(501) }, 'ToolError: The pattern has 501 characters; at most 500.'],
    [
      { path: '/etc' },
      'ToolError: /etc is refused: paths are relative to the root of the repository: leave out the first slash.',
    ],
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
