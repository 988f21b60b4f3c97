import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import decodeJpeg, { init as startJpegDecoder } from '@jsquash/jpeg/decode.js';
import encodeJpeg, { init as startJpegEncoder } from '@jsquash/jpeg/encode.js';
import { decode as decodePng, init as startPngDecoder } from '@jsquash/png/decode.js';
import decodeWebp, { init as startWebpDecoder } from '@jsquash/webp/decode.js';
import type { ImageFormat } from '../../core/images/image-size.ts';
import { decodeGif } from './decode-gif.ts';
import type { CodecName, ImageFiles } from './image-files.ts';
import type { Pixels } from './pixels.ts';

export type Codecs = {
  /** Rejects for what cannot be decoded. Orientation is not applied. */
  decode(file: Uint8Array<ArrayBuffer>): Promise<Pixels>;
  encode(pixels: Pixels, quality: number): Promise<Uint8Array>;
};

/** The decoder of one format and the encoder of JPEG. Rejects when one cannot be loaded. */
export async function loadCodecs(files: ImageFiles, format: ImageFormat): Promise<Codecs> {
  const [decode] = await Promise.all([loadDecoder(files, format), startEncoder(files)]);
  return { decode, encode };
}

async function loadDecoder(files: ImageFiles, format: ImageFormat): Promise<Codecs['decode']> {
  if (format === 'gif') return async (file) => decodeGif(file);
  if (format === 'png') {
    await startPngDecoder(await readCodec(files, 'squoosh_png_bg'));
    return (file) => decodePng(file.buffer);
  }
  if (format === 'webp') {
    await startWebpDecoder(emscripten(await readCodec(files, 'webp_dec')));
    return (file) => decodeWebp(file.buffer);
  }
  await startJpegDecoder(emscripten(await readCodec(files, 'mozjpeg_dec')));
  return (file) => decodeJpeg(file.buffer);
}

async function startEncoder(files: ImageFiles): Promise<void> {
  await startJpegEncoder(emscripten(await readCodec(files, 'mozjpeg_enc')));
}

async function encode({ width, height, data }: Pixels, quality: number): Promise<Uint8Array> {
  const image = { width, height, data: new Uint8ClampedArray(data), colorSpace: 'srgb' } as const;
  // Progressive files are a few per cent smaller and take three times as long.
  return new Uint8Array(await encodeJpeg(image, { quality, progressive: false }));
}

/** Emscripten's own fetching needs a browser. */
function emscripten(wasmBinary: Uint8Array) {
  return { wasmBinary };
}

const unpack = promisify<Uint8Array, Uint8Array<ArrayBuffer>>(brotliDecompress);

async function readCodec({ codecs, packed }: ImageFiles, name: CodecName): Promise<Uint8Array<ArrayBuffer>> {
  const content = await readFile(codecs[name]);
  return packed ? unpack(content) : content;
}
