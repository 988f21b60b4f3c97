import { describe, expect, it } from 'vitest';
import { calls, submit } from '../fakes/model-server/script.ts';
import { getStreamWorld } from '../fakes/world/event.ts';
import type { WorldFiles } from '../fakes/world/git.ts';
import { review } from './review.ts';
import { unseenLines } from './worlds.ts';

const before = 'first\nsecond\nthird\n';
const after = 'first\nSECOND\nthird\n';

describe('a finding stands on its line', () => {
  it('in files with odd paths, in links and in copies', async () => {
    const paths = ['src/a file.ts', `src/"it's".ts`, 'src/größe/配置.ts', 'src/a\tb.ts', '-src/[id]/*.ts'];
    const all = (text: string) => Object.fromEntries(paths.map((path) => [path, text]));
    const body = Array.from({ length: 40 }, (_, index) => `export const v${index} = ${index};`).join('\n');
    const { world, github, model, run } = await review({
      world: {
        base: {
          ...all(before),
          ...{ link: { symlink: 'src/one.ts' }, 'src/file.ts': before, 'src/one.ts': before, 'src/origin.ts': body },
        },
        head: {
          ...all(after),
          ...{ link: { symlink: '../../etc/passwd' }, 'src/file.ts': { symlink: 'one.ts' } },
          ...{ 'src/copy.ts': body.replace('v9 = 9', 'v9 = 10'), 'src/origin.ts': `${body}\n// touched\n` },
        },
      },
      model: [
        submit([
          ...paths.map((path) => ({ path, quote: 'SECOND', title: 'It shouts' })),
          { path: 'link', quote: '../../etc/passwd', title: 'The link leaves the repository' },
          { path: 'src/file.ts', quote: 'one.ts', title: 'The file is a link' },
          { path: 'src/copy.ts', quote: 'export const v9 = 10;', title: 'The copy is another' },
        ]),
      ],
      inputs: { verify: 'false', 'files-per-batch': '20', 'max-comments': '20' },
    });
    const places = github.comments().map(({ path, side, line }) => `${path} ${side} ${line}`);
    expect(places.toSorted()).toEqual(
      [
        ...paths.map((path) => `${path} RIGHT 2`),
        ...['link RIGHT 1', 'src/file.ts RIGHT 1', 'src/copy.ts RIGHT 10'],
      ].toSorted(),
    );
    expect([unseenLines(world, model), run.outputs['outcome']]).toEqual([[], 'findings']);
    expect(paths).toContain(run.annotations[0]?.file);
  });

  it('in files with odd lines', async () => {
    const odd: Record<string, readonly [string, string, string, number]> = {
      'crlf.txt': ['one\r\ntwo\r\nthree\r\n', 'one\r\nTWO\r\nthree\r\n', 'TWO\nthree', 2],
      'no-newline.txt': ['one\ntwo', 'one\nTWO', 'TWO', 2],
      'tabs.txt': ['{\n\told();\n}\n', '{\n\tmade();\n}\n', '    made();', 2],
      'separator.txt': ['a\nb\nc\n', 'a\nb\u2028B\nc\n', 'b\\u{2028}B', 2],
      'headers.txt': ['a\n-- x\nb\n', 'a\n++ x\nb\n', '++ x', 2],
      'single.txt': ['one\n', 'ONE\n', 'ONE', 1],
      'empty-before.txt': ['', 'ONE\n', 'ONE', 1],
    };
    const side = (index: 0 | 1) => Object.fromEntries(Object.entries(odd).map(([path, texts]) => [path, texts[index]]));
    const { github, model } = await review({
      world: { base: side(0), head: side(1) },
      model: () => submit(Object.entries(odd).map(([path, [, , quote]]) => ({ path, quote, title: `Odd ${path}` }))),
      inputs: { verify: 'false', 'max-comments': '20' },
    });
    const starts = github.comments().map(({ path, startLine, line }) => [path, startLine ?? line]);
    expect(Object.fromEntries(starts)).toEqual(
      Object.fromEntries(Object.entries(odd).map(([path, [, , , line]]) => [path, line])),
    );
    expect([model.requests.length, model.complaints]).toEqual([1, []]);
  });
});

it.each<[string, WorldFiles, WorldFiles, Record<string, string>]>([
  ['a pure rename', { 'a.ts': before }, { 'a.ts': null, 'b.ts': before }, {}],
  ['a diff without files', { 'a.ts': before }, {}, {}],
  ['what is excluded', { 'a.ts': before }, { 'a.ts': after }, { exclude: '**/*.ts' }],
])('%s is nothing to review: the run is skipped with the reason, and the job passes', async (_, base, head, inputs) => {
  const { model, run } = await review({ world: { base, head }, model: [], inputs });
  expect([run.outputs['outcome'], run.code, model.attempts]).toEqual(['skipped', 0, []]);
  expect(run.log).toMatch(/Nothing to review\. .+\.|changes no files/);
});

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

it('on a real change, prompt and tools hold guidance, context and history, and a rule reports on added lines', async () => {
  const { github, model, run } = await review({
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
  const [request, second] = model.requests;
  for (const words of [
    'Every method object has the same seven members.',
    'We accept that `resizeArrayBufferSlow` doubles its memory.',
    'Look at what happens without `ArrayBuffer.resize`.',
    'Keep views short-lived.',
    '## source/utils.js modified',
    // What the diff uses and does not show, and what its hunks stand in.
    'source/contents.js: defines MaxBufferError\n  95 | export class MaxBufferError extends Error {',
    '25  \t\tbuffer: useTextDecoder,',
  ]) {
    expect(request?.prompt).toContain(words);
  }
  const answers = second?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text) ?? [];
  const [symbol, knowledge, log, blame, outline] = answers;
  expect(symbol).toMatch(/source\/utils\.js/);
  expect(symbol).toMatch(/source\/array-buffer\.js/);
  expect(knowledge).toMatch(/docs\/limits\.md[\s\S]*bytes of buffers/);
  expect(log).toMatch(/Change the files[\s\S]*Start/);
  expect(blame).toMatch(/^1 \w+ \S+ Ada Lovelace: Start$[\s\S]*^2 \w+ \S+ Ada Lovelace: Change the files$/m);
  expect(outline).toMatch(/getStreamContents[\s\S]*appendFinalChunk/);
  expect(github.comments().map(({ path, line }) => [path, line])).toEqual([['source/array-buffer.js', 22]]);
  expect(run.outputs['outcome']).toBe('findings');
});
