import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import type { WorldFiles } from '../fakes/world/import-commits.ts';
import { unseenLines } from './changed-lines.ts';
import { review } from './review.ts';

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
