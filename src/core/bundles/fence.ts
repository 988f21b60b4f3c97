import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Wraps text that somebody else wrote, so that it cannot pretend to be an instruction of ours. */
export type Fence = (label: string, text: string) => string;

/**
 * A fence whose mark occurs nowhere in the fenced text: the first 16 hex digits of sha256(head:i) for the smallest such i
 * (DESIGN section 7). The same pull request gives the same prompt.
 */
export function createFence(head: string, occurs: (mark: string) => boolean): Fence {
  let mark = digits(head, 0);
  for (let i = 1; occurs(mark); i += 1) mark = digits(head, i);
  return (label, text) => `<untrusted-${mark} ${label}>\n${text}\n</untrusted-${mark}>`;
}

function digits(head: string, i: number): string {
  return bytesToHex(sha256(utf8ToBytes(`${head}:${i}`))).slice(0, 16);
}
