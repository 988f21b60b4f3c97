import { exifStart, readOrientation } from './exif-orientation.ts';
import type { ImageSize } from './image-size.ts';

/** RFC 9649: one lossy or lossless chunk, or an extended header with chunks behind it. @throws RangeError when the file is cut off */
export function readWebpSize(file: DataView): ImageSize | null {
  const type = file.getUint32(firstChunk);
  if (type === lossy) return lossySize(file, firstChunk + chunkFrame);
  if (type === lossless) return losslessSize(file, firstChunk + chunkFrame);
  return type === extended ? extendedSize(file, firstChunk + chunkFrame) : null;
}

const firstChunk = 12;
const chunkFrame = 8;
const lossy = 0x56503820;
const lossless = 0x5650384c;
const extended = 0x56503858;
const exif = 0x45584946;

/** RFC 6386, section 9.1: a key frame's start code, then 14 bits each. */
function lossySize(file: DataView, at: number): ImageSize | null {
  if (file.getUint8(at + 3) !== 0x9d || file.getUint16(at + 4) !== 0x012a) return null;
  const width = file.getUint16(at + 6, true) & 0x3fff;
  return { width, height: file.getUint16(at + 8, true) & 0x3fff, orientation: 1 };
}

function losslessSize(file: DataView, at: number): ImageSize | null {
  if (file.getUint8(at) !== 0x2f) return null;
  const bits = file.getUint32(at + 1, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, orientation: 1 };
}

function extendedSize(file: DataView, at: number): ImageSize {
  const width = 1 + uint24(file, at + 4);
  return { width, height: 1 + uint24(file, at + 7), orientation: orientationOf(file) };
}

function uint24(file: DataView, at: number): number {
  return file.getUint16(at, true) | (file.getUint8(at + 2) << 16);
}

function orientationOf(file: DataView): ImageSize['orientation'] {
  let at = firstChunk;
  while (at + chunkFrame <= file.byteLength) {
    const length = file.getUint32(at + 4, true);
    const from = at + chunkFrame;
    if (file.getUint32(at) === exif) return readOrientation(file, { from: afterStart(file, from), to: from + length });
    // Chunks are padded to an even length.
    at = from + length + (length % 2);
  }
  return 1;
}

/** Some writers keep the start that EXIF has inside a JPEG. */
function afterStart(file: DataView, at: number): number {
  const has = exifStart.every((byte, index) => at + index < file.byteLength && file.getUint8(at + index) === byte);
  return has ? at + exifStart.length : at;
}
