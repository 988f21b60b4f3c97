import type { FileContent, UnreadableReason } from '../../core/repository/repository.ts';

/** As git has it: a NUL among the first 8,000 bytes makes a file binary. */
const binaryProbeBytes = 8_000;
/** A Git LFS pointer is smaller than 1,024 bytes and starts with its version line (git-lfs, docs/spec.md). */
const pointerBytes = 1_024;
const pointerStart = 'version https://git-lfs.github.com/spec/v1\n';

type Unreadable = Extract<FileContent, { readonly kind: 'unreadable' }>;

/** What a blob is to a reviewer. Invalid UTF-8 is replaced, never refused. */
export function fileContent(content: Buffer): FileContent {
  if (content.subarray(0, binaryProbeBytes).includes(0)) return unreadable('binary', content.length);
  if (isPointer(content)) return unreadable('lfs-pointer', content.length);
  return { kind: 'text', text: content.toString('utf8'), bytes: content.length };
}

export function isPointer(content: Buffer): boolean {
  return content.length < pointerBytes && content.toString('utf8').startsWith(pointerStart);
}

export function unreadable(reason: UnreadableReason, bytes: number | null): Unreadable {
  return { kind: 'unreadable', reason, bytes };
}
