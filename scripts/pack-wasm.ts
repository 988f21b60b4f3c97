import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

type Folders = {
  /** Where the packed file goes. */
  readonly output: string;
  /** Where the last build put it. */
  readonly previous: string;
};

/** Puts a file of WebAssembly into `output`, packed by brotli, its name ending in `.br`. */
export function packWasm(file: string, { output, previous }: Folders): void {
  const name = `${basename(file)}.br`;
  const content = readFileSync(file);
  writeFileSync(join(output, name), keptPack(join(previous, name), content) ?? packed(content));
}

/** What holds the same already is kept: packing takes long, and the bytes depend on the release of Node. */
function keptPack(file: string, content: Uint8Array): Uint8Array | null {
  if (!existsSync(file)) return null;
  const known = readFileSync(file);
  try {
    return brotliDecompressSync(known).equals(content) ? known : null;
  } catch {
    return null;
  }
}

function packed(content: Uint8Array): Uint8Array {
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(content, {
    params: { [BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [BROTLI_PARAM_SIZE_HINT]: content.length },
  });
}
