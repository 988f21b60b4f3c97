import { readGifSize } from './gif-size.ts';
import type { ImageFormat, ImageSize } from './image-size.ts';
import { readJpegSize } from './jpeg-size.ts';
import { readPngSize } from './png-size.ts';
import { readWebpSize } from './webp-size.ts';

export type ImageHeader =
  | ({ readonly kind: 'image'; readonly format: ImageFormat } & ImageSize)
  /** It begins like an image, and its size cannot be read. */
  | { readonly kind: 'broken'; readonly format: ImageFormat }
  | { readonly kind: 'other' };

/** Tells an image by its first bytes, never by its name, and reads its size without decoding it. Never throws. */
export function readImageHeader(bytes: Uint8Array): ImageHeader {
  const format = formatOf(bytes);
  if (format === null) return { kind: 'other' };
  const size = sizeOf(bytes, format);
  if (size === null || size.width === 0 || size.height === 0) return { kind: 'broken', format };
  return { kind: 'image', format, ...size };
}

function formatOf(bytes: Uint8Array): ImageFormat | null {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'gif';
  return start.startsWith('RIFF') && start.slice(8) === 'WEBP' ? 'webp' : null;
}

const readers = { png: readPngSize, jpeg: readJpegSize, webp: readWebpSize, gif: readGifSize } as const;

function sizeOf(bytes: Uint8Array, format: ImageFormat): ImageSize | null {
  try {
    return readers[format](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    // What a DataView throws behind its end: the file is cut off.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
