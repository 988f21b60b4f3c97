import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/errors.ts';
import { globsProblem } from '../../../src/core/settings/formats.ts';
import { type Layer, parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { checkDenyPaths, denying } from '../../../src/core/tools/deny-paths.ts';
import { changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';

describe('a line of deny-paths', () => {
  it.each([
    ['data/**, docs/**', ['data/y.json', 'docs/x.md', 'DOCS/deep/x.md']],
    ['data/** docs/**', ['data/y.json', 'docs/x.md']],
    ['data/**,docs/**', ['data/y.json', 'docs/x.md']],
    ['data/**\t,  docs/** ,', ['data/y.json', 'docs/x.md']],
    ['my docs/**', ['my docs/x.md', 'docs/x.md']],
    ['my docs/**, data/**', ['my docs/x.md', 'data/y.json']],
    ['data/** my docs/** ops', ['my docs/x.md', 'data/y.json', 'deep/ops/z']],
    ['Smith, John/** data', ['Smith, John/x.md', 'data/y.json']],
    ['{data,docs}/**', ['data/y.json', 'docs/x.md']],
    ['{data/**, docs/**}', ['data/y.json', 'docs/x.md']],
    ['{data/**, docs/**} ops', ['data/y.json', 'docs/x.md', 'ops/z']],
    ['my {a, b}/**', ['my a/x', 'my b/x', 'my  b/x']],
    ['[a, ]/** ops', [',/x', ' /x', 'a/x', 'ops/z']],
    ['my[ ]docs/**', ['my docs/x.md']],
    ['a[,]b', ['a,b']],
    ['src/**, !src/public/**', ['src/a.ts', 'src/public/a.ts']],
    ['/data, ./docs/ ././ops', ['data/y.json', 'docs/x.md', 'ops/z']],
  ])('%j denies %j', (line, paths) => {
    expect(paths.filter((path) => !denying(line)(path))).toEqual([]);
  });

  it.each([
    ['{data,docs}/**', 'docs'],
    ['my[ ]docs/**', 'docs/x.md'],
    ['data/**, docs/**', 'src/a.ts'],
    ['data/**, /', 'src/a.ts'],
    ['data, ./ , ,', 'src/a.ts'],
  ])('%j lets %s be read', (line, path) => {
    expect(denying(line)(path)).toBe(false);
  });

  const name = fc.stringMatching(/^[a-c!.-]{1,3}$/);
  const piece = fc.oneof(
    { weight: 6, arbitrary: name },
    fc.constantFrom('*', '**', '?', '[ab]', '[!a]', '[ ]', '[{,]', '[]a]', '{a,b}', '{a, b c}', '{a,{b,c}}'),
  );
  const glob = fc
    .array(piece, { minLength: 1, maxLength: 4 })
    .chain((pieces) => fc.constantFrom('', '/', ' ').map((between) => pieces.join(between)))
    .filter((text) => text === text.trim() && globsProblem([text]) === null);
  const between = fc.stringMatching(/^(?: {1,2}| ?,[ \t]?)$/);
  const path = fc
    .array(fc.stringMatching(/^[a-c ,{.!-]{1,5}$/), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('/'));
  const list = fc.tuple(fc.array(glob, { minLength: 1, maxLength: 5 }), between);

  it('denies all that its patterns would deny on lines of their own', () => {
    let denied = 0;
    fc.assert(
      fc.property(list, path, ([globs, separator], file) => {
        // Files with blanks in their names are rare among those of any name.
        const named = globs.map((one) => one.replaceAll(/\*+|\?|\[[^\]]*\]/g, 'a'));
        const files = [file, ...named].filter((each) => globs.some((one) => denying(one)(each)));
        denied += files.length;
        const line = denying(globs.join(separator));
        expect(files.filter((each) => !line(each))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
    expect(denied).toBeGreaterThan(300);
  });
});

const repository = new MemoryRepository({ 'src/a.ts': '', 'docs/x.md': '', 'my notes/n.md': '' });
const changes = async () => ({
  files: [changedFile('src/a.ts'), changedFile('src/moved.ts', { status: 'renamed', oldPath: 'old data/m.ts' })],
});

async function check(lines: string | readonly string[], layer: Partial<Layer> = {}, mode = 'review-and-post') {
  const values = { 'deny-paths': lines };
  const trusted = { where: 'input', trusted: true, values: { mode } };
  const parsed = parseSettings([trusted, { where: 'input', trusted: true, values, ...layer }]);
  const workTree = async () => ['private notes/secret.txt'];
  return await checkDenyPaths(parsed, { repository, changes, workTree }).catch((error: unknown) =>
    error instanceof UserError ? error.message : String(error),
  );
}

const advice = 'Write one pattern per line; a blank or comma of a name is `[ ]` or `[,]`.';

describe('the check of deny-paths', () => {
  it.each([
    ['one pattern that matches nothing, as for files that may come', ['dcos/**', '*.{key,p12}', 'a[ ]b', 'x[,]']],
    ['a list of which everything matches', 'docs/**, src'],
    ['a name with a blank', 'my notes/**'],
    ['a name with a blank in a list', 'my notes/** src/**, docs'],
    ['what the change renames', 'old data/**'],
    ['what lies in the work tree alone', 'private notes/**'],
    ['nothing', []],
  ])('has nothing to say of %s', async (_, lines) => {
    expect(await check(lines)).toEqual([]);
  });

  it.each([
    ['data/**, dcos/**', 'and no file matches it, neither whole nor in parts.'],
    ['data dcos', 'and no file matches it, neither whole nor in parts.'],
    ['data/**,', 'and no file matches it, neither whole nor in parts.'],
    ['[data, dcos]x', 'and no file matches it, neither whole nor in parts.'],
    ['{data, dcos}/**', 'and no file matches it, neither whole nor in parts.'],
    ["'docs/**', 'src/**'", 'and no file matches it, neither whole nor in parts.'],
  ])('fails for %j, which denies nothing', async (line, problem) => {
    expect(await check(line)).toBe(`input: 'deny-paths' has the line ${JSON.stringify(line)}, ${problem} ${advice}`);
  });

  it('fails for a negation, which somebody believes in', async () => {
    const problem = 'has the line "docs/**, !docs/public/**": a `!` has no meaning here.';
    expect(await check('docs/**, !docs/public/**')).toBe(`input: 'deny-paths' ${problem} ${advice}`);
  });

  it('names every line that denies nothing, and the place that it was written in', async () => {
    const file = { where: '.postil/config.yml', trusted: false };
    const problems = ['"a b"', '"c, d"'].map(
      (line) =>
        `- .postil/config.yml: 'deny-paths' has the line ${line}, and no file matches it, neither whole nor in parts. ${advice}\n`,
    );
    expect(await check(['a b', 'src', 'c, d'], file)).toBe(`The settings have 2 problems:\n${problems.join('')}`);
    expect(await check('a b', { where: 'flag' })).toContain("'--deny-paths' has the line");
    expect(await check('a b', { where: 'environment (POSTIL_…)' })).toContain("environment (POSTIL_…): 'deny-paths'");
  });

  it('notes a word that matches nothing beside others that do', async () => {
    const note = `input: 'deny-paths' has the line "docs/**, dcos/** src", and no file matches "dcos/**". ${advice}`;
    expect(await check('docs/**, dcos/** src')).toEqual([note]);
  });

  it.each<[string, Partial<Layer>, string?]>([
    ['a configuration that many repositories share', { where: 'acme/settings@v1:config.yml', isShared: true }],
    ['a job that only posts', {}, 'post'],
  ])('leaves %s alone', async (_, layer, mode) => {
    expect(await check('data/**, dcos/**', layer, mode)).toEqual([]);
  });

  it('shows at most a hundred characters of a line', async () => {
    expect(await check('ab '.repeat(100))).toContain(`the line "${'ab '.repeat(100).slice(0, 100)}…", and`);
  });
});
