import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readImageHeader } from '../../../src/core/images/image-header.ts';
import { fitSize, uprightSize } from '../../../src/core/images/image-size.ts';
import { type Drawing, drawPng, exifOf, pngChunk, pngOf, withExif } from '../../fakes/draw-image.ts';
import { sampleImages } from '../../fakes/sample-images.ts';

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
    const files = ['', 'GIF', 'GIF88a', '\x89PNG\n', 'RIFF1234WAVE', '<svg/>'].map((text) =>
      Buffer.from(text, 'latin1'),
    );
    expect(files.map((bytes) => readImageHeader(bytes).kind)).toEqual(files.map(() => 'other'));
  });

  it('calls an image broken whose size is cut off, missing or nought', () => {
    const cut = [
      png.subarray(0, 20),
      sampleImages.jpeg.bytes.subarray(0, 30),
      sampleImages.lossyWebp.bytes.subarray(0, 24),
    ];
    const noFrame = Buffer.from([0xff, 0xd8, 0xff, 0xda, 0, 2]);
    const flat = pngOf({ width: 10, height: 0, pixels: Buffer.alloc(1) });
    const kinds = [...cut, noFrame, flat].map((bytes) => readImageHeader(bytes).kind);
    expect(new Set(kinds)).toEqual(new Set(['broken']));
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

describe('uprightSize', () => {
  it('swaps the sides of an image that lies on one', () => {
    const sizes = ([1, 4, 5, 8] as const).map((orientation) => uprightSize({ width: 3, height: 2, orientation }));
    expect(sizes.map(({ width, height }) => `${width}x${height}`)).toEqual(['3x2', '3x2', '2x3', '2x3']);
  });
});

describe('fitSize', () => {
  it.each([
    [3_000, 2_000, 2_048, 1_365],
    [2_000, 3_000, 1_365, 2_048],
    [2_048, 1, 2_048, 1],
    [40_000, 10, 2_048, 1],
    [5, 4, 5, 4],
  ])('fits %i x %i into 2,048 as %i x %i', (width, height, newWidth, newHeight) => {
    expect(fitSize({ width, height }, 2_048)).toEqual({ width: newWidth, height: newHeight });
  });
});
