import type { Orientation } from './image-size.ts';

/** `Exif\0\0`, before the TIFF header inside a JPEG. */
export const exifStart = [0x45, 0x78, 0x69, 0x66, 0, 0] as const;

/** The orientation in a block of EXIF (TIFF 6.0, section 2; CIPA DC-008). 1 when there is none or it makes no sense: never throws. */
export function readOrientation(
  file: DataView,
  { from, to }: { readonly from: number; readonly to: number },
): Orientation {
  const end = Math.min(to, file.byteLength);
  if (end - from < tiffHeader) return 1;
  const block = new DataView(file.buffer, file.byteOffset + from, end - from);
  const order = block.getUint16(0);
  if (order !== littleEndian && order !== bigEndian) return 1;
  const little = order === littleEndian;
  const directory = block.getUint32(4, little);
  if (directory + 2 > block.byteLength) return 1;
  const count = block.getUint16(directory, little);
  const fitting = Math.floor((block.byteLength - directory - 2) / entryBytes);
  for (let index = 0; index < Math.min(count, fitting); index++) {
    const at = directory + 2 + index * entryBytes;
    if (block.getUint16(at, little) === orientationTag) return orientations[block.getUint16(at + 8, little) - 1] ?? 1;
  }
  return 1;
}

const tiffHeader = 8;
const littleEndian = 0x4949;
const bigEndian = 0x4d4d;
const entryBytes = 12;
const orientationTag = 0x0112;
const orientations: readonly Orientation[] = [1, 2, 3, 4, 5, 6, 7, 8];
