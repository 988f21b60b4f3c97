import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectFiles } from '../../../src/core/pull-request/select-files.ts';
import { contentOfBytes, mediaOf } from '../../../src/core/repository/file-content.ts';
import { checkPath, globProblem, linearGlob, repositoryOfRemote } from '../../../src/core/repository/path.ts';
import { appliesTo } from '../../../src/core/rules/rule.ts';
import { firstLines, lastLines } from '../../../src/core/text.ts';
import { deniedIn } from '../../../src/core/tools/policy.ts';
import { sampleImages } from '../../fakes/images.ts';
import { changedFile } from '../../fakes/memory-repository.ts';

const source = 'export const größe = 1;\n';

const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 3\n`;

/** The text, or why there is none. */
function textOf(bytes: Uint8Array): string {
  const content = contentOfBytes(bytes);
  if (content.kind === 'text') return content.text;
  return content.kind === 'unreadable' ? `${content.reason}${content.media ? `: ${content.media}` : ''}` : content.kind;
}

const bytes = (text: string, encoding: BufferEncoding = 'latin1') => new Uint8Array(Buffer.from(text, encoding));

describe('the content of a blob', () => {
  it.each([
    ['UTF-8', bytes(source, 'utf8'), source],
    ['a NUL byte', bytes(`// \0\n${source}`, 'utf8'), `// \0\n${source}`],
    ['UTF-16', bytes(`\ufeff${source}`, 'utf16le'), source],
    ['UTF-16 without a mark', bytes(source, 'utf16le'), source],
    ['UTF-16 of the other order', Buffer.from(`\ufeff${source}`, 'utf16le').swap16(), source],
    ['UTF-16 of the other order without a mark', Buffer.from(source, 'utf16le').swap16(), source],
    ['Latin-1', bytes('größe\n'), 'gr\ufffd\ufffde\n'],
    ['a byte order mark', bytes(`\ufeff${source}`, 'utf8'), `\ufeff${source}`],
    ['nothing', bytes(''), ''],
    ['NUL bytes alone', bytes('\0\0\0\0'), 'binary'],
    ['many NUL bytes', bytes(`${'\0'.repeat(100)}${source}`), 'binary'],
    ['a program', bytes('\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0'), 'binary'],
    ['a picture', sampleImages.jpeg.bytes, 'binary: image'],
    ['a Git LFS pointer', bytes(pointer), 'lfs-pointer'],
  ])('is read: %s', (_, content, expected) => {
    expect(textOf(content)).toBe(expected);
  });

  it('of any text survives a NUL byte and UTF-16', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).map((some) => `const text = 1; // ${some}\n`.repeat(3));
    fc.assert(
      fc.property(text, (some) => {
        expect(textOf(bytes(`\0${some}`, 'utf8'))).toBe(`\0${some}`);
        expect(textOf(bytes(`\ufeff${some}`, 'utf16le'))).toBe(some);
      }),
    );
  });

  it('never throws, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (some) => {
        expect(['text', 'unreadable']).toContain(contentOfBytes(some).kind);
      }),
    );
  });
});

it.each([
  ['\x89PNG\r\n\x1a\n', 'image'],
  ['RIFF\0\0\0\0WEBPVP8 ', 'image'],
  ['\0\0\0\x1cftypavif', 'image'],
  ['\0\0\x01\0\x01\0', 'image'],
  ['wOF2\0\x01\0\0', 'font'],
  ['\0\x01\0\0\0\x10', 'font'],
  ['\0\0\0\x20ftypisom', 'media'],
  ['RIFF\0\0\0\0WAVEfmt ', 'media'],
  ['OggS\0\x02', 'media'],
  ['PK\x03\x04\x14\0', 'archive'],
  ['\x1f\x8b\x08\0', 'archive'],
  [`${'\0'.repeat(257)}ustar`, 'archive'],
  ['\x7fELF\x02\x01', null],
  ['MZ\x90\0', null],
  ['', null],
])('what a file is by its first bytes %j: %s', (start, media) => {
  expect(mediaOf(bytes(start))).toBe(media);
});

const slow = `${'*a'.repeat(12)}*b`;
const name = 'a'.repeat(4_000);

const selected = (patterns: { readonly include?: readonly string[]; readonly exclude?: readonly string[] }) =>
  selectFiles([changedFile(name, { lines: ['+x'] })], { skipKinds: [], include: [], exclude: [], ...patterns });

describe('a glob', () => {
  it.each([
    ['by itself', () => linearGlob(slow)(name)],
    ['in exclude', () => selected({ exclude: [slow] }).skipped.length > 0],
    ['in include', () => selected({ include: [slow] }).kept.length > 0],
    ['in deny-paths', () => deniedIn([], [slow])(name) !== null],
    ['of a rule', () => appliesTo({ languages: [], paths: [slow] })(name)],
  ])('that other matchers take hours for answers at once %s', (_, matches) => {
    expect(matches()).toBe(false);
  });

  it('of a whole folder holds what lies below it, and needs no expression only where the case counts', () => {
    const paths = ['a.b/c', 'a.b/c/d', 'a.bc/d', 'axb/c', 'x/a.b/c', 'A.B/c'];
    const held = (ignoreCase: boolean) => paths.filter(linearGlob('./a.b/**', { ignoreCase }));
    expect(held(false)).toEqual(['a.b/c', 'a.b/c/d']);
    expect(held(true)).toEqual(['a.b/c', 'a.b/c/d', 'A.B/c']);
  });

  it('that is none stands for itself', () => {
    expect(['[z-a]', 'z', 'b'].map((path) => linearGlob('[z-a]')(path))).toEqual([true, false, false]);
  });

  it.each<[string, string | null]>([
    ['[', 'a `[` is not closed; the character itself is `[[]`'],
    ['src/[a/b]', 'a `[` is not closed; the character itself is `[[]`'],
    ['[]', 'a `[` is not closed; the character itself is `[[]`'],
    ['[!]', 'a `[` is not closed; the character itself is `[[]`'],
    ['{a,b', 'its braces do not match'],
    ['a}{', 'its braces do not match'],
    ['{'.repeat(60) + '}'.repeat(60), 'its braces do not match'],
    ['[z-a]', 'a range runs backwards'],
    ['src\\*.ts', 'its parts are separated by `/`'],
    ['../src/**', 'it begins at the root of the repository, without `..`'],
    ['a'.repeat(5_000), 'it has more than 4096 characters'],
    ...[
      '*.ts',
      './src/**',
      '/src/',
      'app/[[]id]/*',
      '[]a]',
      '[!a]',
      '[^a]',
      '[{]',
      '{a,{b,c}}',
      'a]',
      'ü',
      'a..b/**',
    ].map((glob): [string, null] => [glob, null]),
  ])('that a person writes as %s has the problem: %s', (glob, problem) => {
    expect(globProblem(glob)).toBe(problem);
  });

  it('with braces in braces a thousand times is none', () => {
    const nested = (depth: number) => `${'{a*,'.repeat(depth)}${'}'.repeat(depth)}`;
    expect([linearGlob(nested(50))('ab'), linearGlob(nested(1_000))('ab')]).toEqual([true, false]);
  });
});

describe('the quick look at the ends of a path', () => {
  // Without regard to case there is no quick look, and these have none.
  it('never takes away what the glob matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '/', '-', ',', '{', '}', '[', ']'), maxLength: 12 });
    const part = fc.constantFrom('*', '**', '**/', '?', '{', '}', ',', '[ab]', '[!a]', 'a', 'b', '.', '/');
    const glob = fc.array(part, { maxLength: 9 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(glob, text, (some, path) => {
        expect(linearGlob(some)(path)).toBe(linearGlob(some, { ignoreCase: true })(path));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('checkPath', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['src/./core/', 'src/core'],
    ['', ''],
    ['.', ''],
    ['.github/workflows/ci.yml', '.github/workflows/ci.yml'],
    ['.gitignore', '.gitignore'],
    ['a..b/...', 'a..b/...'],
    ['with space/日本.md', 'with space/日本.md'],
  ])('accepts %j as %j', (given, path) => {
    expect(checkPath(given)).toEqual({ ok: true, path });
  });

  it.each([
    ['/etc/passwd', 'leave out the first slash'],
    ['//etc/passwd', 'leave out the first slash'],
    ['../secret', 'stay inside'],
    ['src/../../secret', 'stay inside'],
    ['a\0b', 'NUL'],
    ['src\\a.ts', 'forward slashes'],
    ['C:/Windows', 'drive'],
    ['./C:/Windows', 'drive'],
    ['.git/config', "git's own folder"],
    ['sub/.GIT/hooks', "git's own folder"],
    ['.git. /config', "git's own folder"],
    ['git~1/config', "git's own folder"],
    ['.g\u200cit/config', "git's own folder"],
    ['.git:stream', "git's own folder"],
    ['a'.repeat(4097), '4096 characters'],
  ])('refuses %j and says why', (path, reason) => {
    expect(checkPath(path)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('never accepts a path that leaves the tree or names .git', () => {
    const names = fc.constantFrom('..', '.', '', '.git', '.GIT', 'src', 'C:', 'git~1', '\\', '.git ');
    const part = fc.oneof(names, fc.string());
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const checked = checkPath(parts.join('/'));
        if (!checked.ok) return;
        const own = checked.path.split('/').filter((name) => ['..', '.', '.git'].includes(name.toLowerCase()));
        expect(checked.path).not.toMatch(/^\/|\\|\0|^[A-Za-z]:/);
        expect([own, checkPath(checked.path)]).toEqual([[], checked]);
      }),
    );
  });
});

describe('the repository of a remote', () => {
  it.each([
    ['https://github.com/acme/shop.git', 'acme/shop'],
    ['https://github.com/acme/shop', 'acme/shop'],
    ['https://user:pass@github.com/acme/shop.js/', 'acme/shop.js'],
    ['git@github.com:acme/shop.git', 'acme/shop'],
    ['github.com:acme/shop', 'acme/shop'],
    ['ssh://git@GitHub.com:22/acme/shop.git', 'acme/shop'],
    ['https://gitlab.com/acme/shop.git', null],
    ['https://github.com.evil.example/acme/shop', null],
    ['https://github.com/acme', null],
    ['https://github.com/acme/shop/tree', null],
    ['gh:acme/shop', null],
    ['/srv/git/acme/shop.git', null],
    ['', null],
  ])('%s is %s', (url, repository) => {
    expect(repositoryOfRemote(url, 'https://github.com')).toBe(repository);
  });

  it('is looked for in any text without a throw, and has one form', () => {
    fc.assert(
      fc.property(fc.string(), fc.webUrl(), (url, server) => {
        expect(repositoryOfRemote(url, server) ?? 'o/r').toMatch(/^[\w-]+\/[\w.-]+$/);
      }),
    );
  });
});

describe('a text that is cut', () => {
  it('ends or begins with a whole line', () => {
    expect([firstLines('one\ntwo\nthree', 9), lastLines('one\ntwo\nthree', 10)]).toEqual(['one\ntwo', 'two\nthree']);
    expect([firstLines('one\ntwo', 3), lastLines('one\ntwo', 3)]).toEqual(['one', 'two']);
  });

  it('is cut inside a line when that has no room, and never inside a character', () => {
    expect([firstLines('a😀b', 2), lastLines('a😀b', 2)]).toEqual(['a', 'b']);
  });

  it('is its own beginning or end, with at most so many characters', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '\n', '😀', ' ') });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), (text, most) => {
        const [first, last] = [firstLines(text, most), lastLines(text, most)];
        expect([text.startsWith(first), text.endsWith(last)]).toEqual([true, true]);
        expect(Math.max(first.length, last.length)).toBeLessThanOrEqual(most);
        expect(first + last).not.toMatch(/\p{Cs}/u);
      }),
    );
  });
});
