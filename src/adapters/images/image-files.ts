import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
export function builtImageFiles(): ImageFiles {
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
