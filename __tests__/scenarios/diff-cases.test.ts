import { describe, expect, it } from 'vitest';
import { calls, submit } from '../fakes/model-server/script.ts';
import { getStreamWorld } from '../fakes/world/event.ts';
import type { WorldFiles } from '../fakes/world/git.ts';
import { review } from './review.ts';
import { first, second, unseenLines } from './worlds.ts';

const before = 'first\nsecond\nthird\n';
const after = 'first\nSECOND\nthird\n';

describe('a finding stands on its line', () => {
  it.each([
    ['spaces', 'src/a file.ts'],
    ['quotes', `src/"it's".ts`],
    ['letters beyond ASCII', 'src/größe/配置.ts'],
    ['a tab', 'src/a\tb.ts'],
    ['what looks like options and patterns', '-src/[id]/*.ts'],
  ])('in a file whose path has %s', async (_, path) => {
    const { world, github, model, run } = await review({
      world: { base: { [path]: before }, head: { [path]: after } },
      model: [submit([{ path, quote: 'SECOND' }])],
    });
    expect(github.comments().map((comment) => [comment.path, comment.side, comment.line])).toEqual([
      [path, 'RIGHT', 2],
    ]);
    expect([unseenLines(world, model), run.outputs['outcome']]).toEqual([[], 'findings']);
    expect(run.annotations[0]).toMatchObject({ file: path, line: 2 });
  });

  it.each([
    ['that ends its lines with CRLF', 'one\r\ntwo\r\nthree\r\n', 'one\r\nTWO\r\nthree\r\n', 'TWO\nthree', [2, 3]],
    ['that ends without a newline', 'one\ntwo', 'one\nTWO', 'TWO', [null, 2]],
    ['that is indented by tabs', '{\n\told();\n}\n', '{\n\tmade();\n}\n', '    made();', [null, 2]],
    ['that holds U+2028 inside a line', 'a\nb\nc\n', 'a\nb\u2028B\nc\n', 'b\\u{2028}B', [null, 2]],
    ['whose lines look like file headers', 'a\n-- x\nb\n', 'a\n++ x\nb\n', '++ x', [null, 2]],
    ['of a single line', 'one\n', 'ONE\n', 'ONE', [null, 1]],
    ['that is empty at the base', '', 'ONE\n', 'ONE', [null, 1]],
  ])('in a file %s', async (_, old, head, quote, [startLine, line]) => {
    const { github, model } = await review({
      world: { base: { 'src/a.txt': old }, head: { 'src/a.txt': head } },
      model: () => submit([{ path: 'src/a.txt', quote }]),
    });
    expect(github.comments().map((comment) => [comment.startLine, comment.line])).toEqual([[startLine, line]]);
    expect([model.requests.length, model.complaints]).toEqual([1, []]);
  });

  it('in a link that points elsewhere now, and in a file that became one', async () => {
    const { github } = await review({
      world: {
        base: { link: { symlink: 'src/one.ts' }, 'src/file.ts': before, 'src/one.ts': before },
        head: { link: { symlink: '../../etc/passwd' }, 'src/file.ts': { symlink: 'one.ts' } },
      },
      model: [
        submit([
          { path: 'link', quote: '../../etc/passwd', title: 'The link leaves the repository' },
          { path: 'src/file.ts', quote: 'one.ts', title: 'The file is a link' },
        ]),
      ],
    });
    expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['link:1', 'src/file.ts:1']);
  });

  it('in a copy, by its new path', async () => {
    const body = Array.from({ length: 40 }, (_, index) => `export const v${index} = ${index};`).join('\n');
    const head = { 'src/copy.ts': body.replace('v9 = 9', 'v9 = 10'), 'src/origin.ts': `${body}\n// touched\n` };
    const { github } = await review({
      world: { base: { 'src/origin.ts': body }, head },
      model: [submit([{ path: 'src/copy.ts', quote: 'export const v9 = 10;' }])],
    });
    expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['src/copy.ts:10']);
  });
});

describe('there is nothing to review', () => {
  it.each<[string, WorldFiles, WorldFiles, Record<string, string>]>([
    ['in a pure rename', { 'a.ts': before }, { 'a.ts': null, 'b.ts': before }, {}],
    ['in a kind that is left out', {}, { 'go.sum': '' }, { 'skip-kinds': 'lock-files' }],
    ['in a diff without files', { 'a.ts': before }, {}, {}],
    ['when everything is excluded', { 'a.ts': before }, { 'a.ts': after }, { exclude: '**/*.ts' }],
    ['when nothing is included', { 'a.ts': before }, { 'a.ts': after }, { include: 'docs/**' }],
  ])('%s: the run is skipped with the reason, and the job passes', async (_, base, head, inputs) => {
    const { model, run } = await review({ world: { base, head }, model: [], inputs });
    expect([run.outputs['outcome'], run.code, model.attempts]).toEqual(['skipped', 0, []]);
    expect(run.log).toMatch(/Nothing to review\. .+\.|changes no files/);
  });
});

/** 8.0.1 gives `undefined` to `addNewChunk` where a chunk cannot be cut. */
const finding = {
  path: 'source/contents.js',
  quote: '\tconst truncatedChunk = truncateChunk(convertedChunk, maxBuffer - state.length);',
  title: 'What is left of a chunk is computed before the limit is known',
} as const;

const team = {
  'AGENTS.md': '# Reviewing\nEvery method object has the same seven members.\n',
  'docs/limits.md':
    '# Limits\n\n`maxBuffer` counts characters of strings, and bytes of buffers. A chunk that crosses it is cut.\n',
  '.postil/memory.md': '- We accept that `resizeArrayBufferSlow` doubles its memory.\n',
  '.postil/rules/no-typed-views.md':
    '---\nid: no-typed-views\ntitle: A view is made of a buffer that may be resized\nseverity: info\ncategory: maintainability\nlanguages: [javascript]\npattern: "new Uint8Array\\\\(newContents\\\\)"\n---\nKeep views short-lived.\n',
  '.postil/config.yml':
    'path-instructions:\n  - "source/array*.js: Look at what happens without `ArrayBuffer.resize`."\n',
};

describe('on a real change of a real project', () => {
  it('the prompt holds the guidance, the diff and the code around it that the diff does not show', async () => {
    const { model, run } = await review({ world: getStreamWorld({ base: team }), model: () => submit([]) });
    const [request] = model.requests;
    expect([model.requests.length, run.outputs['outcome']]).toEqual([1, 'findings']);
    for (const words of [
      'Every method object has the same seven members.',
      'We accept that `resizeArrayBufferSlow` doubles its memory.',
      'Look at what happens without `ArrayBuffer.resize`.',
      'Keep views short-lived.',
      '## source/utils.js modified',
      // What the diff uses and does not show: its definition, and who uses what it changes.
      'source/contents.js: defines MaxBufferError\n  95 | export class MaxBufferError extends Error {',
      'source/string.js: uses useTextDecoder\n  25 | \t\tbuffer: useTextDecoder,',
    ]) {
      expect(request?.prompt).toContain(words);
    }
    expect(run.summary).toContain('Guidance used:');
  });

  it('the tools find symbols, documents, blame and log in the history as it was', async () => {
    const { model } = await review({
      world: getStreamWorld({ base: team }),
      model: [
        calls(
          { name: 'find_symbol', arguments: { name: 'throwObjectStream' } },
          { name: 'search_knowledge', arguments: { query: 'does maxBuffer count bytes or characters' } },
          { name: 'get_git_log', arguments: { path: 'source/contents.js', count: 5 } },
          { name: 'get_git_blame', arguments: { path: 'source/string.js', start_line: 1, end_line: 3 } },
          { name: 'get_file_structure', arguments: { path: 'source/contents.js' } },
        ),
        submit([]),
      ],
    });
    const answers = model.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text) ?? [];
    const [symbol, knowledge, log, blame, outline] = answers;
    expect(symbol).toMatch(/source\/utils\.js/);
    expect(symbol).toMatch(/source\/array-buffer\.js/);
    expect(knowledge).toMatch(/docs\/limits\.md[\s\S]*bytes of buffers/);
    expect(log).toMatch(/Change the files[\s\S]*Start/);
    expect(blame).toMatch(/^1 \w+ \S+ Ada Lovelace: Start$[\s\S]*^2 \w+ \S+ Ada Lovelace: Change the files$/m);
    expect(outline).toMatch(/getStreamContents[\s\S]*appendFinalChunk/);
  });

  it('files that import each other are reviewed together', async () => {
    const { run } = await review({
      world: getStreamWorld(),
      inputs: { 'files-per-batch': '3' },
      model: () => submit([]),
    });
    const plan = /^1 source: 3 files.*: (source.*)$/m.exec(run.log)?.[1];
    expect(plan).toBe('source/array-buffer.js, source/array.js, source/contents.js');
  });

  it('a rule reports without a model, on added lines alone', async () => {
    const { github, run } = await review({ world: getStreamWorld({ base: team }), model: null });
    expect(github.comments().map(({ path, line, body }) => [path, line, body.includes('A view is made')])).toEqual([
      ['source/array-buffer.js', 22, true],
    ]);
    expect(run.outputs['outcome']).toBe('partial');
  });

  it('a follow-up shows the lines that the diff leaves out', async () => {
    const request = { file: 'source/utils.js', line_start: 1, line_end: 11, reason: 'What does noop give back?' };
    const { model, github } = await review({
      world: getStreamWorld(),
      inputs: { profile: 'follow-up' },
      model: [
        first(request, [finding]),
        second({ dismissed: [{ finding: 1, reason: '`noop` gives undefined, which is checked.' }] }),
      ],
    });
    expect([model.requests.length, model.complaints, github.comments()]).toEqual([2, [], []]);
    expect(model.requests[1]?.prompt).toMatch(/1 \| export const identity = value => value;/);
  });
});
