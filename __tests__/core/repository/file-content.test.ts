import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentOfBytes, mediaOf } from '../../../src/core/repository/file-content.ts';
import { sampleImages } from '../../fakes/sample-images.ts';

const source = 'export const größe = 1;\n';

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
    [
      'a Git LFS pointer',
      bytes(`version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 3\n`),
      'lfs-pointer',
    ],
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

describe('what a file is by its first bytes', () => {
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
  ])('%j: %s', (start, media) => {
    expect(mediaOf(bytes(start))).toBe(media);
  });
});
