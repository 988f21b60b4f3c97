import { describe, expect, it } from 'vitest';
import { type GrepLine, grepParser } from '../../../src/adapters/git/grep-output.ts';

const commit = 'c'.repeat(40);
const record = (path: string, line: number, text: string) => `${commit}:${path}\0${line}\0${text}\n`;
const long = record('long.txt', 1, 'x'.repeat(200_000));
const output = Buffer.from(record('a\nb.ts', 3, 'one') + long + record('z.ts', 12, 'two'));

function parse(bytes: Buffer, chunkBytes: number): readonly GrepLine[] {
  const found: GrepLine[] = [];
  const parser = grepParser(commit, (match) => {
    found.push(match);
    return 'go on';
  });
  for (let start = 0; start < bytes.length; start += chunkBytes) parser.push(bytes.subarray(start, start + chunkBytes));
  return found;
}

describe('the output of git grep', () => {
  const endOfLong = output.length - record('z.ts', 12, 'two').length;

  it.each([1_000, 65_536, endOfLong, output.length])(
    'in chunks of %i bytes keeps the start of a long line, and what follows it',
    (bytes) => {
      expect(parse(output, bytes).map(({ path, line, text }) => [path, line, text.length])).toEqual([
        ['a\nb.ts', 3, 3],
        ['long.txt', 1, 50_000],
        ['z.ts', 12, 3],
      ]);
    },
  );
});
