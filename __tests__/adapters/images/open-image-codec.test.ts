import { describe, expect, it } from 'vitest';
import { openImageCodec } from '../../../src/adapters/images/open-image-codec.ts';
import { imageLimits } from '../../../src/core/images/image-limits.ts';
import { drawPng, exifOf, withExif } from '../../fakes/draw-image.ts';
import { sampleImages } from '../../fakes/sample-images.ts';
import { sourceImageFiles } from '../../fakes/source-image-files.ts';
import { convert, fields, lookAt } from './look-at.ts';

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

  it('makes nothing larger', async () => {
    const png = drawPng({ width: 3, height: 1, colourAt: () => [0, 0, 0, 255] });
    expect(await lookAt(await convert({ bytes: png, format: 'png' }))).toMatchObject({ width: 3, height: 1 });
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
    const codec = openImageCodec({
      files: { ...sourceImageFiles, codecs },
      onProblem: (text) => problems.push(text),
    });
    const image = { ...sampleImages.gif, orientation: 1 } as const;
    const limits = { ...imageLimits, milliseconds: 25_000 };
    const conversions = await Promise.all([codec.toJpeg(image, limits), codec.toJpeg(image, limits)]);
    expect(conversions.map((conversion) => conversion.kind)).toEqual(['failed', 'failed']);
    expect(problems).toEqual([
      expect.stringMatching(/^Images cannot be converted, so none are shown\. ENOENT.*mozjpeg_enc\.wasm/),
    ]);
  });
});
