import { describe, expect, it } from 'vitest';
import { ground } from '../../../src/core/findings/ground.ts';
import { renderHunk } from '../../../src/core/pull-request/render-diff.ts';
import { numbered, shown, splitLines } from '../../../src/core/repository/shown.ts';
import { changedFile, hunk, sources, submitted } from './make.ts';

const source = [
  'import { read } from "./read";',
  '',
  'export function total(items) {',
  '  let sum = 0;',
  '  for (const item of items) {',
  '    sum += item.price;',
  '',
  '    - item.discount;',
  '  }',
  '  return sum;',
  '}',
].join('\n');
const change = hunk(
  { old: 4, new: 4 },
  '   let sum = 0;',
  '-  for (const i of items) {',
  '+  for (const item of items) {',
  '     sum += item.price;',
  ' ',
);
const files = [changedFile('src/a.ts', { hunks: [change] })];
const world = sources(files, { head: { 'src/a.ts': source } });

async function linesOf(quote: string, lines: string | null = null) {
  const grounded = await ground(submitted({ quote, lines }), world);
  return grounded.ok && grounded.anchor.kind === 'lines'
    ? [grounded.anchor.startLine, grounded.anchor.endLine]
    : JSON.stringify(grounded);
}

describe('a quote is found', () => {
  it.each([
    ['as it is', '  let sum = 0;\n  for (const item of items) {'],
    ['without indentation, with trailing space', 'let sum = 0;  \nfor (const item of items) {\t'],
    ['with CRLF', '  let sum = 0;\r\n  for (const item of items) {\r\n'],
    ['in a code fence', '```ts\n  let sum = 0;\n  for (const item of items) {\n```'],
    ['with blank lines around it', '\n\n  let sum = 0;\n  for (const item of items) {\n\n'],
    ['with a gutter `4 | `', '  4 |   let sum = 0;\n  5 |   for (const item of items) {'],
    ['with a gutter `4: `', '4:   let sum = 0;\n5:   for (const item of items) {'],
    ['with a gutter of tabs', '4\t  let sum = 0;\n5\t  for (const item of items) {'],
    ['with a double gutter', '   4     4 |   let sum = 0;\n         5 |   for (const item of items) {'],
    ['with a double gutter and signs', '   4     4 |   let sum = 0;\n         5 | + for (const item of items) {'],
    ['with signs before the numbers', '  4 |   let sum = 0;\n+ 5 |   for (const item of items) {'],
    ['with diff signs', '   let sum = 0;\n+  for (const item of items) {'],
    ['with the removed line between', '   let sum = 0;\n-  for (const i of items) {\n+  for (const item of items) {'],
    ['with a gutter in a code fence', '```\n  4 |   let sum = 0;\n  5 |   for (const item of items) {\n```'],
  ])('%s', async (_, quote) => {
    expect(await linesOf(quote)).toEqual([4, 5]);
  });

  it('as the tools and the diff show it', async () => {
    expect(await linesOf(numbered(shown(splitLines(source)).slice(2, 8), 3))).toEqual([3, 8]);
    expect(await linesOf(renderHunk(change).split('\n').slice(1).join('\n'))).toEqual([4, 6]);
    expect(await linesOf(renderHunk(change).split('\n').slice(3, 5).join('\n').trim())).toEqual([5, 6]);
  });

  it('literally before anything is taken off it', async () => {
    expect(await linesOf('    - item.discount;')).toEqual([8, 8]);
    const list = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': 'one\n1: one\n- one\n```\none\n```\n' } });
    const placeOf = async (quote: string) => await ground(submitted({ quote }), list);
    expect([await placeOf('1: one'), await placeOf('- one'), await placeOf('```\none\n```')]).toMatchObject([
      { anchor: { startLine: 2 } },
      { anchor: { startLine: 3 } },
      { anchor: { startLine: 4, endLine: 6 } },
    ]);
  });

  it('in the space of shown(): redacted, with invisible characters visible', async () => {
    const text = 'const key = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";\nif (admin\u202e) {}\n';
    const secret = sources([changedFile('src/a.ts')], { head: { 'src/a.ts': text } });
    const seen = shown(splitLines(text));
    const quoted = seen.map((line) => submitted({ quote: line.text, suggestion: 'const key = read();' }));
    const grounded = await Promise.all(quoted.map((item) => ground(item, secret)));
    expect(seen.map((line) => line.redacted)).toEqual([true, false]);
    expect(grounded).toMatchObject([
      { ok: true, anchor: { startLine: 1 }, suggestion: null },
      { ok: true, anchor: { startLine: 2, quote: 'if (admin\\u{202E}) {}' } },
    ]);
  });
});

describe('a quote is not found', () => {
  it.each([
    ['when one line differs', '  let sum = 0;\n  return sum;'],
    ['when only some lines have a gutter', '  4 |   let sum = 0;\n  for (const item of items) {'],
    ['when it is a part of a line', 'sum = 0'],
    ['when lines are left out', '  let sum = 0;\n  ...\n  return sum;'],
  ])('%s', async (_, quote) => {
    expect(await linesOf(quote)).toMatch(/"ok":false,"reason":"quote not found in src\/a.ts at head — /);
  });
});
