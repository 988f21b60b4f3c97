import { describe, expect, it } from 'vitest';
import { grepParser } from '../../../src/adapters/git/search.ts';
import { ToolError } from '../../../src/core/errors.ts';
import type { Revision, TextMatch, TextQuery } from '../../../src/core/repository/repository.ts';
import { change, type Files, lfsPointer, open, query } from './fixtures.ts';

const files = {
  'a.ts': 'one\nneedle(1)\r\n',
  'src/b.ts': 'needle(2)\n',
  'src/c\nd:1:e.md': '  needle 3\n',
  '.gitattributes': '*.ts -diff\n*.md binary\n',
  'bin.ts': Buffer.from('needle\0\n'),
} as const;

const a = { path: 'a.ts', line: 2, text: 'needle(1)' };
const b = { path: 'src/b.ts', line: 1, text: 'needle(2)' };
const c = { path: 'src/c\nd:1:e.md', line: 1, text: '  needle 3' };

const shared = change({}, files);

async function search(content: Files, part: Partial<TextQuery>) {
  const { fixture, commits } = content === files ? shared : change({}, content);
  const git = await open({ checkout: fixture.directory, commits });
  return git.search.search(query({ pattern: 'needle', ...part }));
}

/** A text at which git gives up on a pattern that goes back and forth. */
const hostile = `${'x'.repeat(30_000)}\n`;
const slowly = '(x+x+)+y|needle';
const engines = [
  ['git grep', 'needle'],
  ['the search file by file', slowly],
] as const;

describe('search', () => {
  it.each([
    ['everywhere, in spite of attributes', {}, [a, b, c]],
    ['a fixed string', { pattern: 'needle(2)' }, [b]],
    ['a string like an option', { pattern: '--help' }, []],
    ['a regular expression', { pattern: 'e{2}dle\\(\\d', regex: true }, [a, b]],
    ['below a folder', { path: 'src/', filePattern: '*.ts' }, [b]],
    ['in one file', { path: './a.ts' }, [a]],
    ['by a glob with folders', { filePattern: 'src/**' }, [b, c]],
    ['by alternatives', { filePattern: '**/*.{md,py}' }, [c]],
    ['nothing in a path that does not exist', { path: 'nope' }, []],
    ['paths literally', { path: ':(glob)**' }, []],
  ])('finds %s', async (_, part, matches) => {
    expect(await search(files, part)).toMatchObject({ matches, incomplete: null });
  });

  it('reads a file that is named: also what grep takes for binary', async () => {
    const wide = { 'wide.txt': Buffer.from('\uFEFFa\nneedle\n', 'utf16le') };
    expect(await search(wide, { path: 'wide.txt' })).toMatchObject({
      matches: [{ path: 'wide.txt', line: 2, text: 'needle' }],
    });
    expect(await search(wide, {})).toMatchObject({ matches: [] });
  });

  it('stops at the limit and says so', async () => {
    const many = { a: 'needle\n'.repeat(50_000) };
    const matches = [{ line: 1 }, { line: 2 }];
    expect(await search(many, { limit: 2 })).toMatchObject({ matches, incomplete: 'limit' });
    expect(await search({ a: 'needle\nneedle\n' }, { limit: 2 })).toMatchObject({ incomplete: null });
  });

  it.each(engines)('shows no part of a word that is cut by %s, which may be a secret', async (_, pattern) => {
    const secret = (characters: number) => `'${'s3cr3t+/'.repeat(99).slice(0, characters)}'`;
    const text = `${' '.repeat(700)}${secret(600)},${secret(700)},needle,${secret(600)},${secret(700)}${' '.repeat(700)}`;
    const { matches } = await search({ 'a.js': text, b: hostile }, { pattern, regex: true });
    expect(matches).toMatchObject([{ text: `…',${secret(700)},needle,${secret(600)},'…`, at: 706 }]);
  });

  it.each(['needle', 'n\\w+e'])('finds %s millions of bytes into a line, and cuts no character', async (pattern) => {
    const many = '😀é€'.repeat(200_000);
    const content = { 'a.js': `${many}!needle!${many}\r\nneedle\r\n` };
    const [long, short] = (await search(content, { pattern, regex: pattern !== 'needle' })).matches;
    expect(long?.text).toMatch(/^…[😀é€]{200,}!needle![😀é€]{200,}…$/u);
    expect(long?.text.slice(long.at)).toMatch(/^needle!/);
    expect(short).toEqual({ path: 'a.js', line: 2, text: 'needle', at: 0 });
  });

  it.each([0, 1])('cuts no character file by file', async (shift) => {
    const odd = ','.repeat(shift);
    const line = `${'😀'.repeat(700)}${odd}needle${odd}${'😀'.repeat(700)}\n`;
    const { matches } = await search({ 'a.js': line, b: hostile }, { pattern: slowly, regex: true });
    expect(matches[0]?.text).toBe(`…${'😀'.repeat(500 - shift)}${odd}needle${odd}${'😀'.repeat(497 - shift)}…`);
  });

  it.each(engines)('counts the files with unwanted matches by %s, which take no room', async (_, pattern) => {
    const wanted = { 'z.ts': 'needle\n', 'hostile.ts': hostile };
    const others = Object.fromEntries([1, 2, 3, 4].map((name) => [`gen/${name}.ts`, 'needle\nneedle\n']));
    const leaveOut = (path: string) => path.startsWith('gen/');
    const found = await search({ ...wanted, ...others }, { pattern, regex: true, limit: 1, leaveOut });
    expect(found).toMatchObject({
      matches: [{ path: 'z.ts' }],
      incomplete: null,
      leftOut: { files: 4, paths: ['gen/1.ts', 'gen/2.ts', 'gen/3.ts'] },
    });
  });

  it.each([
    ['look-ahead', { pattern: '(?=a)', regex: true }, /not a valid regular expression/],
    ['an open group', { pattern: '(a', regex: true }, /missing closing \)/],
    ['an empty pattern', { pattern: '' }, /one line that is not empty/],
    ['two lines', { pattern: 'a\nb' }, /one line/],
    ['a path outside', { path: '../x' }, /not a path inside/],
    ['a file pattern without end', { filePattern: '*a'.repeat(300) }, /more than 500 characters/],
  ])('tells the model what is wrong with %s', async (_, part, message) => {
    const failure = await search(files, part).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ToolError);
    expect(String(failure)).toMatch(message);
  });

  it('answers a hostile pattern within its time', async () => {
    const { matches } = await search({ a: hostile, b: 'xxy\n' }, { pattern: '(x+x+)+y', regex: true });
    expect(matches).toEqual([{ path: 'b', line: 1, text: 'xxy', at: 0 }]);
  });

  it('matches letters beyond ASCII as letters', async () => {
    const { matches } = await search({ a: 'grüße\ngr..e\n' }, { pattern: 'gr[ü]ß.$', regex: true });
    expect(matches).toMatchObject([{ path: 'a', line: 1, text: 'grüße' }]);
  });
});

const commit = 'c'.repeat(40);
const record = (path: string, line: string, text: string) => `${commit}:${path}\0${line}\0${text}\n`;
const long = record('long.txt', '1\x00100001', `${'é'.repeat(50_000)}needle${'é'.repeat(50_000)}`);
const far = record('far.txt', '2\x001', 'y'.repeat(200_000));
const last = record('z.ts', '12\x002', 'two');
const output = Buffer.from(record('a\nb.ts', '3\x001', 'one') + long + far + last);

function parse(bytes: Buffer, chunkBytes: number): readonly TextMatch[] {
  const found: TextMatch[] = [];
  const parser = grepParser(commit, (match) => {
    found.push(match);
    return 'go on';
  });
  for (let start = 0; start < bytes.length; start += chunkBytes) parser.push(bytes.subarray(start, start + chunkBytes));
  return found;
}

describe('the output of git grep', () => {
  const endOfFar = output.length - last.length;

  it.each([1, 7, 1_000, 65_536, endOfFar, output.length])(
    'in chunks of %i bytes keeps what is near the match, and what follows a long line',
    (bytes) => {
      expect(parse(output, bytes)).toEqual([
        { path: 'a\nb.ts', line: 3, text: 'one', at: 0 },
        { path: 'long.txt', line: 1, text: `…${'é'.repeat(500)}needle${'é'.repeat(497)}…`, at: 501 },
        { path: 'far.txt', line: 2, text: `${'y'.repeat(2_000)}…`, at: 0 },
        { path: 'z.ts', line: 12, text: 'two', at: 1 },
      ]);
    },
  );
});

// Every byte, newlines and NULs in all places: what a reader of lines or of UTF-8 would break.
const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919 + (index >> 8)) % 256));
const before = { 'logo.png': Buffer.from([0x0a, 0, 0xff, 0x0a]) } as const;
const after = {
  'logo.png': bytes,
  'text.txt': 'text\n',
  link: { symlink: 'logo.png' },
  pointer: lfsPointer(12_345),
} as const;
const { fixture, commits } = change(before, after);
const openImages = async () => (await open({ checkout: fixture.directory, commits })).images;

describe('readBytes', () => {
  it('reads each revision byte for byte', async () => {
    const images = await openImages();
    const read = (at: Revision) => images.readBytes('logo.png', at, 1_000_000);
    expect(await read('head')).toMatchObject({ kind: 'bytes', bytes });
    expect(await read('merge-base')).toMatchObject({ kind: 'bytes', bytes: before['logo.png'] });
  });

  it.each([
    ['text', 'text.txt', { kind: 'bytes', bytes: Buffer.from('text\n') }],
    ['a link as its target', 'link', { kind: 'symlink', target: 'logo.png' }],
    ['an LFS pointer', 'pointer', { kind: 'unreadable', reason: 'lfs-pointer' }],
    ['what is not there', 'nope.png', { kind: 'unreadable', reason: 'missing', bytes: null }],
    ['a path outside', '../logo.png', { kind: 'unreadable', reason: 'missing', bytes: null }],
  ])('answers %s', async (_, path, content) => {
    expect(await (await openImages()).readBytes(path, 'head', 1_000_000)).toMatchObject(content);
  });

  it('leaves unread what is larger than asked for', async () => {
    const images = await openImages();
    const sizes = await Promise.all([99_999, 100_000].map((most) => images.readBytes('logo.png', 'head', most)));
    expect(sizes.map((content) => (content.kind === 'unreadable' ? content : content.kind))).toEqual([
      { kind: 'unreadable', reason: 'too-large', bytes: 100_000 },
      'bytes',
    ]);
  });
});
