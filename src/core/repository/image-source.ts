import type { FileContent, Revision } from './repository.ts';

export type BytesContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | Exclude<FileContent, { readonly kind: 'text' }>;

/** Reads files as they are stored, text or not, at the pinned commits. Never throws for a path that does not exist. */
export interface ImageSource {
  /** A file of more than `maxBytes` answers `too-large`, unread where its size is known beforehand. */
  readBytes(path: string, at: Revision, maxBytes: number): Promise<BytesContent>;
}
