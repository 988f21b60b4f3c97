import type { Conversion, EncodedImage, ImageCodec } from '../../src/core/images/image-codec.ts';
import { fitSize } from '../../src/core/images/image-size.ts';
import type { BytesContent, ImageSource } from '../../src/core/repository/image-source.ts';
import type { Revision } from '../../src/core/repository/repository.ts';

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
