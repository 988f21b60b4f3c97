import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openImageCodec } from '../../../src/adapters/images/codec.ts';
import { orient, type Pixels, shrink } from '../../../src/adapters/images/pixels.ts';
import {
  type Conversion,
  type ConversionLimits,
  type EncodedImage,
  imageLimits,
} from '../../../src/core/images/images.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import {
  drawPng,
  exifOf,
  fields,
  pngOf,
  type Seen,
  sampleImages,
  seen,
  sourceImageFiles,
  withExif,
} from '../../fakes/images.ts';

const broken = { kind: 'failed', reason: verbatim('is broken, or of a kind that cannot be decoded') };
const samples = Object.values(sampleImages);

describe('hostile images', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('are recognised when they are no %s at all', async (format) => {
    expect(await convert({ bytes: Buffer.from('nothing of that kind'), format })).toEqual(broken);
  });

  it('never make more pixels than were allowed, whatever a header said before', async () => {
    expect(await convert(sampleImages.losslessWebp, { pixels: 48 * 32 - 1 })).toEqual(broken);
  });

  it('cannot unfold to more than their header says', async () => {
    const pixels = deflateSync(Buffer.alloc(50_000_000), { level: 9 });
    const bytes = pngOf({ width: 4, height: 4, pixels });
    expect(await convert({ bytes, format: 'png' })).toMatchObject({ kind: 'converted', width: 4, height: 4 });
  });

  it('are reported when their pixels are missing', async () => {
    const bytes = pngOf({ width: 6_000, height: 6_000, pixels: deflateSync(Buffer.alloc(100)) });
    expect(await convert({ bytes, format: 'png' })).toEqual(broken);
  });

  it('are reported when a frame leaves its screen', async () => {
    const bytes = Buffer.from(sampleImages.gif.bytes);
    // The screen becomes smaller than the frame.
    bytes.writeUInt16LE(1, 6);
    bytes.writeUInt16LE(1, 8);
    expect(await convert({ bytes, format: 'gif' })).toEqual(broken);
  });

  it('never throw and never hang, with any byte of them changed or cut off', { timeout: 120_000 }, async () => {
    const change = fc.record({
      sample: fc.constantFrom(...samples),
      changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
      cut: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ sample, changes, cut }) => {
        const bytes = Buffer.from(sample.bytes);
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        const part = bytes.subarray(0, bytes.length - (cut % 3 === 0 ? cut % bytes.length : 0));
        // A header that says millions of pixels is decoded for as long as it may.
        const { kind } = await convert({ bytes: part, format: sample.format }, { milliseconds: 2_000 });
        return kind === 'converted' || kind === 'failed';
      }),
      { numRuns: 30 },
    );
  });

  it('cost no more than their time, and after three of them no more are tried', async () => {
    const problems: string[] = [];
    const codec = openImageCodec({ files: sourceImageFiles, onProblem: (text) => problems.push(text) });
    const image = { ...sampleImages.jpeg, orientation: 1 } as const;
    const reasons = [];
    for (const milliseconds of [1, 1, 1, 25_000]) {
      const conversion = await codec.toJpeg(image, { ...imageLimits, milliseconds });
      reasons.push(conversion.kind === 'failed' ? inEnglish(conversion.reason) : 'converted');
    }
    expect(reasons).toEqual([
      ...Array.from({ length: 3 }, () => 'cannot be decoded: it took more than 0.001 s'),
      'is not shown: images cannot be converted in this run',
    ]);
    expect(problems).toEqual(['3 images broke their decoder, so no more are shown. it took more than 0.001 s']);
  });
});

describe('toJpeg', () => {
  it.each(Object.entries(sampleImages))('shows what %s shows, transparency on white', async (_, sample) => {
    const converted = await convert(sample);
    expect(converted).toMatchObject({ kind: 'converted', width: 48, height: 32 });
    const fourth = sample.fourth === 'transparent' ? 'white' : 'black';
    expect(fields(await lookAt(converted))).toEqual(['red', 'green', 'blue', fourth]);
  });

  it('makes an image of 3,000 pixels fit into 2,048, its shape kept', async () => {
    const png = drawPng({ width: 3_000, height: 2_000, colourAt: (x) => [x < 1_500 ? 200 : 0, 0, 0, 255] });
    const seen = await lookAt(await convert({ bytes: png, format: 'png' }));
    expect([seen.width, seen.height]).toEqual([2_048, 1_365]);
    expect(fields(seen)).toEqual(['red', 'black', 'red', 'black']);
  });

  it('lays what is half transparent half on white', async () => {
    const png = drawPng({ width: 16, height: 16, colourAt: () => [0, 0, 0, 128] });
    const { data } = await lookAt(await convert({ bytes: png, format: 'png' }));
    expect(Math.abs((data[0] ?? 0) - 127)).toBeLessThan(4);
  });

  it('turns an image upright and drops its metadata', async () => {
    const bytes = withExif(sampleImages.jpeg.bytes, exifOf(6));
    const converted = await convert({ bytes, format: 'jpeg', orientation: 6 });
    const seen = await lookAt(converted);
    expect([seen.width, seen.height]).toEqual([32, 48]);
    expect(fields(seen)).toEqual(['blue', 'red', 'black', 'green']);
    expect(bytes.includes('Exif')).toBe(true);
    expect(converted.kind === 'converted' && Buffer.from(converted.jpeg).includes('Exif')).toBe(false);
  });

  it('converts a part of a larger buffer', async () => {
    const bytes = Buffer.concat([Buffer.alloc(1_000, 1), sampleImages.gif.bytes, Buffer.alloc(10)]).subarray(1_000);
    expect(await convert({ bytes, format: 'gif' })).toMatchObject({ kind: 'converted', width: 48, height: 32 });
  });

  it('tells once when its codecs are not there, and tries no more', async () => {
    const problems: string[] = [];
    const codecs = { ...sourceImageFiles.codecs, mozjpeg_enc: '/nowhere/mozjpeg_enc.wasm' };
    const files = { ...sourceImageFiles, codecs };
    const codec = openImageCodec({ files, onProblem: (text) => problems.push(text) });
    const image = { ...sampleImages.gif, orientation: 1 } as const;
    const limits = { ...imageLimits, milliseconds: 25_000 };
    const conversions = await Promise.all([codec.toJpeg(image, limits), codec.toJpeg(image, limits)]);
    expect(conversions.map((conversion) => conversion.kind)).toEqual(['failed', 'failed']);
    expect(problems).toEqual([
      expect.stringMatching(/^Images cannot be converted, so none are shown\. ENOENT.*mozjpeg_enc\.wasm/),
    ]);
  });
});

/** An opaque grey image. */
function greyOf(...rows: readonly (readonly number[])[]): Pixels {
  const data = new Uint8Array(rows.flat().flatMap((value) => [value, value, value, 255]));
  return { width: rows[0]?.length ?? 0, height: rows.length, data };
}

function rowsOf({ width, height, data }: Pixels): readonly (readonly number[])[] {
  const row = (y: number) => Array.from({ length: width }, (_, x) => data[(y * width + x) * 4] ?? -1);
  return Array.from({ length: height }, (_, y) => row(y));
}

describe('orient', () => {
  it.each([
    [1, '123 456'],
    [2, '321 654'],
    [3, '654 321'],
    [4, '456 123'],
    [5, '14 25 36'],
    [6, '41 52 63'],
    [7, '63 52 41'],
    [8, '36 25 14'],
  ] as const)('turns an image as orientation %i says: %s', (orientation, rows) => {
    const turned = rowsOf(orient(greyOf([1, 2, 3], [4, 5, 6]), orientation)).map((row) => row.join(''));
    expect(turned.join(' ')).toBe(rows);
  });
});

describe('shrink', () => {
  it('makes each pixel the mean of what it covers', () => {
    const image = greyOf([0, 100, 200, 200], [0, 100, 200, 200]);
    expect(rowsOf(shrink(image, { width: 2, height: 1 }))).toEqual([[50, 200]]);
  });

  it('shares a pixel between the two that cover it', () => {
    expect(rowsOf(shrink(greyOf([0, 90, 240]), { width: 2, height: 1 }))).toEqual([[30, 190]]);
    expect(rowsOf(shrink(greyOf([0], [90], [240]), { width: 1, height: 2 }))).toEqual([[30], [190]]);
  });

  it('changes nothing but transparency at its own size', () => {
    const image: Pixels = { width: 2, height: 1, data: new Uint8Array([10, 20, 30, 255, 10, 20, 30, 0]) };
    expect([...shrink(image, image).data]).toEqual([10, 20, 30, 255, 255, 255, 255, 255]);
  });

  it('keeps an image of one colour as it is, whatever the sizes', () => {
    const side = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(side, side, fc.nat(), fc.nat(), fc.nat(255), (width, height, narrower, lower, value) => {
        const image = greyOf(...Array.from({ length: height }, () => Array.from({ length: width }, () => value)));
        const size = { width: 1 + (narrower % width), height: 1 + (lower % height) };
        expect(new Set(rowsOf(shrink(image, size)).flat())).toEqual(new Set([value]));
      }),
    );
  });
});

/** Converts one image as a run does, with time enough for a busy machine. */
async function convert(
  image: Omit<EncodedImage, 'orientation'> & Partial<EncodedImage>,
  limits: Partial<ConversionLimits> = {},
): Promise<Conversion> {
  const codec = openImageCodec({ files: sourceImageFiles, onProblem: () => undefined });
  return codec.toJpeg({ orientation: 1, ...image }, { ...imageLimits, milliseconds: 25_000, ...limits });
}

async function lookAt(conversion: Conversion): Promise<Seen> {
  if (conversion.kind === 'failed') throw new Error(inEnglish(conversion.reason));
  return seen(conversion.jpeg);
}
