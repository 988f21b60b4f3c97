import { describe, expect, it } from 'vitest';
import { symbolIndex } from '../../../src/core/context/symbol-index.ts';
import { readingTools } from '../../../src/core/tools/reading-tools.ts';
import { changedFile } from '../../fakes/changed-files.ts';
import { emptySources, historyOf, ScriptedSearch } from './tools-over.ts';

const search = new ScriptedSearch({ matches: [], incomplete: null });
const syntax = { languageOf: (path: string) => (path.endsWith('.ts') ? 'ecmascript' : null), parse: async () => null };
const everything = {
  ...emptySources,
  search,
  symbols: symbolIndex({ ...emptySources, search, syntax, now: () => 0 }),
  files: [changedFile('README.md'), changedFile('src/a.ts')],
  history: historyOf({}),
  offerDiff: true,
};

describe('readingTools', () => {
  it('offers the tools in a fixed order', () => {
    expect(readingTools(everything).map((tool) => tool.name)).toEqual([
      'read_file',
      'read_file_lines',
      'list_files',
      'search_text',
      'get_file_structure',
      'read_diff',
      'get_git_blame',
      'get_git_log',
      'find_symbol',
    ]);
  });

  it.each([
    ['no changed file is in a language that is parsed', { files: [changedFile('README.md')] }],
    ['nothing can be searched', { search: null }],
  ])('does not offer find_symbol when %s', (_why, sources) => {
    const names = readingTools({ ...everything, ...sources }).map((tool) => tool.name);
    expect(names).not.toContain('find_symbol');
  });

  it('offers no tool that has nothing to read from', () => {
    expect(readingTools(emptySources).map((tool) => tool.name)).toEqual([
      'read_file',
      'read_file_lines',
      'list_files',
      'get_file_structure',
    ]);
  });

  it.each(readingTools(everything).map((tool) => [tool.name, tool.parameters] as const))(
    'describes %s strictly: every parameter is required, none may be added',
    (_name, parameters) => {
      expect(parameters.required).toEqual(Object.keys(parameters.properties ?? {}));
      expect(parameters.additionalProperties).toBe(false);
    },
  );

  it('costs the prompt less than 1,000 tokens', () => {
    const text = JSON.stringify(
      readingTools(everything).map(({ name, description, parameters }) => ({ name, description, parameters })),
    );
    expect(text.length / 4).toBeLessThan(1_000);
  });
});
