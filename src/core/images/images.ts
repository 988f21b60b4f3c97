import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type Message, verbatim } from '../messages/message.ts';
import type { ImageSource, Revision, UnreadableReason } from '../repository/repository.ts';
import { grouped } from '../text.ts';
import { type ImageFormat, type ImageHeader, type Orientation, readImageHeader } from './header.ts';

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
      if (found.kind !== 'image') return { kind: 'failed', reason: verbatim(found.reason) };
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

export type EncodedImage = {
  readonly bytes: Uint8Array;
  readonly format: ImageFormat;
  readonly orientation: Orientation;
};

export type Conversion =
  | { readonly kind: 'converted'; readonly jpeg: Uint8Array; readonly width: number; readonly height: number }
  | FailedImage;

export type FailedImage = {
  readonly kind: 'failed';
  /** Ends a sentence that begins with the file's name. */
  readonly reason: Message;
  /** The limit of the run that it is beyond; absent when it fails for what it is. */
  readonly limit?: Message;
};

export type ConversionLimits = {
  /** Pixels of the longer side: larger images are made smaller, none larger. */
  readonly side: number;
  /** Pixels that a decoder may unfold. */
  readonly pixels: number;
  /** JPEG quality, 1 to 100. */
  readonly quality: number;
  readonly milliseconds: number;
};

/** Makes JPEGs: upright, without metadata, transparency on white. Never throws, whatever the bytes. */
export interface ImageCodec {
  toJpeg(image: EncodedImage, limits: ConversionLimits): Promise<Conversion>;
}

/** Whoever opens a pull request chooses its images: these hold whatever they are. */
export const imageLimits = {
  /** Of a run: changed ones and those asked for together. */
  images: 20,
  /** JPEG bytes of a run. They are sent again in each round, and OpenAI takes 50 MB a request. */
  sentBytes: 20_000_000,
  fileBytes: 10_000_000,
  /** Read in the header, before anything is decoded: a few bytes may unfold to gigabytes. */
  pixels: 40_000_000,
  /** Pixels of the longer side of what is sent. */
  side: 2_048,
  /** JPEG quality, 1 to 100. */
  quality: 85,
  /** For one image: to start, decode, resize and encode. */
  milliseconds: 10_000,
  /** For all changed images of a pull request. */
  allMilliseconds: 60_000,
  /** Changed files that are opened to see whether they are images. */
  openedFiles: 60,
} as const;

type ReadHeader = Extract<ImageHeader, { readonly kind: 'image' }>;

/** Each reason ends a sentence that begins with the file's name. */
type OpenedImage = { readonly kind: 'image'; readonly bytes: Uint8Array; readonly header: ReadHeader } | NoImage;

type NoImage =
  /** An image, but one that is not decoded. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** There is a file, and its content cannot be had. */
  | { readonly kind: 'unread'; readonly reason: string }
  | { readonly kind: 'other' | 'missing'; readonly reason: string };

/** Reads a file, and decides by its first bytes whether it is an image that may be decoded. */
async function findImage(source: ImageSource, { path, at }: { path: string; at: Revision }): Promise<OpenedImage> {
  const content = await source.readBytes(path, at, imageLimits.fileBytes);
  if (content.kind === 'symlink') return { kind: 'other', reason: 'is a symbolic link' };
  if (content.kind === 'unreadable') return unreadable[content.reason];
  const { bytes } = content;
  const header = readImageHeader(bytes);
  if (header.kind === 'other') return notAnImage;
  if (header.kind === 'broken') {
    return { kind: 'refused', reason: `begins like a ${names[header.format]}, but its size cannot be read` };
  }
  const { width, height } = header;
  if (width * height <= imageLimits.pixels) return { kind: 'image', bytes, header };
  return {
    kind: 'refused',
    reason: `has ${grouped(width)} x ${grouped(height)} pixels: more than ${grouped(imageLimits.pixels)} are not decoded`,
  };
}

const names = { png: 'PNG', jpeg: 'JPEG', webp: 'WebP', gif: 'GIF' } as const;

const notAnImage: OpenedImage = { kind: 'other', reason: 'is not a PNG, JPEG, WebP or GIF image' };

const unreadable: { readonly [reason in UnreadableReason]: OpenedImage } = {
  missing: { kind: 'missing', reason: 'does not exist at this commit' },
  directory: { kind: 'other', reason: 'is a directory' },
  submodule: { kind: 'other', reason: 'is a submodule' },
  binary: notAnImage,
  'lfs-pointer': { kind: 'unread', reason: 'is stored in Git LFS: the repository holds a pointer to it' },
  'too-large': { kind: 'unread', reason: `has more than ${grouped(imageLimits.fileBytes)} bytes` },
  'not-fetched': { kind: 'unread', reason: 'was not fetched' },
};

/** Base64 of any number of bytes. */
export function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += slice) {
    // In slices: each byte becomes an argument, and a call takes only so many.
    binary += String.fromCharCode(...bytes.subarray(at, at + slice));
  }
  return btoa(binary);
}

const slice = 8_192;

/** The bytes of base64 that was written by `toBase64`. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
