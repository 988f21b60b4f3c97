import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { explain } from '../../core/errors.ts';
import type { Conversion, ConversionLimits, EncodedImage, ImageCodec } from '../../core/images/images.ts';
import { verbatim } from '../../core/messages/message.ts';

/** So many images may break or hold up their thread before no more are tried: each may have cost all its time. */
const maxBreaks = 3;

/**
 * Converts images one after the other, each in a thread of its own: a hostile one costs its own result and nothing else, and memory
 * goes back when it is done. When the codecs cannot be loaded, or images break them again and again, that is reported once through
 * `onProblem` and nothing more is tried.
 */
export function openImageCodec(options: {
  onProblem: (text: string) => void;
  files?: ImageFiles | undefined;
}): ImageCodec {
  const files = options.files ?? builtImageFiles();
  let breaks = 0;
  let stopped = false;
  let last: Promise<unknown> = Promise.resolve();

  const stop = (text: string) => {
    stopped = true;
    options.onProblem(text);
  };
  const convert: ImageCodec['toJpeg'] = async (image, limits) => {
    if (stopped) return notTried;
    const answer = await runImageThread(files, { ...image, ...limits });
    if (answer.kind === 'converted') return answer;
    if (answer.kind === 'undecodable') return failed('is broken, or of a kind that cannot be decoded');
    if (answer.kind === 'unavailable') {
      stop(`Images cannot be converted, so none are shown. ${answer.reason}`);
      return notTried;
    }
    breaks += 1;
    if (breaks === maxBreaks) stop(`${maxBreaks} images broke their decoder, so no more are shown. ${answer.reason}`);
    return failed(`cannot be decoded: ${answer.reason}`);
  };
  return {
    toJpeg: (image, limits) => {
      const before = last;
      const converted = before.then(() => convert(image, limits));
      last = converted;
      return converted;
    },
  };
}

const limit = { code: 'image.no-converter' } as const;
// It may be as good as any: it was not looked at.
const notTried: Conversion = { kind: 'failed', reason: { code: 'image.not-shown', why: limit }, limit };

function failed(reason: string): Conversion {
  return { kind: 'failed', reason: verbatim(reason) };
}

export type Job = EncodedImage & ConversionLimits;

export type Answer =
  | { readonly kind: 'converted'; readonly jpeg: Uint8Array; readonly width: number; readonly height: number }
  | { readonly kind: 'undecodable' }
  /** The thread did not come to an answer. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** The codecs cannot be loaded. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export type Task = { readonly files: ImageFiles; readonly job: Job };

/** Converts one image in a thread that is made for it and ends with it. Never rejects. */
async function runImageThread(files: ImageFiles, job: Job): Promise<Answer> {
  // A part of a larger buffer would be sent with all of it.
  const task: Task = { files, job: { ...job, bytes: new Uint8Array(job.bytes) } };
  try {
    const worker = new Worker(files.worker, {
      workerData: task,
      env: {},
      // What the codecs print would reach the job's log unneutralised.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    return await answerOf(worker, job.milliseconds);
  } catch (error) {
    return { kind: 'unavailable', reason: explain(error) };
  }
}

async function answerOf(worker: Worker, milliseconds: number): Promise<Answer> {
  const answer = await new Promise<Answer>((resolve) => {
    const broken = (reason: string) => resolve({ kind: 'broken', reason });
    const timer = setTimeout(() => broken(`it took more than ${milliseconds / 1_000} s`), milliseconds);
    worker.once('message', resolve);
    // Stays to the end: a late error must not end the process.
    worker.on('error', (error) => broken(explain(error)));
    worker.once('exit', () => {
      clearTimeout(timer);
      broken('its thread ended');
    });
  });
  // Also ends the timer. It waits for the thread: two at once would take twice the memory.
  await worker.terminate();
  return answer;
}

/** The codecs, each a file of WebAssembly. */
export type CodecName = 'mozjpeg_dec' | 'mozjpeg_enc' | 'squoosh_png_bg' | 'webp_dec';

/** Where the thread that converts images and its codecs are. All paths are absolute. */
export type ImageFiles = {
  /** The script of the thread. */
  readonly worker: string;
  readonly codecs: { readonly [name in CodecName]: string };
  /** True where the codecs are packed by brotli. */
  readonly packed: boolean;
};

/** What the build puts into `dist/images`, beside `dist/index.js` and above `dist/cli/index.js`. */
function builtImageFiles(): ImageFiles {
  const here = dirname(fileURLToPath(import.meta.url));
  const folders = ['images', '../images'].map((folder) => join(here, folder));
  const folder = folders.find((each) => existsSync(join(each, 'index.js'))) ?? join(here, 'images');
  const codec = (name: CodecName) => join(folder, `${name}.wasm.br`);
  return {
    worker: join(folder, 'index.js'),
    codecs: {
      mozjpeg_dec: codec('mozjpeg_dec'),
      mozjpeg_enc: codec('mozjpeg_enc'),
      squoosh_png_bg: codec('squoosh_png_bg'),
      webp_dec: codec('webp_dec'),
    },
    packed: true,
  };
}
