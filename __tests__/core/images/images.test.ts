import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedImages } from '../../../src/core/images/changed-images.ts';
import { fitSize, readImageHeader, uprightSize } from '../../../src/core/images/header.ts';
import { type ImageCodec, type Images, repositoryImages, toBase64 } from '../../../src/core/images/images.ts';
import { createImageQuota, type ImageParts, imageTokens } from '../../../src/core/images/part.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { viewImage } from '../../../src/core/tools/view-image.ts';
import {
  convertedFrom,
  type Drawing,
  drawPng,
  exifOf,
  MemoryImages,
  pngChunk,
  pngOf,
  sampleImages,
  withExif,
} from '../../fakes/images.ts';
import { changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { resultOf } from '../tools/tools-over.ts';

const drawing: Drawing = { width: 7, height: 5, colourAt: () => [0, 0, 0, 255] };
const png = drawPng(drawing);

describe('readImageHeader', () => {
  it.each(Object.entries(sampleImages))('reads the size of %s', (_, { bytes, format }) => {
    expect(readImageHeader(bytes)).toEqual({ kind: 'image', format, width: 48, height: 32, orientation: 1 });
  });

  it('reads the size of a PNG, be it larger than anything that could be decoded', () => {
    expect(readImageHeader(png)).toEqual({ kind: 'image', format: 'png', width: 7, height: 5, orientation: 1 });
    const bomb = pngOf({ width: 4_000_000_000, height: 3_000_000_000, pixels: Buffer.alloc(1) });
    expect(readImageHeader(bomb)).toMatchObject({ width: 4_000_000_000, height: 3_000_000_000 });
  });

  it.each(['II', 'MM'] as const)('reads the orientation that EXIF in order %s tells', (order) => {
    const inPng = drawPng(drawing, [pngChunk('eXIf', exifOf(8, order))]);
    const inJpeg = withExif(sampleImages.jpeg.bytes, exifOf(3, order));
    const found = [inPng, inJpeg].map((bytes) => readImageHeader(bytes));
    expect(found).toMatchObject([{ orientation: 8 }, { orientation: 3 }]);
  });

  it.each([exifOf(5), Buffer.concat([Buffer.from('Exif\0\0'), exifOf(5)])])(
    'reads the orientation of a WebP, with and without the start that JPEG has',
    (exif) => {
      const chunk = Buffer.alloc(8);
      chunk.write('EXIF', 'latin1');
      chunk.writeUInt32LE(exif.length, 4);
      const bytes = Buffer.concat([sampleImages.alphaWebp.bytes, chunk, exif]);
      expect(readImageHeader(bytes)).toMatchObject({ format: 'webp', width: 48, height: 32, orientation: 5 });
    },
  );

  it.each([0, 9, 60_000])('takes orientation %i for none', (orientation) => {
    expect(readImageHeader(withExif(sampleImages.jpeg.bytes, exifOf(orientation)))).toMatchObject({ orientation: 1 });
  });

  it('is not led astray by a name, an empty file, or text', () => {
    const texts = ['', 'GIF', 'GIF88a', '\x89PNG\n', 'RIFF1234WAVE', '<svg/>'];
    const kinds = texts.map((text) => readImageHeader(Buffer.from(text, 'latin1')).kind);
    expect(kinds).toEqual(texts.map(() => 'other'));
  });

  it('calls an image broken whose size is cut off, missing or nought', () => {
    const { jpeg, lossyWebp } = sampleImages;
    const cut = [png.subarray(0, 20), jpeg.bytes.subarray(0, 30), lossyWebp.bytes.subarray(0, 24)];
    const noFrame = Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2]);
    const flat = pngOf({ width: 10, height: 0, pixels: Buffer.alloc(1) });
    const kinds = [...cut, noFrame, flat].map((bytes) => readImageHeader(bytes).kind);
    expect(kinds).toEqual(kinds.map(() => 'broken'));
  });

  it('never throws and never takes long, whatever follows the first bytes', () => {
    const start = fc.constantFrom(png, ...Object.values(sampleImages).map(({ bytes }) => bytes));
    const bytes = fc.tuple(start, fc.nat(120), fc.uint8Array({ maxLength: 400 }));
    fc.assert(
      fc.property(bytes, ([known, length, rest]) => {
        const header = readImageHeader(new Uint8Array([...known.subarray(0, length), ...rest]));
        return header.kind !== 'image' || (header.width > 0 && header.height > 0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the size of an image', () => {
  it('has its sides swapped where it lies on one', () => {
    const sizes = ([1, 4, 5, 8] as const).map((orientation) => uprightSize({ width: 3, height: 2, orientation }));
    expect(sizes.map(({ width, height }) => `${width}x${height}`)).toEqual(['3x2', '3x2', '2x3', '2x3']);
  });

  it.each([
    [3_000, 2_000, 2_048, 1_365],
    [2_048, 1, 2_048, 1],
    [40_000, 10, 2_048, 1],
  ])('fits %i x %i into 2,048 as %i x %i', (width, height, newWidth, newHeight) => {
    expect(fitSize({ width, height }, 2_048)).toEqual({ width: newWidth, height: newHeight });
  });

  it.each([
    ['a small one', 32, 32, 'low', 85],
    ['a large one in low detail, seen at 512 pixels', 2_048, 2_048, 'low', 630],
    ['tiles where they are dearer', 512, 64, 'high', 255],
    ['1,024 patches of a square', 1_024, 1_024, 'high', 2_520],
    ['at most 1,536 patches', 2_048, 2_048, 'high', 3_779],
  ] as const)('comes to tokens: %s', (_, width, height, detail, tokens) => {
    expect(imageTokens({ width, height }, detail)).toBe(tokens);
  });
});

it.each([0, 1, 8_191, 8_192, 8_193, 100_000])('%i bytes become base64', (length) => {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 256);
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
});

const { gif } = sampleImages;
const source = new MemoryImages({ 'note.txt': Buffer.from('text') }, { 'a.jpg': gif.bytes });

describe('the images of a repository', () => {
  it('become JPEGs of quality 85 and at most 2,048 pixels a side', async () => {
    const asked: Parameters<ImageCodec['toJpeg']>[] = [];
    const codec: ImageCodec = {
      toJpeg: async (...request) => {
        asked.push(request);
        return convertedFrom(4_096, 1_024);
      },
    };
    expect(await repositoryImages(source, codec).convert('a.jpg', 'merge-base')).toEqual({
      ...{ kind: 'ready', base64: 'AQID', bytes: 3, digest: '039058c6f2c0cb492c533b0a4d14ef77' },
      ...{ width: 2_048, height: 512 },
    });
    expect(asked).toEqual([
      [{ bytes: gif.bytes, format: 'gif', orientation: 1 }, expect.objectContaining({ quality: 85, side: 2_048 })],
    ]);
  });
});

/** What a file turns out to be: no image, one that cannot be converted, or one of so many bytes. */
const content = fc.oneof(fc.constantFrom('other' as const, 'broken' as const), fc.integer({ min: 1, max: 60 }));
type Content = 'other' | 'broken' | number;

function imagesOf(contents: readonly Content[]): Images {
  const of = (path: string) => contents[Number.parseInt(path, 10)] ?? 'other';
  return {
    find: async (path, at) => {
      if (of(path) === 'other') return { kind: 'other', reason: 'is no image' };
      const header = { kind: 'image', format: 'png', width: 9_000, height: 3_000, orientation: 1 } as const;
      return { kind: 'image', header, digest: `${at} ${path}` };
    },
    convert: async (path, at) => {
      const found = of(path);
      // Conversions end in another order than they began.
      for (let turn = typeof found === 'number' ? found : 0; turn > 0; turn -= 1) await Promise.resolve();
      if (typeof found !== 'number') return { kind: 'failed', reason: verbatim('is broken') };
      return { kind: 'ready', base64: 'AA==', bytes: found, digest: `${at} ${path}`, width: 2_048, height: 683 };
    },
  };
}

const status = fc.constantFrom('added' as const, 'modified' as const, 'deleted' as const);
const run = fc.record({
  changed: fc.array(fc.record({ content, status }), { maxLength: 12 }),
  asked: fc.array(fc.nat(11), { maxLength: 12 }),
  images: fc.nat(8),
  sentBytes: fc.nat(200),
});

const signal = new AbortController().signal;
const files = { repository: new MemoryRepository({}), files: [], isDenied: () => null };

it('a run never sends more images or bytes than it may, whatever is changed and asked for at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ changed, asked, images: most, sentBytes }) => {
      const contents = changed.map((one) => one.content);
      const quota = createImageQuota({ images: most, sentBytes });
      const parts: ImageParts = { images: imagesOf(contents), quota, detail: 'low' };
      const bytesOf = (label: string) => Number(contents[Number.parseInt(label, 10)]);
      const binary = changed.map(({ status }, index) => changedFile(`${index}.png`, { kind: 'binary', status }));
      const change = { files: binary, isDenied: () => null, now: () => 0, signal };
      const view = viewImage(files, parts);
      const [opening, ...viewed] = await Promise.all([
        changedImages(parts, change).then(({ images }) => images.flatMap((image) => image.parts)),
        ...asked.map((index) =>
          resultOf(view, { path: `${index}.png` }, { signal }).then(
            (result) => (typeof result === 'string' ? [] : result.images),
            () => [],
          ),
        ),
      ]);
      const sent = [...(opening ?? []), ...viewed.flat()].map(({ label }) => label);
      expect(sent.length).toBeLessThanOrEqual(most);
      expect(sent.reduce((sum, label) => sum + bytesOf(label), 0)).toBeLessThanOrEqual(sentBytes);
      // And no place is lost: what was not used can still be taken.
      expect(quota.reserve(most - sent.length)).toBe(true);
    }),
  );
});
