import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openImageCodec } from '../../../src/adapters/images/open-image-codec.ts';
import { imageLimits } from '../../../src/core/images/image-limits.ts';
import { pngOf } from '../../fakes/draw-image.ts';
import { sampleImages } from '../../fakes/sample-images.ts';
import { sourceImageFiles } from '../../fakes/source-image-files.ts';
import { convert } from './look-at.ts';

const broken = { kind: 'failed', reason: 'is broken, or of a kind that cannot be decoded' };
const samples = Object.values(sampleImages);

describe('hostile images', () => {
  it.each(['png', 'jpeg', 'webp', 'gif'] as const)('are told when they are no %s at all', async (format) => {
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

  it('are told when their pixels are missing', async () => {
    const bytes = pngOf({ width: 6_000, height: 6_000, pixels: deflateSync(Buffer.alloc(100)) });
    expect(await convert({ bytes, format: 'png' })).toEqual(broken);
  });

  it('are told when a frame leaves its screen', async () => {
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
        const { kind } = await convert({ bytes: part, format: sample.format });
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
      reasons.push(conversion.kind === 'failed' ? conversion.reason : 'converted');
    }
    expect(reasons).toEqual([
      ...Array.from({ length: 3 }, () => 'cannot be decoded: it took more than 0.001 s'),
      'is not shown: images cannot be converted in this run',
    ]);
    expect(problems).toEqual(['3 images broke their decoder, so no more are shown. it took more than 0.001 s']);
  });
});
