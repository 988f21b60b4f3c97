import type { FileContent, FileMedia, UnreadableReason } from './repository.ts';

/** How far git looks for a NUL byte before it takes a file for text. */
const probeBytes = 8_000;
/** A Git LFS pointer is smaller than 1,024 bytes and starts with its version line (git-lfs, docs/spec.md). */
const pointerBytes = 1_024;
const pointerStart = 'version https://git-lfs.github.com/spec/v1\n';

type Unreadable = Extract<FileContent, { readonly kind: 'unreadable' }>;

/**
 * What a blob is to a reviewer, for every source of blobs alike. What git calls binary because of a NUL byte is text when it can be
 * decoded: a NUL, or another encoding, must not hide code. Invalid UTF-8 is replaced, never refused.
 */
export function contentOfBytes(bytes: Uint8Array): FileContent {
  if (isPointer(bytes)) return unreadable('lfs-pointer', bytes.length);
  // What git takes for text stays as its diff has it.
  if (!bytes.subarray(0, probeBytes).includes(0)) return textOf(utf8(bytes), bytes);
  const text = decoded(bytes);
  if (text !== null) return textOf(text, bytes);
  return { ...unreadable('binary', bytes.length), media: mediaOf(bytes) };
}

export function isPointer(bytes: Uint8Array): boolean {
  return bytes.length < pointerBytes && utf8(bytes).startsWith(pointerStart);
}

export function unreadable(reason: UnreadableReason, bytes: number | null): Unreadable {
  return { kind: 'unreadable', reason, bytes };
}

type Signature = { readonly media: FileMedia; readonly starts: readonly string[]; readonly at?: number };

// By published signatures; what a container begins with comes after what it may hold.
const signatures: readonly Signature[] = [
  { media: 'image', starts: ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'GIF87a', 'GIF89a', 'BM', '8BPS'] },
  { media: 'image', starts: ['II*\0', 'MM\0*', '\0\0\x01\0', '\0\0\x02\0'] },
  { media: 'image', starts: ['WEBP'], at: 8 },
  { media: 'image', starts: ['avif', 'avis', 'heic', 'heix', 'mif1'].map((brand) => `ftyp${brand}`), at: 4 },
  { media: 'font', starts: ['wOFF', 'wOF2', 'OTTO', 'true', 'ttcf', '\0\x01\0\0'] },
  { media: 'media', starts: ['ID3', '\xff\xfb', '\xff\xf3', '\xff\xf2', '\xff\xf1', 'OggS', 'fLaC', '\x1aE\xdf\xa3'] },
  { media: 'media', starts: ['WAVE', 'AVI '], at: 8 },
  { media: 'media', starts: ['ftyp'], at: 4 },
  {
    media: 'archive',
    starts: ['PK\x03\x04', '\x1f\x8b', 'BZh', '\xfd7zXZ\0', '(\xb5/\xfd', '7z\xbc\xaf', 'Rar!\x1a\x07'],
  },
  { media: 'archive', starts: ['ustar'], at: 257 },
];

/** Bytes that `mediaOf` looks at. */
export const mediaBytes = 264;

/** What a file is by its first bytes; null when they say nothing. */
export function mediaOf(bytes: Uint8Array): FileMedia | null {
  const start = String.fromCharCode(...bytes.subarray(0, mediaBytes));
  const known = signatures.find(({ starts, at = 0 }) => starts.some((one) => start.startsWith(one, at)));
  return known?.media ?? null;
}

function textOf(text: string, bytes: Uint8Array): FileContent {
  return { kind: 'text', text, bytes: bytes.length };
}

// The same characters as in git's diff, a byte order mark too.
function utf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The text of what git takes for binary; null when it is none. */
function decoded(bytes: Uint8Array): string | null {
  const order = utf16Order(bytes);
  const text = order === null ? utf8(bytes) : utf16(bytes, order);
  return oddShare(text) <= maxOddShare ? text : null;
}

/** Of characters that no text has: a picture has far more, and a few NUL bytes make no picture of source. */
const maxOddShare = 0.1;

function oddShare(text: string): number {
  let odd = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isControl = code < 0x20 && !(code >= 0x09 && code <= 0x0d) && code !== 0x1b;
    if (isControl || code === 0x7f || code === 0xfffd || code === 0xffff) odd += 1;
  }
  return text.length === 0 ? 0 : odd / text.length;
}

type Order = 'little' | 'big';

/** By the byte order mark, else by where the zeroes of Latin letters stand. */
function utf16Order(bytes: Uint8Array): Order | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'little';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'big';
  const probe = bytes.subarray(0, probeBytes);
  const zeroes = [0, 0];
  for (const [index, byte] of probe.entries()) if (byte === 0) zeroes[index % 2] = (zeroes[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeroes;
  const many = probe.length * 0.2;
  if (odd > many && even < odd / 10) return 'little';
  return even > many && odd < even / 10 ? 'big' : null;
}

function utf16(bytes: Uint8Array, order: Order): string {
  return new TextDecoder('utf-16le').decode(order === 'little' ? bytes : swapped(bytes));
}

// Not every build of Node.js decodes the other order.
function swapped(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length - (bytes.length % 2));
  for (let index = 0; index < result.length; index += 2) {
    result[index] = bytes[index + 1] ?? 0;
    result[index + 1] = bytes[index] ?? 0;
  }
  return result;
}
