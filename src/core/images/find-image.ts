import { grouped } from '../grouped.ts';
import type { ImageSource } from '../repository/image-source.ts';
import type { Revision, UnreadableReason } from '../repository/repository.ts';
import { type ImageHeader, readImageHeader } from './image-header.ts';
import { imageLimits } from './image-limits.ts';

export type ReadHeader = Extract<ImageHeader, { readonly kind: 'image' }>;

/** Each reason ends a sentence that begins with the file's name. */
export type OpenedImage = { readonly kind: 'image'; readonly bytes: Uint8Array; readonly header: ReadHeader } | NoImage;

export type NoImage =
  /** An image, but one that is not decoded. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** There is a file, and its content cannot be had. */
  | { readonly kind: 'unread'; readonly reason: string }
  | { readonly kind: 'other' | 'missing'; readonly reason: string };

/** Reads a file, and decides by its first bytes whether it is an image that may be decoded. */
export async function findImage(
  source: ImageSource,
  { path, at }: { readonly path: string; readonly at: Revision },
): Promise<OpenedImage> {
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
