import { readFileSync } from 'node:fs';
import decode, { init } from '@jsquash/jpeg/decode.js';
import { sourceImageFiles } from './images.ts';

/** Red, green, blue and opacity of each pixel, row by row from the top. */
export type Seen = { readonly width: number; readonly height: number; readonly data: Uint8Array | Uint8ClampedArray };

/** What a JPEG shows. Orientation is not applied: whatever it says about itself must not matter. */
export async function seen(jpeg: Uint8Array): Promise<Seen> {
  await start();
  return decode(new Uint8Array(jpeg).buffer, { preserveOrientation: false });
}

let started: Promise<void> | null = null;

function start(): Promise<void> {
  const decoder = { wasmBinary: readFileSync(sourceImageFiles.codecs.mozjpeg_dec) };
  started ??= init(decoder);
  return started;
}

/** The colours in the middle of the four quarters: above left and right, below left and right. */
export function fields({ width, height, data }: Seen): readonly string[] {
  const rows = [height / 4, (height * 3) / 4].map(Math.floor);
  const columns = [width / 4, (width * 3) / 4].map(Math.floor);
  return rows.flatMap((y) => columns.map((x) => nameOf(data, (y * width + x) * 4)));
}

const named = { red: [200, 0, 0], green: [0, 160, 0], blue: [0, 0, 200], black: [0, 0, 0], white: [255, 255, 255] };

function nameOf(data: Seen['data'], at: number): string {
  const colour = [...data.subarray(at, at + 3)];
  // JPEG and WebP are lossy: a little off is the same.
  const near = Object.entries(named).find(([, other]) =>
    other.every((value, index) => Math.abs(value - (colour[index] ?? 0)) < 30),
  );
  return near?.[0] ?? colour.join(',');
}
