import { readFileSync } from 'node:fs';
import decode, { init } from '@jsquash/jpeg/decode.js';
import { openImageCodec } from '../../../src/adapters/images/open-image-codec.ts';
import type { Pixels } from '../../../src/adapters/images/pixels.ts';
import type { Conversion, ConversionLimits, EncodedImage } from '../../../src/core/images/image-codec.ts';
import { imageLimits } from '../../../src/core/images/image-limits.ts';
import { sourceImageFiles } from '../../fakes/source-image-files.ts';

/** Converts one image as a run does, with time enough for a busy machine. */
export async function convert(
  image: Omit<EncodedImage, 'orientation'> & Partial<EncodedImage>,
  limits: Partial<ConversionLimits> = {},
): Promise<Conversion> {
  const codec = openImageCodec({ files: sourceImageFiles, onProblem: () => undefined });
  return codec.toJpeg({ orientation: 1, ...image }, { ...imageLimits, milliseconds: 25_000, ...limits });
}

/** What a JPEG shows. Orientation is not applied: whatever it says about itself must not matter. */
export async function lookAt(conversion: Conversion): Promise<Pixels> {
  if (conversion.kind === 'failed') throw new Error(conversion.reason);
  await start();
  return decode(new Uint8Array(conversion.jpeg).buffer, { preserveOrientation: false });
}

let started: Promise<void> | null = null;

function start(): Promise<void> {
  const decoder = { wasmBinary: readFileSync(sourceImageFiles.codecs.mozjpeg_dec) };
  started ??= init(decoder);
  return started;
}

/** The colours in the middle of the four quarters: above left and right, below left and right. */
export function fields({ width, height, data }: Pixels): readonly string[] {
  const rows = [height / 4, (height * 3) / 4].map(Math.floor);
  const columns = [width / 4, (width * 3) / 4].map(Math.floor);
  return rows.flatMap((y) => columns.map((x) => nameOf(data, (y * width + x) * 4)));
}

const named = { red: [200, 0, 0], green: [0, 160, 0], blue: [0, 0, 200], black: [0, 0, 0], white: [255, 255, 255] };

function nameOf(data: Pixels['data'], at: number): string {
  const colour = [...data.subarray(at, at + 3)];
  // JPEG and WebP are lossy: a little off is the same.
  const near = Object.entries(named).find(([, other]) =>
    other.every((value, index) => Math.abs(value - (colour[index] ?? 0)) < 30),
  );
  return near?.[0] ?? colour.join(',');
}
