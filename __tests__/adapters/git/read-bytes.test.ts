import { describe, expect, it } from 'vitest';
import { change, open } from './open-fixture.ts';

// Every byte, newlines and NULs in all places: what a reader of lines or of UTF-8 would break.
const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919 + (index >> 8)) % 256));
const before = { 'logo.png': Buffer.from([0x0a, 0, 0xff, 0x0a]) } as const;
const after = {
  'logo.png': bytes,
  'text.txt': 'text\n',
  link: { symlink: 'logo.png' },
  pointer: `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`,
} as const;
const { fixture, commits } = change(before, after);
const openImages = async () => (await open({ checkout: fixture.directory, commits })).images;

describe('readBytes', () => {
  it('reads each revision byte for byte', async () => {
    const images = await openImages();
    const contents = await Promise.all([
      images.readBytes('logo.png', 'head', 1_000_000),
      images.readBytes('logo.png', 'merge-base', 1_000_000),
    ]);
    const read = contents.map((content) => content.kind === 'bytes' && Buffer.from(content.bytes).toString('hex'));
    expect(read).toEqual([bytes.toString('hex'), '0a00ff0a']);
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
