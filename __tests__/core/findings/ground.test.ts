import { describe, expect, it } from 'vitest';
import { ground } from '../../../src/core/findings/ground.ts';
import type { SubmittedFinding } from '../../../src/core/findings/submission.ts';
import { renderHunk } from '../../../src/core/pull-request/changed-file.ts';
import { numberedLines, shown, splitLines } from '../../../src/core/repository/shown.ts';
import { linesAt } from '../../fakes/review-record.ts';
import { changedFile, hunk, sources, submitted } from './make.ts';

const head = 'function total(items) {\n  let sum = 0;\n  save(sum);\n  return sum;\n}\n';
const change = hunk({ old: 2, new: 2 }, '   let sum = 0;', '+  save(sum);', '   return sum;');
const world = sources([changedFile('src/a.ts', { hunks: [change] })], {
  head: { 'src/a.ts': head, 'src/other.ts': 'export const other = 1;\n' },
});

const placed = { ok: true, path: 'src/a.ts', suggestion: null };

describe('a finding', () => {
  it('stands where its quote is found, whatever its line hint says', async () => {
    const anchor = linesAt([3, 3], '  save(sum);');
    expect(await ground(submitted({ quote: '  save(sum);', lines: '40' }), world)).toEqual({ ...placed, anchor });
  });

  it('has the lines of the file as its quote, not those of the model', async () => {
    expect(await ground(submitted({ quote: '\nsave(sum); \nreturn sum;\n\n' }), world)).toMatchObject({
      anchor: { startLine: 3, endLine: 4, quote: '  save(sum);\n  return sum;' },
    });
  });

  it('may quote any file at head, outside the diff too', async () => {
    const quoted = submitted({ path: './src/other.ts', quote: 'export const other = 1;' });
    expect(await ground(quoted, world)).toMatchObject({ ok: true, path: 'src/other.ts', anchor: { startLine: 1 } });
  });

  it('with a line only has the text of the line as its quote and no suggestion', async () => {
    const anchor = linesAt([2, 3], '  let sum = 0;\n  save(sum);');
    const said = submitted({ lines: '2-3', suggestion: '  return 1;' });
    expect(await ground(said, world)).toEqual({ ...placed, anchor });
  });

  const other = 'src/other.ts';
  const image = 'docs/a.png is not in the diff: findings on images are for changed ones only';
  const noQuote = 'the quote is empty: quote the lines, or send null for the whole file';
  const noLeft = 'src/other.ts is not in the diff, so it has no LEFT side: quote it with side RIGHT';
  const unchanged = 'lib/a.ts is not in the diff (did you mean src/a.ts?); to report it, quote it';

  it.each<[Partial<SubmittedFinding>, string]>([
    [{ quote: 'x\n'.repeat(201) }, 'the quote spans more than 200 lines: name the few that show the matter'],
    [{ quote: ' \n ' }, noQuote],
    [{ path: other, quote: 'export const other = 1;', side: 'LEFT' }, noLeft],
    [{ lines: '4-6' }, 'lines is 4-6, but src/a.ts has 5 lines on the RIGHT side'],
    [{ path: other, lines: '1' }, 'src/other.ts is not in the diff; to report it, quote it'],
    [{ path: 'docs/a.png' }, image],
    [{ path: 'docs/a.png', quote: 'a red button' }, image],
    [{ path: 'lib/a.ts' }, unchanged],
    [{ path: 'lib/a.ts', quote: 'x' }, 'there is no text file lib/a.ts at head (did you mean src/a.ts?)'],
  ])('is refused as %j: %s', async (changes, reason) => {
    expect(await ground(submitted(changes), world)).toMatchObject({ ok: false, reason });
  });

  it('on a file without lines is about the whole file, whatever was quoted of it', async () => {
    const binary = sources([changedFile('logo.png', { kind: 'binary' })], {});
    const whole = { ok: true, path: 'logo.png', anchor: { kind: 'file' }, suggestion: null };
    const said = [{}, { lines: '1' }, { quote: 'a red button', suggestion: 'a blue one' }];
    const grounded = said.map((more) => ground(submitted({ path: 'logo.png', ...more }), binary));
    expect(await Promise.all(grounded)).toEqual([whole, whole, whole]);
  });
});

describe('sides', () => {
  const renamed = changedFile('src/new.ts', { oldPath: 'src/old.ts', status: 'renamed' });
  const gone = changedFile('src/gone.ts', { status: 'deleted' });
  const fresh = changedFile('src/fresh.ts', { status: 'added' });
  const moved = sources([renamed, gone, fresh], {
    head: { 'src/new.ts': 'kept\n', 'src/fresh.ts': 'fresh\n' },
    base: { 'src/old.ts': 'check(user);\nkept\n', 'src/gone.ts': 'lock();\n' },
  });

  it('reads LEFT at the merge base by the old path, and names the path as the diff does', async () => {
    const lost = { ok: true, path: 'src/new.ts', anchor: { side: 'LEFT', startLine: 1 }, suggestion: null };
    const quoted = submitted({ quote: 'check(user);', side: 'LEFT', suggestion: 'check(owner);' });
    expect(await ground({ ...quoted, path: 'src/new.ts' }, moved)).toMatchObject(lost);
    expect(await ground({ ...quoted, path: 'a/src/old.ts' }, moved)).toMatchObject(lost);
  });

  it('takes the only side that an added or a deleted file has', async () => {
    expect([
      await ground(submitted({ path: 'src/gone.ts', quote: 'lock();', side: 'RIGHT' }), moved),
      await ground(submitted({ path: 'src/fresh.ts', lines: '1', side: 'LEFT' }), moved),
    ]).toMatchObject([{ anchor: { side: 'LEFT' } }, { anchor: { side: 'RIGHT' } }]);
  });
});

describe('a path', () => {
  const spellings = ['src/a.ts', './src/a.ts', 'a/src/a.ts', 'b/src/a.ts', '/src/a.ts', './b/src/a.ts'];

  it.each(spellings)('%s means src/a.ts', async (path) => {
    expect(await ground(submitted({ path }), world)).toEqual({ ...placed, anchor: { kind: 'file' } });
  });

  it('keeps a folder that is really called a', async () => {
    const twins = sources([changedFile('a/src/a.ts'), changedFile('src/a.ts')], {});
    expect(await ground(submitted({ path: 'a/src/a.ts' }), twins)).toMatchObject({ path: 'a/src/a.ts' });
  });

  it('of a file that was copied still means that file', async () => {
    const copy = changedFile('src/copy.ts', { oldPath: 'src/a.ts', status: 'copied' });
    const copied = sources([copy], { head: { 'src/a.ts': 'one\n', 'src/copy.ts': 'one\n' } });
    expect(await ground(submitted({ quote: 'one' }), copied)).toMatchObject({ path: 'src/a.ts' });
  });
});

describe('a quote', () => {
  const loop = '  let sum = 0;\n  for (const item of items) {\n    sum += item.price;\n\n    - item.discount;\n  }';
  const source = `import x\n\nexport function total(items) {\n${loop}\n  return sum;\n}`;
  const lines = ['   let sum = 0;', '-  for (const i of items) {', '+  for (const item of items) {'];
  const change = hunk({ old: 4, new: 4 }, ...lines, '     sum += item.price;', ' ');
  const world = sources([changedFile('src/a.ts', { hunks: [change] })], { head: { 'src/a.ts': source } });

  async function linesOf(quote: string) {
    const grounded = await ground(submitted({ quote }), world);
    return grounded.ok && grounded.anchor.kind === 'lines'
      ? [grounded.anchor.startLine, grounded.anchor.endLine]
      : JSON.stringify(grounded);
  }

  it.each([
    ['as it is', '  let sum = 0;\n  for (const item of items) {'],
    ['without indentation, with trailing space', 'let sum = 0;  \nfor (const item of items) {\t'],
    ['with CRLF', '  let sum = 0;\r\n  for (const item of items) {\r\n'],
    ['in a code fence', '```ts\n  let sum = 0;\n  for (const item of items) {\n```'],
    ['with blank lines around it', '\n\n  let sum = 0;\n  for (const item of items) {\n\n'],
    ['with a gutter `4 | `', '  4 |   let sum = 0;\n  5 |   for (const item of items) {'],
    ['with a gutter of tabs', '4\t  let sum = 0;\n5\t  for (const item of items) {'],
    ['with the numbers and signs of a diff', ' 4    let sum = 0;\n 5 +  for (const item of items) {'],
    ['with a double gutter', '   4     4 |   let sum = 0;\n         5 |   for (const item of items) {'],
    ['with a double gutter and signs', '   4     4 |   let sum = 0;\n         5 | + for (const item of items) {'],
    ['with signs before the numbers', '  4 |   let sum = 0;\n+ 5 |   for (const item of items) {'],
    ['with diff signs', '   let sum = 0;\n+  for (const item of items) {'],
    ['with the removed line between', '   let sum = 0;\n-  for (const i of items) {\n+  for (const item of items) {'],
  ])('is found %s', async (_, quote) => {
    expect(await linesOf(quote)).toEqual([4, 5]);
  });

  it('is found as the tools and the diff show it', async () => {
    expect(await linesOf(numberedLines(shown(splitLines(source)).slice(2, 8), 3))).toEqual([3, 8]);
    expect(await linesOf(renderHunk(change).split('\n').slice(1).join('\n'))).toEqual([4, 6]);
    expect(await linesOf(renderHunk(change).split('\n').slice(3, 5).join('\n').trim())).toEqual([5, 6]);
  });

  it('is found literally before anything is taken off it', async () => {
    expect(await linesOf('    - item.discount;')).toEqual([8, 8]);
    const list = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': 'one\n1: one\n- one\n```\none\n```\n' } });
    const places = ['1: one', '- one', '```\none\n```'].map((quote) => ground(submitted({ quote }), list));
    const anchors = [{ startLine: 2 }, { startLine: 3 }, { startLine: 4, endLine: 6 }];
    expect(await Promise.all(places)).toMatchObject(anchors.map((anchor) => ({ anchor })));
  });

  it('is found in the space of shown(): redacted, with invisible characters visible', async () => {
    const text = 'const key = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";\nif (admin\u202e) {}\n';
    const secret = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': text } });
    const seen = shown(splitLines(text));
    const quoted = seen.map((line) => submitted({ quote: line.text, suggestion: 'const key = read();' }));
    expect(seen.map((line) => line.redacted)).toEqual([true, false]);
    expect(await Promise.all(quoted.map((item) => ground(item, secret)))).toMatchObject([
      { ok: true, anchor: { startLine: 1 }, suggestion: null },
      { ok: true, anchor: { startLine: 2, quote: 'if (admin\\u{202E}) {}' } },
    ]);
  });

  it.each([
    ['when one line differs', '  let sum = 0;\n  return sum;'],
    ['when only some lines have a gutter', '  4 |   let sum = 0;\n  for (const item of items) {'],
    ['when it is a part of a line', 'sum = 0'],
    ['when lines are left out', '  let sum = 0;\n  ...\n  return sum;'],
  ])('is not found %s', async (_, quote) => {
    expect(await linesOf(quote)).toMatch(/"ok":false,"reason":"quote not found in src\/a.ts at head — /);
  });
});
