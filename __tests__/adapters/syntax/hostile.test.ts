import { afterAll, describe, expect, it } from 'vitest';
import { openSyntax } from '../../../src/adapters/syntax/open-syntax.ts';
import { sourceSyntaxFiles } from '../../fakes/source-syntax-files.ts';

const problems: string[] = [];
const syntax = openSyntax({ files: sourceSyntaxFiles, onProblem: (text) => problems.push(text) });
afterAll(() => syntax.close());

const texts: readonly (readonly [string, string])[] = [
  ['parentheses without end', '('.repeat(200_000)],
  ['functions within functions', 'function a(){'.repeat(20_000)],
  ['templates within templates', '`${'.repeat(50_000)],
  ['a line of a megabyte', `const a = "${'x'.repeat(1_000_000)}";`],
  ['names on one line', 'a '.repeat(200_000)],
  ['members of members', 'a.b'.repeat(100_000)],
  ['null bytes', 'function a() {\0}\n\0'.repeat(2_000)],
  ['what stands for invalid UTF-8', '\u{FFFD}\u{D800}'.repeat(50_000)],
  // At 10,000 of these the parser for Java traps.
  ['types of types', 'a<'.repeat(10_000)],
];

const good = { 'a.ts': 'function ok() {}', 'a.py': 'def ok(): pass', 'A.java': 'class ok {}', 'a.cpp': 'int ok() {}' };

describe.each(Object.entries(good))('in %s', (path, text) => {
  it.each(texts)('%s end in time, and the next file is parsed as ever', async (_what, hostile) => {
    await syntax.parse({ path, text }, { milliseconds: 5_000 });
    await syntax.parse({ path, text: hostile }, { milliseconds: 300 });
    const after = await syntax.parse({ path, text }, { milliseconds: 5_000 });
    expect(after?.definitions.map(({ name }) => name)).toEqual(['ok']);
    expect(problems).toEqual([]);
  });
});
