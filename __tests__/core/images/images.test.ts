import { describe, expect, it } from 'vitest';
import type { ImageCodec } from '../../../src/core/images/image-codec.ts';
import { repositoryImages } from '../../../src/core/images/images.ts';
import { convertedFrom, MemoryImages } from '../../fakes/memory-images.ts';
import { sampleImages } from '../../fakes/sample-images.ts';

const { jpeg, gif } = sampleImages;
const source = new MemoryImages(
  { 'a.jpg': jpeg.bytes, 'copy.jpg': jpeg.bytes, 'note.txt': Buffer.from('text') },
  { 'a.jpg': gif.bytes },
);

describe('the images of a repository', () => {
  it('are the same where their bytes are', async () => {
    const images = repositoryImages(source, { toJpeg: async () => convertedFrom(1, 1) });
    const found = [images.find('a.jpg', 'head'), images.find('copy.jpg', 'head'), images.find('a.jpg', 'merge-base')];
    const digests = (await Promise.all(found)).map((one) => (one.kind === 'image' ? one.digest : one.kind));
    expect([digests[0] === digests[1], digests[0] === digests[2], digests[0]]).toEqual([
      true,
      false,
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ]);
  });

  it('become JPEGs of quality 85 and at most 2,048 pixels a side', async () => {
    const asked: Parameters<ImageCodec['toJpeg']>[] = [];
    const codec: ImageCodec = {
      toJpeg: async (...request) => {
        asked.push(request);
        return convertedFrom(4_096, 1_024);
      },
    };
    expect(await repositoryImages(source, codec).convert('a.jpg', 'merge-base')).toEqual({
      kind: 'ready',
      base64: 'AQID',
      bytes: 3,
      digest: '039058c6f2c0cb492c533b0a4d14ef77',
      width: 2_048,
      height: 512,
    });
    expect(asked).toEqual([
      [{ bytes: gif.bytes, format: 'gif', orientation: 1 }, expect.objectContaining({ quality: 85, side: 2_048 })],
    ]);
  });

  it('are none of what is no image', async () => {
    const images = repositoryImages(source, { toJpeg: async () => convertedFrom(1, 1) });
    const reason = 'is not a PNG, JPEG, WebP or GIF image';
    expect([await images.find('note.txt', 'head'), await images.convert('note.txt', 'head')]).toEqual([
      { kind: 'other', reason },
      { kind: 'failed', reason },
    ]);
  });
});
