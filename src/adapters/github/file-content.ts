import type { Buffer } from 'node:buffer';
import type { BytesContent } from '../../core/repository/image-source.ts';
import type { FileContent } from '../../core/repository/repository.ts';

// How far git looks for a NUL byte before it takes a file for text.
const binaryProbe = 8000;
// A pointer is a short text; https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
const largestPointer = 1024;
const pointerStart = 'version https://git-lfs.github.com/spec/v1\n';

/** What a blob is to a reader. */
export function contentOf(blob: Buffer, { symlink }: { readonly symlink: boolean }): FileContent {
  const bytes = blob.length;
  if (symlink) return { kind: 'symlink', target: blob.toString('utf8') };
  if (blob.subarray(0, binaryProbe).includes(0)) return { kind: 'unreadable', reason: 'binary', bytes };
  if (isPointer(blob)) return { kind: 'unreadable', reason: 'lfs-pointer', bytes };
  return { kind: 'text', text: blob.toString('utf8'), bytes };
}

/** The same for whom its bytes matter, whatever they are. */
export function bytesOf(blob: Buffer, { symlink }: { readonly symlink: boolean }): BytesContent {
  if (symlink) return { kind: 'symlink', target: blob.toString('utf8') };
  if (isPointer(blob)) return { kind: 'unreadable', reason: 'lfs-pointer', bytes: blob.length };
  return { kind: 'bytes', bytes: blob };
}

function isPointer(blob: Buffer): boolean {
  return blob.length <= largestPointer && blob.toString('utf8').startsWith(pointerStart);
}
