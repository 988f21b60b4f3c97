import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { brotliDecompress } from 'node:zlib';
import decodeJpeg, { init as startJpegDecoder } from '@jsquash/jpeg/decode.js';
import encodeJpeg, { init as startJpegEncoder } from '@jsquash/jpeg/encode.js';
import { decode as decodePng, init as startPngDecoder } from '@jsquash/png/decode.js';
import decodeWebp, { init as startWebpDecoder } from '@jsquash/webp/decode.js';
import { GifReader } from 'omggif';
import { explain } from '../../core/errors.ts';
import { fitSize, type ImageFormat } from '../../core/images/header.ts';
import type { Answer, CodecName, ImageFiles, Job, Task } from './codec.ts';
import { orient, type Pixels, shrink } from './pixels.ts';

/** The thread that converts one image, then ends. */
const { files, job }: Task = workerData;

async function answer(): Promise<Answer> {
  let codecs: Codecs;
  try {
    codecs = await loadCodecs(files, job.format);
  } catch (error) {
    return { kind: 'unavailable', reason: explain(error) };
  }
  try {
    return { kind: 'converted', ...(await convert(job, codecs)) };
  } catch {
    // Decoders say "exit(1)" and "unwrap failed": nothing that would help anybody.
    return { kind: 'undecodable' };
  }
}

/** Decodes, makes smaller, lays on white, turns upright, encodes. Rejects for what cannot be decoded. */
async function convert(job: Job, codecs: Codecs) {
  const decoded = await codecs.decode(new Uint8Array(job.bytes));
  // The decoder has its own mind about the size, whatever the header said.
  if (decoded.width * decoded.height > job.pixels) throw new Error('more pixels than the header said');
  const upright = orient(shrink(decoded, fitSize(decoded, job.side)), job.orientation);
  const jpeg = await codecs.encode(upright, job.quality);
  return { jpeg, width: upright.width, height: upright.height };
}

type Codecs = {
  /** Rejects for what cannot be decoded. Orientation is not applied. */
  decode(file: Uint8Array<ArrayBuffer>): Promise<Pixels>;
  encode(pixels: Pixels, quality: number): Promise<Uint8Array>;
};

/** The decoder of one format and the encoder of JPEG. Rejects when one cannot be loaded. */
async function loadCodecs(files: ImageFiles, format: ImageFormat): Promise<Codecs> {
  const startEncoder = async () => startJpegEncoder(emscripten(await readCodec(files, 'mozjpeg_enc')));
  const [decode] = await Promise.all([loadDecoder(files, format), startEncoder()]);
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

/** The first frame on its screen; what it leaves free is transparent. @throws Error for what is no GIF or has no frame inside its screen */
function decodeGif(file: Uint8Array): Pixels {
  const reader = new GifReader(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const { width, height } = reader;
  const frame = reader.frameInfo(0);
  // The screen's pixels were limited, a frame has a size of its own.
  if (frame.x + frame.width > width || frame.y + frame.height > height) throw new Error('the frame leaves the screen');
  const data = new Uint8Array(width * height * 4);
  reader.decodeAndBlitFrameRGBA(0, data);
  return { width, height, data };
}

// Last: what it needs is there now.
parentPort?.postMessage(await answer());
