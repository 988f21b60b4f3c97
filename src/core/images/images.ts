import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { ImageSource } from '../repository/image-source.ts';
import type { Revision } from '../repository/repository.ts';
import { toBase64 } from './base64.ts';
import { findImage, type NoImage, type ReadHeader } from './find-image.ts';
import type { FailedImage, ImageCodec } from './image-codec.ts';
import { imageLimits } from './image-limits.ts';

export type FoundImage =
  | {
      readonly kind: 'image';
      readonly header: ReadHeader;
      /** Of the file: equal where its bytes are equal. */
      readonly digest: string;
    }
  | NoImage;

export type ReadyImage =
  | {
      readonly kind: 'ready';
      /** A JPEG. */
      readonly base64: string;
      /** How many the JPEG has. */
      readonly bytes: number;
      readonly digest: string;
      readonly width: number;
      readonly height: number;
    }
  | FailedImage;

/** The images of a repository at its pinned commits. Never throws for what a file holds. */
export interface Images {
  /** What a path holds, by its first bytes. */
  find(path: string, at: Revision): Promise<FoundImage>;
  /** What is sent of it. */
  convert(path: string, at: Revision): Promise<ReadyImage>;
}

/** Images read from git objects. A file is read again when it is converted: 20 of them in memory would be 200 MB. */
export function repositoryImages(source: ImageSource, codec: ImageCodec): Images {
  return {
    find: async (path, at) => {
      const found = await findImage(source, { path, at });
      return found.kind === 'image' ? { kind: 'image', header: found.header, digest: digestOf(found.bytes) } : found;
    },
    convert: async (path, at) => {
      const found = await findImage(source, { path, at });
      if (found.kind !== 'image') return { kind: 'failed', reason: found.reason };
      const { format, orientation } = found.header;
      const conversion = await codec.toJpeg({ bytes: found.bytes, format, orientation }, imageLimits);
      if (conversion.kind === 'failed') return conversion;
      const { jpeg, width, height } = conversion;
      return { kind: 'ready', base64: toBase64(jpeg), bytes: jpeg.length, digest: digestOf(jpeg), width, height };
    },
  };
}

function digestOf(bytes: Uint8Array): string {
  return bytesToHex(sha256(bytes)).slice(0, 32);
}
