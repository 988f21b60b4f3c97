import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { crc32, deflateSync } from 'node:zlib';
import decodeJpeg, { init } from '@jsquash/jpeg/decode.js';
import type { ImageFiles } from '../../src/adapters/images/codec.ts';
import type { ImagePart } from '../../src/core/agent/message.ts';
import { fitSize } from '../../src/core/images/header.ts';
import type { Conversion, EncodedImage, ImageCodec } from '../../src/core/images/images.ts';
import type { BytesContent, ImageSource, Revision } from '../../src/core/repository/repository.ts';
import { sourceThread } from './memory-repository.ts';

/** Red, green, blue, opacity. */
type Colour = readonly [number, number, number, number];

export type Drawing = {
  readonly width: number;
  readonly height: number;
  readonly colourAt: (x: number, y: number) => Colour;
};

/** A PNG with 8 bits a channel; `chunks` stand between its header and its pixels. */
export function drawPng({ width, height, colourAt }: Drawing, chunks: readonly Buffer[] = []): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(colourAt(x, y), y * (1 + width * 4) + 1 + x * 4);
  }
  return pngOf({ width, height, pixels: deflateSync(rows, { level: 1 }) }, chunks);
}

/** A PNG whose header says what it likes about its pixels. */
export function pngOf(
  { width, height, pixels }: { readonly width: number; readonly height: number; readonly pixels: Buffer },
  chunks: readonly Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const parts = [pngChunk('IHDR', header), ...chunks, pngChunk('IDAT', pixels), pngChunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

export function pngChunk(type: string, content: Buffer): Buffer {
  const chunk = Buffer.alloc(12 + content.length);
  chunk.writeUInt32BE(content.length);
  chunk.write(type, 4, 'latin1');
  chunk.set(content, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + content.length)), 8 + content.length);
  return chunk;
}

/** A block of EXIF that says nothing but the orientation. */
export function exifOf(orientation: number, order: 'II' | 'MM' = 'MM'): Buffer {
  const block = Buffer.alloc(26);
  const little = order === 'II';
  const write16 = (value: number, at: number) =>
    little ? block.writeUInt16LE(value, at) : block.writeUInt16BE(value, at);
  const write32 = (value: number, at: number) =>
    little ? block.writeUInt32LE(value, at) : block.writeUInt32BE(value, at);
  block.write(order, 'latin1');
  write16(42, 2);
  write32(8, 4);
  write16(1, 8);
  write16(0x0112, 10);
  write16(3, 12);
  write32(1, 14);
  write16(orientation, 18);
  return block;
}

/** A JPEG with a block of EXIF put behind its first marker. */
export function withExif(jpeg: Buffer, exif: Buffer): Buffer {
  const segment = Buffer.alloc(10);
  segment.set([0xff, 0xe1]);
  segment.writeUInt16BE(8 + exif.length, 2);
  segment.write('Exif\0\0', 4, 'latin1');
  return Buffer.concat([jpeg.subarray(0, 2), segment, exif, jpeg.subarray(2)]);
}

/** Each shows four fields, 48 by 32 pixels: red and green above, blue and `fourth` below. Made with the encoders of libwebp, mozjpeg and omggif. */
export const sampleImages = {
  jpeg: {
    format: 'jpeg',
    fourth: 'black',
    bytes: decode([
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCEAAMDAwMDAwQEBAQFBQUFBQcHBgYHBwsICQgJCAsRCwwLCwwLEQ8SDw4PEg8bFRMTFRsfGhkaHyYi',
      'IiYwLTA+PlQBAwMDAwMDBAQEBAUFBQUFBwcGBgcHCwgJCAkICxELDAsLDAsRDxIPDg8SDxsVExMVGx8aGRofJiIiJjAtMD4+VP/AABEIACAA',
      'MAMBEQACEQEDEQH/xABRAAEBAQEAAAAAAAAAAAAAAAAABgcIEAEAAAAAAAAAAAAAAAAAAAAAAQEBAQEBAAAAAAAAAAAAAAAACQYHCBEBAAAA',
      'AAAAAAAAAAAAAAAAAP/aAAwDAQACEQMRAD8A5KckULAAa0xqIIADJWyW+AAa0xqIIADkJZh6IAAQSejVgAL1QtlAAEEno1YAD//Z',
    ]),
  },
  progressiveJpeg: {
    format: 'jpeg',
    fourth: 'black',
    bytes: decode([
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wCEAAMDAwMDAwQEBAQFBQUFBQcHBgYHBwsICQgJCAsRCwwLCwwLEQ8SDw4PEg8bFRMTFRsfGhkaHyYi',
      'IiYwLTA+PlQBAwMDAwMDBAQEBAUFBQUFBwcGBgcHCwgJCAkICxELDAsLDAsRDxIPDg8SDxsVExMVGx8aGRofJiIiJjAtMD4+VP/CABEIACAA',
      'MAMBEQACEQEDEQH/xAAtAAEBAQEAAAAAAAAAAAAAAAAABgcIAQEBAQEBAAAAAAAAAAAAAAAACQYHCP/aAAwDAQACEAMQAAAA5K5JQsDWsbEE',
      'DJdlb4DWsbEEDkKzHogCCnpqwL2heUAgp6asD//EABQQAQAAAAAAAAAAAAAAAAAAAED/2gAIAQEAAT8AR//EABQRAQAAAAAAAAAAAAAAAAAA',
      'AED/2gAIAQIBAT8AR//EABQRAQAAAAAAAAAAAAAAAAAAAED/2gAIAQMBAT8AR//Z',
    ]),
  },
  lossyWebp: {
    format: 'webp',
    fourth: 'black',
    bytes: decode([
      'UklGRnYAAABXRUJQVlA4IGoAAABwBQCdASowACAAPikOhUKhh1QGAKEswBfQKC/APwA1mrgH4S/rXvAP2AzvsMuQdx1+P6CAAP78DSSz2h60',
      '4RFso931V1heusXHhUUhpT/2Eddvk/ot74M6ysve9+P/9rLpDFWvPOCAAAAA',
    ]),
  },
  losslessWebp: {
    format: 'webp',
    fourth: 'black',
    bytes: decode(['UklGRj4AAABXRUJQVlA4TDIAAAAvL8AHAB8woGLBZFj5X2GJBZNh5X+FNf+BzBlQ07YRVJIleSTfzJ0j+j8BhY2ZGYWZAQ==']),
  },
  alphaWebp: {
    format: 'webp',
    fourth: 'transparent',
    bytes: decode([
      'UklGRqYAAABXRUJQVlA4WAoAAAAQAAAALwAAHwAAQUxQSBYAAAABDzD/ERGCTNom/k3XwPZH9H8CeohlVlA4IGoAAABwBQCdASowACAAPikO',
      'hUKhh1QGAKEswBfQKC/APwA1mrgH4S/rXvAP2AzvsMuQdx1+P6CAAP78DSSz2h604RFso931V1heusXHhUUhpT/2Eddvk/ot74M6ysve9+P/',
      '9rLpDFWvPOCAAAAA',
    ]),
  },
  gif: {
    format: 'gif',
    fourth: 'transparent',
    bytes: decode([
      'R0lGODlhMAAgAIEAAMgAAACgAAAAyAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQBAAADACwAAAAAMAAgAAACgISPqRftD6NbtMqLq064ww0C',
      '3hiEG+mZGtqpFnu5FBzLCi3ZN/7pCN/zGYAPIYPYMA6RJSWzaXwKptSq9UodaLfcrneLDYu/5LL4bC2ru+i2YA0fuNHx9fxcV9/HefI+3Of3',
      'dxX4NUhYyHZYlai4ONXI9ZgVqTUJWSl3mak5yVkAACH5BAAKAAAALAAAAAAwACAAAAKAnI+pJ+0Po1u0yourTrjDDQ7eKIQb6Zka2qkWe7kU',
      'HMsKLdk3/ukI3/MZgA8hg9gwDpElJbNpfAam1Kr1SgVot9yud4sNi7/ksvhsLau76HZgDQe40fH1/FxX38d58j7c5/d3Ffg1SFjIdliVqLg4',
      '1cj1mBWpNQlZKXeZqTnJWQAAOw==',
    ]),
  },
} as const;

function decode(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join(''), 'base64');
}

const { resolve } = createRequire(import.meta.url);

/** The thread and its codecs as they stand in `src` and `node_modules`, so that a test needs no build. */
export const sourceImageFiles: ImageFiles = {
  worker: sourceThread('images'),
  codecs: {
    mozjpeg_dec: resolve('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'),
    mozjpeg_enc: resolve('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'),
    squoosh_png_bg: resolve('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'),
    webp_dec: resolve('@jsquash/webp/codec/dec/webp_dec.wasm'),
  },
  packed: false,
};

/** The smallest beginning of a JPEG, called after what it shows. */
export function imagePart(label: string, more: Partial<ImagePart> = {}): ImagePart {
  const base64 = Buffer.from(`\xff\xd8\xff${label}`, 'latin1').toString('base64');
  const size = { width: 64, height: 32, detail: 'low', tokens: 100 } as const;
  return { mediaType: 'image/jpeg', base64, digest: `digest of ${label}`, ...size, label, ...more };
}

type Files = { readonly [path: string]: Uint8Array | BytesContent };

/** Files as bytes at head and at the merge base; anything else as what a read answers. */
export class MemoryImages implements ImageSource {
  readonly #at: { readonly [revision in Revision]: Files };
  readonly reads: string[] = [];

  constructor(head: Files, mergeBase: Files = {}) {
    this.#at = { head, base: mergeBase, 'merge-base': mergeBase };
  }

  async readBytes(path: string, at: Revision, maxBytes: number): Promise<BytesContent> {
    this.reads.push(`${at}:${path}`);
    const found = this.#at[at][path] ?? { kind: 'unreadable', reason: 'missing', bytes: null };
    if ('kind' in found) return found;
    if (found.length > maxBytes) return { kind: 'unreadable', reason: 'too-large', bytes: found.length };
    return { kind: 'bytes', bytes: found };
  }
}

/** Answers each image with what a test says, and keeps what it was asked. */
export class ScriptedCodec implements ImageCodec {
  readonly #answer: (image: EncodedImage) => Conversion;
  readonly images: EncodedImage[] = [];

  constructor(answer: (image: EncodedImage) => Conversion) {
    this.#answer = answer;
  }

  async toJpeg(image: EncodedImage): Promise<Conversion> {
    this.images.push(image);
    return this.#answer(image);
  }
}

/** A conversion to three bytes, of a file of this size. */
export function convertedFrom(width: number, height: number): Conversion {
  return { kind: 'converted', jpeg: new Uint8Array([1, 2, 3]), ...fitSize({ width, height }, 2_048) };
}

/** Red, green, blue and opacity of each pixel, row by row from the top. */
export type Seen = { readonly width: number; readonly height: number; readonly data: Uint8Array | Uint8ClampedArray };

/** What a JPEG shows. Orientation is not applied: whatever it says about itself must not matter. */
export async function seen(jpeg: Uint8Array): Promise<Seen> {
  await start();
  return decodeJpeg(new Uint8Array(jpeg).buffer, { preserveOrientation: false });
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
