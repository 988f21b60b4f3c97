import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { ImageFiles } from '../../src/adapters/images/image-files.ts';

const { resolve } = createRequire(import.meta.url);

/** The thread and its codecs as they stand in `src` and `node_modules`, so that a test needs no build. */
export const sourceImageFiles: ImageFiles = {
  worker: fileURLToPath(new URL('../../src/adapters/images/image-worker.ts', import.meta.url)),
  codecs: {
    mozjpeg_dec: resolve('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'),
    mozjpeg_enc: resolve('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'),
    squoosh_png_bg: resolve('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'),
    webp_dec: resolve('@jsquash/webp/codec/dec/webp_dec.wasm'),
  },
  packed: false,
};
